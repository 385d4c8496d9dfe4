"""What stopping when models are told apart saves in real runs, against a provider on this machine.

Two language models answer a benchmark about this package's code over HTTP: one orders the options by the
words that they share with the summary, the other does so for a share of the questions and else puts the best
last. For each share one run asks all items, and one stops (``--until-separated``). Cost is at 1 and 10 US
dollars a million tokens in and out.

Usage: python benchmarks/until_separated.py
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path

import tellapart
from kits import LoopbackServer, Request
from tellapart.contrastive import building, running
from tellapart.contrastive.build_options import BuildOptions
from tellapart.core.comparison import compare
from tellapart.llm.budget import Limits
from tellapart.llm.models import LanguageModel
from tellapart.offline.contrastive import overlap

SHARES = (0.0, 0.5, 0.9)
PRICE = (1.0, 10.0)


def respond(request: Request) -> str:
    """Answer as the model does whose name says for which share of the questions it is as good."""
    reply = json.loads(overlap(request.prompt))
    share = float(str(request.body["model"]).removeprefix("as-good-"))
    drawn = int(hashlib.sha256(request.prompt.encode()).hexdigest()[:8], 16) / 16**8
    if drawn >= share:
        reply["order"] = reply["order"][1:] + reply["order"][:1]
        reply["selected"] = reply["order"][0]
    return json.dumps(reply)


def main() -> None:
    """Print the table."""
    os.environ["OPENAI_API_KEY"] = "of no account"  # The provider on this machine asks for none.
    with LoopbackServer(respond) as server, tempfile.TemporaryDirectory() as place:
        bench = Path(place) / "bench"
        source = Path(tellapart.__file__).parent
        building.freeze(building.draft([source], BuildOptions(targets=120)), bench)
        print(f"{'second model':>14}{'':>8}{'items':>7}{'calls':>7}{'cost, $':>9}{'verdict':>9}   interval")
        for share in SHARES:
            llms = [
                LanguageModel(f"openai/as-good-{name}", base_url=server.base_url("openai"), max_retries=0)
                for name in ("1", str(share))
            ]
            for until in (False, True):
                before = len(server.requests)
                run = running.run(
                    bench,
                    [],
                    llms=llms,
                    limits=Limits(price=PRICE),
                    until_separated=until,
                    out=Path(place) / f"run-{share}-{until}",
                )
                (pair,) = compare(run.scores()).primary.pairs
                cost = sum(model["cost"] for model in run.record.models.values())
                low, high = pair.interval or (float("nan"), float("nan"))
                asked, calls = run.record.counts["items"], len(server.requests) - before
                end = f"{pair.verdict:>15}   {low:.3f} to {high:.3f}"
                print(
                    f"{share:14}{'until' if until else 'all':>8}{asked:7}{calls:7}{cost:9.3f}{end}",
                    flush=True,
                )


if __name__ == "__main__":
    main()

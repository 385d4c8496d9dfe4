"""Runs that are killed at random moments: what is asked again that was answered, and what comes out.

Each of five commands is run once undisturbed, and then killed with SIGKILL at random moments and begun again,
until it has been killed so many times; whenever it comes to its end, its tables are held against those of the
undisturbed run, and it begins anew. What is paid is counted where it arrives: requests at a server on this
machine, turns at an assistant's standard input. Asked twice is what had its answer in ``run.db`` when the
command was begun again. What was on its way when the kill came has to be asked again.

Usage: python benchmarks/kills.py [--kills 20] [--seed 1] [--only NAME ...]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[0] = str(ROOT / "tests")

from bundles.mining.made_events import made_events, write_events  # noqa: E402
from codesearch.played_models import playing  # noqa: E402
from nursery import Nursery, Parent  # noqa: E402
from support import killed_evaluation as evaluating  # noqa: E402
from support.loopback import LoopbackServer  # noqa: E402
from support.recorded import calls_of  # noqa: E402
from tellapart.contrastive.build_options import BuildOptions  # noqa: E402
from tellapart.contrastive.building import draft, freeze  # noqa: E402
from tellapart.offline.contrastive import overlap  # noqa: E402

ASSISTANT = """
import json, sys, time
from pathlib import Path
for number, line in enumerate(sys.stdin):
    with Path(__file__).with_name("turns").open("a") as turns:
        turns.write(json.dumps([sys.argv[1].partition("-e")[0], number]) + "\\n")
    time.sleep(0.02)
    print(json.dumps({"content": "noted " + json.loads(line).get("message", "")[-40:]}), flush=True)
"""


@dataclass(frozen=True)
class Scenario:
    """A command that is killed.

    Attributes:
        arguments: Of the command that writes a run of this name.
        tables: Files of a complete run that must be equal, by the name of the run.
        asked: All that was asked so far, in order; nothing where nothing costs.
        recorded: What is answered in the interrupted run of this name.
    """

    nursery: Nursery
    arguments: Callable[[str], Sequence[object]]
    tables: Callable[[str], list[Path]]
    asked: Callable[[], list[Any]] = list
    recorded: Callable[[str], Counter[Any]] = lambda _: Counter()


@dataclass
class Tally:
    """What came of the kills of one command."""

    kills: int = 0
    ends: int = 0
    asked: int = 0
    again: int = 0
    on_their_way: int = 0
    other_tables: int = 0


def kill(scenario: Scenario, kills: int, rng: random.Random) -> Tally:
    # What is imported before the first command is no time in which it could be killed.
    scenario.nursery.begin("--version")
    scenario.nursery.ended()
    began = time.monotonic()
    complete(scenario, "undisturbed")
    usual_s = time.monotonic() - began
    expected = [path.read_bytes() for path in scenario.tables("undisturbed")]
    whole = Counter(scenario.asked())
    tally = Tally()
    while tally.kills < kills:
        name = f"run{tally.ends}"
        known, first = scenario.recorded(name), len(scenario.asked())
        pid = scenario.nursery.begin(*scenario.arguments(name))
        time.sleep(rng.uniform(0.0, 0.6 * usual_s))
        send_kill(pid)
        code = scenario.nursery.ended()
        # A program that the killed command had started may still read what was sent to it.
        time.sleep(0.3)
        life = Counter(scenario.asked()[first:])
        tally.asked += life.total()
        tally.again += (life - (whole - known)).total()
        if code == -signal.SIGKILL:
            tally.kills += 1
            answered = scenario.recorded(name)
            assert known <= answered, f"{name}: answers are lost"
            tally.on_their_way += (life - (answered - known)).total()
            if tally.kills < kills:
                continue
        elif code:
            raise SystemExit(f"the command ended with {code}: {scenario.nursery.said()[-2000:]}")
        complete(scenario, name)
        tally.ends += 1
        tally.other_tables += [path.read_bytes() for path in scenario.tables(name)] != expected
    return tally


def complete(scenario: Scenario, name: str) -> None:
    scenario.nursery.begin(*scenario.arguments(name))
    if code := scenario.nursery.ended():
        raise SystemExit(f"the command ended with {code}: {scenario.nursery.said()[-2000:]}")


def send_kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def begun(run: Path) -> Path:
    """Where a run is: under another name while it is not complete."""
    return run if run.exists() else run.with_name(f"{run.name}.partial")


def run_tables(directory: Path) -> Callable[[str], list[Path]]:
    return lambda name: [directory / name / table for table in ("scores.parquet", "items.parquet")]


@contextmanager
def contrastive(parent: Parent, directory: Path, llm: bool) -> Iterator[Scenario]:
    package = ROOT / "tests" / "contrastive" / "fixtures" / "package"
    freeze(draft([package], BuildOptions(targets=12)), directory / "bench")
    with LoopbackServer(lambda request: overlap(request.prompt), latency_s=0.05) as server:
        nursery = Nursery(parent, server, directory, "tellapart.contrastive.running", "tellapart.llm.asking")
        asked = (
            ("--llm", "anthropic/m", "--max-connections", 4) if llm else ("--model", "bm25", "--model", "lsa")
        )

        def recorded(name: str) -> Counter[str]:
            calls = calls_of(begun(directory / name))
            return Counter(call["messages"][0]["content"] for call in calls if "reply" in call)

        yield Scenario(
            nursery,
            lambda name: ("contrastive", "run", "bench", *asked, "--out", name),
            run_tables(directory),
            lambda: [request.prompt for request in server.requests],
            recorded,
        )


@contextmanager
def longcontext(parent: Parent, directory: Path) -> Iterator[Scenario]:
    (directory / "assistant.py").write_text(ASSISTANT)
    log = directory / "turns"
    log.touch()
    nursery = Nursery(
        parent, None, directory, "tellapart.longcontext.play", "tellapart.llm.asking", SOURCE_DATE_EPOCH="0"
    )
    nursery.begin("longcontext", "generate", "--out", "cases", "--lengths", "1K,2K", "--conversations", 4)
    assert nursery.ended() == 0, nursery.said()
    command = f"{sys.executable} assistant.py {{session}}"

    def asked() -> list[tuple[str, int]]:
        return [(case, number) for case, number in map(json.loads, log.read_text().splitlines())]

    whole: dict[str, int] = {}

    def recorded(name: str) -> Counter[tuple[str, int]]:
        """Turns of conversations that are complete: of others the program's memory is gone."""
        if not whole:
            whole.update(Counter(case for case, _ in asked()))
        calls = calls_of(begun(directory / name))
        # A conversation that was cut off is begun again, so that a turn may be there twice.
        turns = Counter(turn.partition("/")[0] for turn in {c["question"] for c in calls if "reply" in c})
        return Counter(
            (case, n) for case, count in turns.items() if count == whole[case] for n in range(count)
        )

    yield Scenario(
        nursery,
        lambda name: ("longcontext", "run", "cases", "--command", command, "--quiet", "--run", name),
        lambda name: [directory / name / "artifacts" / "experiment-results.json"],
        asked,
        recorded,
    )


@contextmanager
def codesearch(parent: Parent, directory: Path) -> Iterator[Scenario]:
    place = evaluating.write_place(directory)
    with LoopbackServer(playing(evaluating.finds), latency_s=0.05) as server:
        nursery = Nursery(
            parent, server, place, *evaluating.MODULES, TELLAPART_INDEX=str(directory / "index")
        )

        def asked() -> list[object]:
            """Explorations that were begun, and questions to the judge, as they came."""
            return [
                (kind, one)
                for request in server.requests
                for kind, ones in (
                    ("explored", evaluating.begun([request])),
                    ("judged", evaluating.asked([request])),
                )
                for one in ones
            ]

        def recorded(name: str) -> Counter[object]:
            run = begun(place / name)
            explored = Counter(("explored", one) for one in evaluating.finished(run).elements())
            return explored + Counter(("judged", one) for one in evaluating.answered(run).elements())

        yield Scenario(
            nursery,
            lambda name: evaluating.command(place, name),
            lambda name: [place / name / table for table in ("scores.parquet", "artifacts/evaluation.json")],
            asked,
            recorded,
        )


@contextmanager
def mining(parent: Parent, directory: Path) -> Iterator[Scenario]:
    write_events(directory / "events.jsonl", made_events(1, senses=400, lemmas=60))
    nursery = Nursery(parent, None, directory, "tellapart.bundles.mining.run")
    options = ("--model", "hashing", "--threshold", 0.4)
    yield Scenario(
        nursery,
        lambda name: ("bundles", "mine", "events.jsonl", *options, "--out", f"{name}.jsonl"),
        lambda name: [directory / f"{name}.jsonl"],
    )


SCENARIOS = {
    "contrastive run": lambda parent, directory: contrastive(parent, directory, llm=False),
    "contrastive run --llm": lambda parent, directory: contrastive(parent, directory, llm=True),
    "longcontext run --command": longcontext,
    "codesearch evaluate": codesearch,
    "bundles mine": mining,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=20, help="of each command")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", choices=SCENARIOS, default=list(SCENARIOS))
    chosen = parser.parse_args()
    with ExitStack() as stack:
        parent = Parent()
        stack.callback(parent.close)
        total = Tally()
        for name in chosen.only:
            directory = Path(stack.enter_context(TemporaryDirectory()))
            with SCENARIOS[name](parent, directory) as scenario:
                tally = kill(scenario, chosen.kills, random.Random(f"{name} {chosen.seed}"))
            shutil.rmtree(directory, ignore_errors=True)
            print(
                f"{name}: {tally.kills} kills, {tally.ends} runs; asked {tally.asked}, of which "
                f"{tally.on_their_way} were on their way when a kill came; asked again though answered "
                f"{tally.again}; runs with other tables {tally.other_tables}",
                flush=True,
            )
            total.kills += tally.kills
            total.again += tally.again
            total.other_tables += tally.other_tables
    print(f"{total.kills} kills: asked again {total.again}, other tables {total.other_tables}")
    sys.exit(bool(total.again or total.other_tables))


if __name__ == "__main__":
    main()

"""What an evaluation teaches."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from tellapart.cli.dry_run import print_estimates
from tellapart.cli.llm_options import LlmOptions, check_named, with_llm_options
from tellapart.cli.output import say, warn
from tellapart.codesearch.commands.options import Seed
from tellapart.codesearch.commands.streams import In, Out, as_json, check_out, read, write
from tellapart.errors import UsageError

_PANEL = "Language models: what is asked"
Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        help="PROVIDER/MODEL, or replay:RUN, explains the proposals; it changes none.",
        rich_help_panel=_PANEL,
    ),
]
Run = Annotated[
    Path | None,
    typer.Option(
        "--run",
        help="Run directory of the explanations; by default named after the question.",
        rich_help_panel=_PANEL,
    ),
]
_SEED = 42


@with_llm_options
def learn(
    asking: LlmOptions,
    source: In = None,
    out: Out = None,
    model: Model = None,
    run: Run = None,
    seed: Seed = None,
) -> None:
    """Say what led to noise, what was missed, and what might be changed; nothing is changed."""
    from tellapart.codesearch.learning.learnings import learnings, summary
    from tellapart.codesearch.reading import read_evaluation

    asking.check_used([model] if model else [], "--model PROVIDER/MODEL", {"--run": run})
    check_out(out, source)
    content, where = read(source, "evaluation.json")
    found = learnings(read_evaluation(content, where=where), seed=_SEED if seed is None else seed)
    if model:
        found = _explained(found, model, asking, run, seed)
        if asking.dry_run:
            return
    write(out, as_json(found))
    warn(found["notes"])
    for line in summary(found):
        say(line)


def _explained(
    found: Mapping[str, Any], name: str, asking: LlmOptions, run: Path | None, seed: int | None
) -> dict[str, Any]:
    """The same with what the model says; in a dry run nobody is asked, and it is printed what might be."""
    from tellapart.codesearch.learning.explaining import explained, foresee_explaining

    models, limits = asking.models([name]), asking.limits([name])
    if len(models) != 1:
        raise UsageError(
            f"{name} holds calls of {len(models)} models, expected one",
            next_step=f"Choose one with '{name}#PROVIDER/MODEL'",
        )
    if asking.dry_run:
        check_named(models)
        print_estimates(foresee_explaining(found, models[0], run, limits), limits, as_json=False)
        return dict(found)
    return explained(
        found, models[0], out=run, limits=limits, seed=_SEED if seed is None else seed, progress=say
    )

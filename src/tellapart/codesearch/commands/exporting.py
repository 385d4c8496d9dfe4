"""Evaluations in the forms of other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tellapart.cli.output import say
from tellapart.codesearch.commands.evaluating import System
from tellapart.codesearch.commands.streams import In, read


def export(
    trec: Annotated[
        Path, typer.Option("--trec", help="Directory of qrels.txt and run.txt.", show_default=False)
    ],
    source: In = None,
    system: System = None,
) -> None:
    """Write judgements and ranking as TREC files, which trec_eval and 'tellapart audit' read."""
    from tellapart.codesearch.evaluation import SYSTEM
    from tellapart.codesearch.reading import read_evaluation
    from tellapart.codesearch.settings import UNNAMED
    from tellapart.codesearch.trec import write_trec

    content, where = read(source, "evaluation.json")
    evaluation = read_evaluation(content, where=where)
    named = system or str((evaluation.facts or {}).get(SYSTEM) or UNNAMED)
    for path in write_trec(evaluation, trec, system=named):
        say(f"wrote {path}")
    empty = sum(not case.result.files for case in evaluation.cases)
    if empty:
        say(
            f"{empty} of {len(evaluation.cases)} conversations have no line in run.txt, since {named} found "
            "no file: 'tellapart audit --complete' and 'trec_eval -c' score them 0"
        )

"""Commands on finished evaluations: rescore, compare, report, export."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from tellapart.cli.inputs import existing
from tellapart.cli.output import Json, Markdown, print_json, say, show
from tellapart.cli.progress import reporter
from tellapart.codesearch.commands.options import (
    In,
    Out,
    Seed,
    Strict,
    check_out,
    fail_if_doubtful,
    read,
    read_recorded,
    warn_of,
    write,
)
from tellapart.core.seed import SEED
from tellapart.errors import UsageError


def _split(given: str) -> tuple[str | None, Path]:
    name, equals, path = given.partition("=")
    return (name, Path(path)) if equals and name and path else (None, Path(given))


def _there(given: list[str]) -> list[str]:
    existing(next_step="Name an evaluation.json, or a run directory of 'tellapart codesearch evaluate'")(
        [path for _, path in map(_split, given)]
    )
    return given


Evaluations = Annotated[
    list[str],
    typer.Argument(
        help="Evaluations or run directories, two or more: a path, or NAME=PATH to name its system.",
        show_default=False,
        callback=_there,
    ),
]


def compare(
    evaluations: Evaluations,
    measure: Annotated[
        str | None,
        typer.Option(
            "--measure",
            help="Compare by this one, such as gold_recall_at_10 or gold_acc_at_5.",
            show_default="recall@10 against gold where all have gold, else f1, or f1_union without verdicts",
        ),
    ] = None,
    seed: Seed = SEED,
    html: Annotated[
        Path | None,
        typer.Option("--html", writable=True, help="Write a page."),
    ] = None,
    markdown: Markdown = None,
    as_json: Json = False,
) -> None:
    """Compare systems on the same conversations, overall and by product area."""
    from tellapart.codesearch.page import compared as pages
    from tellapart.codesearch.recordings import evaluation_at
    from tellapart.codesearch.system_comparison import compare as compare_systems
    from tellapart.codesearch.system_comparison import name_systems
    from tellapart.report.output import write
    from tellapart.report.terminal import terminal
    from tellapart.store import check_outs

    given = [(name, path, evaluation_at(path)) for name, path in map(_split, evaluations)]
    check_outs([html, markdown], [path for _, path, _ in given])
    named = name_systems(given)
    compared = compare_systems(named, measure=measure, seed=seed)
    if as_json:
        print_json(compared.to_json())
    else:
        show(*terminal(pages.document(compared)))
    for path in write(lambda: pages.document(compared), html=html, markdown=markdown):
        say(f"wrote {path}")


def export(
    trec: Annotated[
        Path | None,
        typer.Option(
            "--trec",
            file_okay=False,
            writable=True,
            help="Directory of qrels.txt and run.txt, which trec_eval and 'tellapart audit' read.",
            metavar="DIR",
        ),
    ] = None,
    to_label: Annotated[
        Path | None,
        typer.Option(
            "--to-label",
            writable=True,
            help="Sheet of the files to judge, for people, without verdicts; 'rescore --human' reads it.",
            metavar="SHEET.csv",
        ),
    ] = None,
    source: In = None,
    seed: Seed = SEED,
) -> None:
    """Write judgements and rankings as TREC files, or files to judge as a sheet for people."""
    from tellapart.codesearch.evaluation import SYSTEM
    from tellapart.codesearch.exporting import label_sheet, write_trec
    from tellapart.codesearch.recordings import read_evaluation
    from tellapart.codesearch.settings import UNNAMED
    from tellapart.labelling.sheet import check_out as check_sheet
    from tellapart.labelling.sheet import write_sheet

    if trec is None and to_label is None:
        raise UsageError("nothing to write is named", next_step="Give --trec DIR or --to-label SHEET.csv")
    check_out(to_label, source)
    content, where = read(source, "evaluation.json")
    evaluation = read_evaluation(content, where=where)
    if to_label is not None:
        check_sheet(to_label)
        sheet = label_sheet(evaluation, seed=seed)
        write_sheet(to_label, sheet)
        given = "" if source is None else f" --in {shlex.quote(str(source))}"
        say(
            f"wrote {to_label}: {sheet.height} files; put 1 (relevant) or 0 into the column 'human', then: "
            f"tellapart codesearch rescore{given} --human {shlex.quote(str(to_label))}"
        )
    if trec is None:
        return
    system_name = str(evaluation.facts.get(SYSTEM) or UNNAMED)
    for path in write_trec(evaluation, trec, system=system_name):
        say(f"wrote {path}")
    empty = sum(not case.files for case in evaluation.cases)
    if empty:
        say(
            f"{empty} of {len(evaluation.cases)} conversations have no line in run.txt, since {system_name} "
            "found no file: 'tellapart audit --trec-eval' and 'trec_eval -c' score them 0"
        )


def rescore(
    source: In = None,
    out: Out = None,
    human: Annotated[
        Path | None,
        typer.Option(
            "--human",
            help="Filled sheet of 'export --to-label'; a person's verdict replaces the judge's.",
            metavar="SHEET.csv",
        ),
    ] = None,
    strict: Strict = False,
) -> None:
    """Recompute the figures of recorded explorations.

    Their judgements are taken as they are; another pipeline may have recorded both.
    """
    from tellapart.codesearch.exporting import with_labels
    from tellapart.codesearch.scoring import score_evaluation

    check_out(out, source, human)
    evaluation = read_recorded(source)
    if human is not None:
        evaluation = with_labels(evaluation, human)
    evaluation = score_evaluation(evaluation)
    write(out, evaluation.to_json())
    warn_of(evaluation)
    fail_if_doubtful(evaluation, strict=strict)


FiguresJson = Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")]


def report(
    path: Annotated[
        Path,
        typer.Argument(
            help="An evaluation.json, a run directory of evaluate, or the directory of a loop.",
            show_default=False,
            callback=existing(
                next_step="Name an evaluation.json, a run directory of 'tellapart codesearch evaluate' or "
                "one of 'loop'",
            ),
        ),
    ],
    html: Annotated[
        Path | None,
        typer.Option("--html", writable=True, help="Write a page with every conversation."),
    ] = None,
    markdown: Markdown = None,
    as_json: FiguresJson = False,
) -> None:
    """Show what an evaluation says and what it cannot say.

    Also writes it as a page or as Markdown.
    """
    from tellapart.codesearch import page as pages
    from tellapart.report.output import write
    from tellapart.report.terminal import terminal

    view = pages.load(path)
    if as_json:
        print_json(pages.figures(view))
    else:
        show(*terminal(pages.document(view, browsed=False)))
    progress = reporter(lines=False)
    for path in write(lambda: pages.document(view), html=html, markdown=markdown, progress=progress):
        say(f"wrote {path}")

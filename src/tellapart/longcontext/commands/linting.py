"""What makes an experiment mean nothing, before and after money is spent."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tellapart.cli.output import print_json, say, show, warn
from tellapart.errors import UsageError

if TYPE_CHECKING:
    from tellapart.longcontext.case import Case
    from tellapart.longcontext.lint import Finding, Subject

_STYLES = {"error": "bold red", "warning": "yellow", "info": "dim"}


def lint(
    cases: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[CASE]…",
            help="Case files (sections or YAML), or directories of them.",
            show_default=False,
        ),
    ] = None,
    results: Annotated[
        list[Path] | None,
        typer.Option(
            "--results", metavar="FILE…", help="Results as JSON, or runs of longcontext run; controls too."
        ),
    ] = None,
    answers: Annotated[
        Path | None, typer.Option("--answers", help="The right answers.", metavar="FILE")
    ] = None,
    continues: Annotated[
        Path | None,
        typer.Option(
            "--continues",
            metavar="FILE",
            help="The case whose messages and checkpoints come before this one.",
        ),
    ] = None,
    probes_last: Annotated[
        bool | None,
        typer.Option(
            "--probes-last/--no-probes-last",
            help="Whether the case will be run with its probes after the repeats.",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Find what makes an experiment mean nothing; exits 1 where a finding is an error."""
    from tellapart.longcontext.lint import lint_subject, subject_of
    from tellapart.longcontext.reading import read_answers, read_results

    written, played = _told_apart(cases or [], results or [])
    if not written and not played:
        raise UsageError("there is nothing to lint", next_step="Name case files, or results with --results")
    key = read_answers(answers) if answers else None
    read = [read_results(path) for path in played]
    subject = subject_of(_cases(written, continues), read, key, None, probes_last)
    findings = lint_subject(subject)
    warn([f"{one.source}: {note}" for one in read for note in one.notes])
    warn([f"{answers}: {note}" for note in (key.notes if key else ())])
    if as_json:
        print_json([asdict(finding) for finding in findings])
    else:
        _print(findings, subject)
    if any(finding.severity == "error" for finding in findings):
        raise typer.Exit(1)


def _told_apart(cases: list[Path], results: list[Path]) -> tuple[list[Path], list[Path]]:
    """Cases and results: a shell that fills in ``--results *.json`` leaves all but the first to the cases."""
    more = [path for path in cases if path.suffix.lower() == ".json" or (path / "run.json").exists()]
    return [path for path in cases if path not in more], [*results, *more]


def _cases(paths: list[Path], continues: Path | None) -> list[Case]:
    from tellapart.longcontext.continuing import continuing, named
    from tellapart.longcontext.reading import read_case, read_cases

    cases = read_cases(paths)
    if continues is None:
        return cases
    if len(cases) != 1:
        raise UsageError(
            f"{named(cases)} are given, and --continues says what comes before one",
            next_step="Lint that case by itself, or write 'continues' into its YAML",
        )
    return [continuing(cases[0], read_case(continues))]


def _print(findings: list[Finding], subject: Subject) -> None:
    from rich.table import Table
    from rich.text import Text

    from tellapart.longcontext.lint.grouping import counted, grouped
    from tellapart.longcontext.lint.nearby import together

    table = Table(box=None, pad_edge=False, show_header=bool(findings))
    for name, most in (("severity", None), ("check", None), ("where", 34), ("what", None)):
        table.add_column(name, max_width=most, overflow="fold")
    for group in grouped(together(findings, subject)):
        finding = group.finding
        severity = Text(finding.severity, style=_STYLES[finding.severity])
        table.add_row(severity, finding.check, Text(group.where), Text(finding.message))
    if findings:
        show(table)
    say(counted(findings) if findings else "nothing found")

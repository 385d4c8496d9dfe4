"""``generate``, ``import`` and ``lint``: an experiment before money is spent, and what is wrong with one."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tellapart.cli.output import print_json, say, show, warn
from tellapart.cli.progress import reporter
from tellapart.cli.settings import given_flags, with_settings
from tellapart.errors import UsageError
from tellapart.longcontext.commands.options import CASE_FILES, OutDirectory, RightAnswers, cases_with, paths
from tellapart.longcontext.design import Design, ImportSettings, setting

if TYPE_CHECKING:
    from tellapart.longcontext.importing import ImportRecord
    from tellapart.longcontext.results import Finding


@with_settings
def generate(out: OutDirectory, *, design: Design) -> None:
    """Make up conversations of any length.

    They have facts at chosen depths, and questions about them.
    """
    from tellapart.longcontext.generating import write_cases

    written = write_cases(design, out, progress=reporter())
    questions, calls = (sum(len(case.probes) for case in written), sum(len(case.steps) for case in written))
    say(f"{len(written)} conversations, {questions} questions: about {calls:,} calls for each model")
    _name_next(out, len(written))


def _name_next(out: Path, written: int) -> None:
    """Name the next command, and warn of cases in the directory that were there before."""
    from tellapart.longcontext.reading.cases import case_files

    if others := len(case_files(out)) - written:
        warn([f"{out} holds {others} other conversations, which 'run' plays too"])
    say(f"next: tellapart longcontext lint {shlex.quote(str(out))}")


_SOURCE = "File of the data set; before it its form, where that is not recognised."


@with_settings
def import_(
    source: Annotated[list[str], typer.Argument(metavar="[FORM] FILE", help=_SOURCE, show_default=False)],
    out: OutDirectory,
    *,
    settings: ImportSettings,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was read and written as JSON.")] = False,
) -> None:
    """Make cases of a published data set.

    Forms: longmemeval, locomo, mrcr, nolima.
    """
    from tellapart.longcontext.importing import form_called, form_of, import_cases
    from tellapart.store.paths import require_there

    if len(source) > 2:
        raise UsageError(
            f"{len(source)} names are given, expected a file, with its form before it where that is needed",
            next_step="Import one file after the other, into directories of their own",
        )
    path = Path(source[-1])
    named = form_called(source[0]) if len(source) > 1 else None
    require_there(path)
    if path.is_dir():
        raise UsageError("this is a directory, expected a file", where=path)
    form = named or form_of(path)
    of_some = {*given_flags(settings)} & {"--haystack", "--lengths", "--depths"}
    if unused := sorted(of_some - {f"--{name}" for name in form.takes}):
        raise UsageError(f"{form.name} has no use for {', '.join(unused)}", next_step="Leave it out")
    record = import_cases(path, form, out, settings, progress=reporter())
    if as_json:
        print_json(record.model_dump(mode="json"))
    _report_import(record)
    _name_next(out, record.cases)


_NAMED = 5
"""Records of one cause whose names are shown."""


def _report_import(record: ImportRecord) -> None:
    say(f"{record.data_set}, licence {record.licence}, {record.file}, sha256 {record.sha256}")
    over = f", {record.over_the_limit:,} over the limit" if record.over_the_limit else ""
    questions, left = sum(record.questions.values()), sum(map(len, record.left_out.values()))
    say(
        f"{record.records:,} records: {record.cases:,} cases with {questions:,} questions written to "
        f"{record.out}, {left:,} left out{over}"
    )
    for mode, count in record.questions.items():
        say(f"  {count:,} {mode or 'of no kind'}")
    warn(
        f"left out {len(labels):,}: {cause} ({', '.join(labels[:_NAMED])}{', …' if labels[_NAMED:] else ''})"
        for cause, labels in record.left_out.items()
    )
    for change, count in record.changes.items():
        say(f"changed {count:,}: {change}")


_RESULTS = "Results as JSON, or runs of longcontext run; controls too."
_CONTINUES = "The case whose messages and checkpoints come before this one."
_LAST = "Whether the case will be run with its probes after the repeats."


def lint(
    cases: Annotated[list[Path] | None, paths(CASE_FILES, "[CASE]…")] = None,
    results: Annotated[list[Path] | None, setting("--results", _RESULTS, "FILE…")] = None,
    answers: RightAnswers = None,
    continues: Annotated[Path | None, setting("--continues", _CONTINUES, "FILE")] = None,
    probes_last: Annotated[bool | None, setting("--probes-last/--no-probes-last", _LAST)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Find what would make an experiment meaningless.

    Ends with exit code 1 where a finding is an error.
    """
    from tellapart.longcontext.lint import decidable_rows, lint_inputs
    from tellapart.longcontext.lint import lint as lint_all
    from tellapart.longcontext.reading import read_answers, read_results

    if not cases and not results:
        raise UsageError("there is nothing to lint", next_step="Name case files, or results with --results")
    key = read_answers(answers) if answers else None
    read = [read_results(path) for path in results or ()]
    inputs = lint_inputs(cases_with(cases or [], continues), read, key, probes_last=probes_last)
    findings = lint_all(inputs)
    warn([f"{read_from.source}: {note}" for read_from in read for note in read_from.notes])
    warn([f"{answers}: {note}" for note in (key.notes if key else ())])
    if as_json:
        print_json([asdict(finding) for finding in findings] + decidable_rows(inputs))
    else:
        _print(findings)
    if any(finding.severity == "error" for finding in findings):
        raise typer.Exit(1)


def _print(findings: Sequence[Finding]) -> None:
    from tellapart.longcontext.lint import counts, table_of
    from tellapart.report.numbers import plural
    from tellapart.report.terminal import fitted_table

    shown = [finding for finding in findings if finding.check != "distance"]
    if shown:
        show(fitted_table(table_of(shown)))
    if len(shown) < len(findings):
        say(f"the distances of {len(findings) - len(shown)} probes are in --json")
    say(", ".join(plural(n, name) for name, n in counts(shown).items()) if findings else "nothing found")

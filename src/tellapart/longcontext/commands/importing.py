"""``import``: data sets that people publish, made into case files."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tellapart.cli.output import print_json, say, warn
from tellapart.cli.progress import reporter
from tellapart.cli.settings import given_flags, with_settings
from tellapart.errors import UsageError
from tellapart.longcontext.commands.options import OutDirectory
from tellapart.longcontext.design import ImportSettings

if TYPE_CHECKING:
    from tellapart.longcontext.importing.import_cases import ImportRecord


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
    require_there(path, "cannot read this file: No such file or directory")
    if path.is_dir():
        raise UsageError("this is a directory, expected a file", where=path)
    form = named or form_of(path)
    of_some = {*given_flags(settings)} & {"--haystack", "--lengths", "--depths"}
    if unused := sorted(of_some - {f"--{name}" for name in form.takes}):
        raise UsageError(f"{form.name} has no use for {', '.join(unused)}", next_step="Leave it out")
    record = import_cases(path, form, out, settings, progress=reporter())
    if as_json:
        print_json(record.model_dump(mode="json"))
    _report(record)
    say(f"next: tellapart longcontext lint {shlex.quote(str(out))}")


def _report(record: ImportRecord) -> None:
    say(f"{record.data_set}, licence {record.licence}, {record.file}, sha256 {record.sha256}")
    questions = sum(record.questions.values())
    over = f", {record.over_the_limit:,} over the limit" if record.over_the_limit else ""
    left = sum(group.count for group in record.left_out)
    say(
        f"{record.records:,} records: {record.cases:,} cases with {questions:,} questions written to "
        f"{record.out}, {left:,} left out{over}"
    )
    for mode, count in record.questions.items():
        say(f"  {count:,} {mode or 'of no kind'}")
    warn(
        f"left out {group.count:,}: {group.cause} ({', '.join(group.first)}"
        f"{', …' if group.count > len(group.first) else ''})"
        for group in record.left_out
    )
    for change, count in record.changes.items():
        say(f"changed {count:,}: {change}")

"""``import``: data sets that people publish, made into case files."""

from __future__ import annotations

import shlex
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tellapart.cli.inputs import existing
from tellapart.cli.output import print_json, say, warn
from tellapart.cli.progress import reporter
from tellapart.core.seed import MOST_SEED
from tellapart.errors import UsageError
from tellapart.longcontext.commands.options import OutDirectory
from tellapart.longcontext.design import depths_of, lengths_of

if TYPE_CHECKING:
    from tellapart.longcontext.importing import Form
    from tellapart.longcontext.importing.import_cases import ImportRecord


_SOURCE = "File of the data set; before it its form, where that is not recognised."
_SEED = "Draw the cases, instead of taking the first ones."
_HAYSTACK = "nolima: text files to hide facts in, or directories of them; repeat for several."
_WRONG = "Questions to leave out, as their answer key is known to be wrong: CASE or CASE/STEP, a line each."
_option = partial(typer.Option, show_default=False)


def import_(
    source: Annotated[list[str], typer.Argument(metavar="[FORM] FILE", help=_SOURCE, show_default=False)],
    out: OutDirectory,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Most cases.", show_default="all")
    ] = None,
    seed: Annotated[int | None, _option("--seed", min=0, max=MOST_SEED, help=_SEED)] = None,
    haystack: Annotated[
        list[Path] | None, _option("--haystack", help=_HAYSTACK, metavar="PATH", callback=existing())
    ] = None,
    lengths: Annotated[str | None, _option("--lengths", help="nolima: tokens of the context.")] = None,
    depths: Annotated[str | None, _option("--depths", help="nolima: where facts stand, in percent.")] = None,
    wrong_keys: Annotated[
        Path | None, _option("--wrong-keys", help=_WRONG, metavar="FILE", callback=existing())
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was read and written as JSON.")] = False,
) -> None:
    """Make cases of a published data set.

    Forms: longmemeval, locomo, mrcr, nolima.
    """
    from tellapart.longcontext.importing import ImportSettings, import_cases, read_wrong_keys

    form, path = _form_and_file(source)
    given = {"haystack": haystack, "lengths": lengths, "depths": depths}
    unused = [f"--{name}" for name, value in given.items() if value and name not in form.takes]
    if unused:
        raise UsageError(f"{form.name} has no use for {', '.join(unused)}", next_step="Leave it out")
    settings = ImportSettings(
        limit,
        seed,
        tuple(haystack or ()),
        lengths_of(lengths) if lengths else (),
        depths_of(depths) if depths else (),
        wrong_keys=read_wrong_keys(wrong_keys) if wrong_keys else frozenset(),
    )
    record = import_cases(path, form, out, settings, progress=reporter())
    if as_json:
        print_json(record.model_dump(mode="json"))
    _report(record)
    say(f"next: tellapart longcontext lint {shlex.quote(str(out))}")


def _form_and_file(source: list[str]) -> tuple[Form, Path]:
    from tellapart.longcontext.importing import form_called, form_of
    from tellapart.store.presence import require_there

    if len(source) > 2:
        raise UsageError(
            f"{len(source)} names are given, expected a file, with its form before it where that is needed",
            next_step="Import one file after the other, into directories of their own",
        )
    named = form_called(source[0]) if len(source) > 1 else None
    path = Path(source[-1])
    require_there(path, "cannot read this file: No such file or directory")
    if path.is_dir():
        raise UsageError("this is a directory, expected a file", where=path)
    return named or form_of(path), path


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

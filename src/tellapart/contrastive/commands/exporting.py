"""Exports: items and functions for ``tellapart bundles``, and summaries for other benchmarks."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from tellapart.cli.output import say
from tellapart.cli.progress import reporter
from tellapart.contrastive.commands.options import Bench, Repositories


def bundles(
    bench: Bench,
    out: Annotated[
        Path, typer.Option("--out", writable=True, help="Where to write bundles.", show_default=False)
    ],
) -> None:
    """Write a benchmark's items as bundles."""
    from tellapart.contrastive.export import write_bundles
    from tellapart.store import check_outs

    check_outs([out], bench.glob("*"))
    with reporter(lines=False).step(f"writing {out.name}", None):
        written = write_bundles(bench, out)
    say(f"wrote {out}: {written:,} bundles")
    say(f"next: tellapart bundles tier {shlex.quote(str(out))} --model lsa")


def events(
    repositories: Repositories,
    out: Annotated[
        Path, typer.Option("--out", writable=True, help="Where to write events.", show_default=False)
    ],
) -> None:
    """Write functions as events, for 'tellapart bundles mine'.

    An event is a summary, prose or a part of the code.
    """
    from tellapart.contrastive.export import write_events

    with reporter(lines=False).step(f"writing {out.name}", None):
        written = write_events(repositories, out)
    say(f"wrote {out}: {written:,} events")
    say(f"next: tellapart bundles mine {shlex.quote(str(out))} --model lsa --out mined.jsonl")


def summaries(
    bench: Bench,
    out: Annotated[
        Path, typer.Option("--out", writable=True, help="Where to write summaries.", show_default=False)
    ],
) -> None:
    """Write a benchmark's summaries as JSON Lines.

    'build --summaries jsonl:FILE' reads them.
    """
    from tellapart.contrastive.export import write_summary_lines
    from tellapart.store import check_outs

    check_outs([out], bench.glob("*"))
    say(f"wrote {out}: {write_summary_lines(bench, out):,} summaries")
    say(f"next: tellapart contrastive build REPO --summaries jsonl:{shlex.quote(str(out))} --out NEW")

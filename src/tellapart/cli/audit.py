"""``tellapart audit``: can this evaluation tell these models apart."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tellapart.cli.output import print_json, show


def audit(
    scores: Annotated[
        list[Path],
        typer.Argument(help="Score tables, run directories or logs of other harnesses.", show_default=False),
    ],
    by: Annotated[str | None, typer.Option("--by", help="The stratum to look into; all by default.")] = None,
    sesoi: Annotated[float, typer.Option("--sesoi", help="Smallest difference that matters.")] = 0.02,
    seed: Annotated[int, typer.Option("--seed", help="Of the resamples.")] = 42,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say which models an evaluation tells apart, and if not, why, and what is the cheapest fix."""
    from tellapart.audit.options import AuditOptions
    from tellapart.audit.run import audit_files
    from tellapart.report.audit import output as pages

    found = audit_files(scores, AuditOptions(by=by, sesoi=sesoi, seed=seed))
    if as_json:
        print_json(found.figures)
    else:
        show(*pages.terminal(found.figures))

"""``tellapart runs``: the run directories there are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tellapart.cli.output import print_json, say, show

app = typer.Typer(help="List, show and delete run directories.", no_args_is_help=True)

Root = Annotated[Path, typer.Option("--root", help="Where the run directories are.")]
Run = Annotated[Path, typer.Argument(help="A run directory, or its name below --root.", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_(root: Root = Path("runs"), as_json: Json = False) -> None:
    """List the runs, complete or not."""
    from rich.table import Table

    from tellapart.store import list_runs

    runs = list_runs(root)
    if as_json:
        print_json([{"path": str(path), **(record.model_dump() if record else {})} for path, record in runs])
        return
    table = Table("run", "suite", "status", "models", "items", box=None)
    for path, record in runs:
        if record is None:
            table.add_row(path.name, "–", "unreadable", "–", "–")
            continue
        models, items = (str(record.counts.get(name, "–")) for name in ("models", "items"))
        table.add_row(path.name, record.suite, record.status, models, items)
    show(table if runs else f"there are no runs in {root}")


@app.command("show")
def show_(run: Run, root: Root = Path("runs")) -> None:
    """Print the record of a run: what was run, on what, with which parameters."""
    from tellapart.store import read_record

    print_json(read_record(_resolved(run, root)).model_dump())


@app.command("delete")
def delete(
    run: Run,
    root: Root = Path("runs"),
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete a run directory."""
    from tellapart.store import delete_run, read_record

    path = _resolved(run, root)
    read_record(path)
    if not yes:
        typer.confirm(f"delete {path}?", abort=True, err=True)
    delete_run(path)
    say(f"deleted {path}")


def _resolved(run: Path, root: Path) -> Path:
    return run if run.exists() or not (root / run).exists() else root / run

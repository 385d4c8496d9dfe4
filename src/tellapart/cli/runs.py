"""``tellapart runs``: the run directories there are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tellapart.cli.output import Json, print_json, print_line, say, show

app = typer.Typer(help="List, show, check, export and delete run directories.", no_args_is_help=True)

Root = Annotated[Path, typer.Option("--root", help="Where the run directories are.")]
Run = Annotated[Path, typer.Argument(help="A run directory, or its name below --root.", show_default=False)]


@app.command("list")
def list_(root: Root = Path("runs"), as_json: Json = False) -> None:
    """List the runs, complete or not, the latest first."""
    if not root.is_dir():
        print_json([]) if as_json else print_line(f"there are no runs in {root}")
        return
    from tellapart.cli.run_summary import listing, summarise
    from tellapart.report.terminal import fitted_table
    from tellapart.store import list_runs

    runs = [summarise(path, record) for path, record in list_runs(root)]
    if as_json:
        print_json([run.to_json() for run in runs])
    elif runs:
        show(fitted_table(listing(runs, root)))
    else:
        print_line(f"there are no runs in {root}")


@app.command("show")
def show_(run: Run, root: Root = Path("runs"), as_json: Json = False) -> None:
    """Show what was run, on what, how, and with which verdict."""
    from tellapart.store import read_record

    path = _resolved(run, root)
    record = read_record(path)
    if as_json:
        print_json(record.model_dump())
        return
    from tellapart.cli.run_summary import details, report_command, summarise
    from tellapart.report.terminal import fitted_table

    show(fitted_table(details(summarise(path, record), record)))
    command = report_command(path, record.suite) if record.status == "complete" else None
    if command:
        say(f"its page: {command}")


@app.command("check")
def check(run: Run, root: Root = Path("runs")) -> None:
    """See that a run is as it was written: every file, and every entry of its database."""
    from tellapart.store import check_run

    path = _resolved(run, root)
    say(f"{path} is as it was written: {check_run(path)}")


@app.command("export")
def export(
    run: Run,
    out: Annotated[Path, typer.Option("--out", help="Directory for the files.", show_default=False)],
    root: Root = Path("runs"),
    eee: Annotated[
        bool,
        typer.Option("--eee", help="Write each model's mean score in the schema of Every Eval Ever instead."),
    ] = False,
) -> None:
    """Write what a run's database holds as text: its record as JSON, calls and all else as JSON Lines."""
    from tellapart.store import export_run

    path = _resolved(run, root)
    if eee:
        from tellapart.cli.every_eval_ever import export_every_eval_ever as export_run
    say(f"{out}: {', '.join(export_run(path, out))}")


@app.command("delete")
def delete(
    run: Run,
    root: Root = Path("runs"),
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete a run directory."""
    from tellapart.store import check_is_run, delete_run

    path = _resolved(run, root)
    check_is_run(path)
    if not yes:
        typer.confirm(f"delete {path}?", abort=True, err=True)
    delete_run(path)
    say(f"deleted {path}")


def _resolved(run: Path, root: Path) -> Path:
    return run if run.exists() or not (root / run).exists() else root / run

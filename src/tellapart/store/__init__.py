"""Run directories: what was run, on what, with which result."""

from typing import TYPE_CHECKING

from tellapart.lazy import names_from

if TYPE_CHECKING:
    from tellapart.store.paths import check_outs, names_of_runs, path_names
    from tellapart.store.runs import OpenRun, RunDirectory, RunPlan, RunRecord, read_record, run_name
    from tellapart.store.tables import (
        ItemText,
        item_of,
        load_record,
        read_frame,
        read_item_rows,
        read_notes,
        write_frame,
    )
    from tellapart.store.upkeep import check_is_run, check_run, delete_run, export_run, list_runs

__all__ = [
    "ItemText", "OpenRun", "RunDirectory", "RunPlan", "RunRecord", "check_is_run", "check_outs",
    "check_run", "delete_run", "export_run", "item_of", "list_runs", "load_record", "names_of_runs",
    "path_names", "read_frame", "read_item_rows", "read_notes", "read_record", "run_name", "write_frame",
]  # fmt: skip

# Who looks whether a run is there needs no tables.
__getattr__ = names_from(__name__, __all__, "paths", "tables", "runs", "upkeep")

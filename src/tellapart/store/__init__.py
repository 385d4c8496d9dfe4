"""Run directories: what was run, on what, with which result."""

from typing import TYPE_CHECKING

from tellapart.lazy import names_from

if TYPE_CHECKING:
    from tellapart.store.frames import read_frame, read_notes, write_frame
    from tellapart.store.item_texts import ItemText, item_of, read_item_rows
    from tellapart.store.outputs import check_outs
    from tellapart.store.records import load_record
    from tellapart.store.runs import (
        OpenRun,
        RunDirectory,
        RunPlan,
        RunRecord,
        check_is_run,
        check_run,
        delete_run,
        export_run,
        list_runs,
        read_record,
        run_name,
    )
    from tellapart.store.short_names import names_of_runs, path_names

__all__ = [
    "ItemText",
    "OpenRun",
    "RunDirectory",
    "RunPlan",
    "RunRecord",
    "check_is_run",
    "check_outs",
    "check_run",
    "delete_run",
    "export_run",
    "item_of",
    "list_runs",
    "load_record",
    "names_of_runs",
    "path_names",
    "read_frame",
    "read_item_rows",
    "read_notes",
    "read_record",
    "run_name",
    "write_frame",
]

# Who looks whether a run is there needs no tables.
__getattr__ = names_from(
    __name__, __all__, "short_names", "outputs", "records", "frames", "item_texts", "runs"
)

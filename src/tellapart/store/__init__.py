"""Run directories: what was run, on what, with which result."""

from typing import TYPE_CHECKING

from tellapart.lazy import lazy_names

if TYPE_CHECKING:
    from tellapart.store.frames import read_frame, read_notes, write_frame
    from tellapart.store.item_texts import ItemText, item_of, read_item_rows
    from tellapart.store.journal import Journal
    from tellapart.store.outputs import check_outs
    from tellapart.store.records import load_record
    from tellapart.store.runs import (
        OpenRun,
        RunDirectory,
        RunPlan,
        RunRecord,
        check_is_run,
        delete_run,
        list_runs,
        read_record,
        run_name,
    )
    from tellapart.store.short_names import names_of_runs, path_names

__all__ = [
    "ItemText",
    "Journal",
    "OpenRun",
    "RunDirectory",
    "RunPlan",
    "RunRecord",
    "check_is_run",
    "check_outs",
    "delete_run",
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

_HOME = {
    "ItemText": "item_texts",
    "item_of": "item_texts",
    "Journal": "journal",
    "OpenRun": "runs",
    "RunDirectory": "runs",
    "RunPlan": "runs",
    "RunRecord": "runs",
    "check_is_run": "runs",
    "check_outs": "outputs",
    "delete_run": "runs",
    "list_runs": "runs",
    "load_record": "records",
    "names_of_runs": "short_names",
    "path_names": "short_names",
    "read_frame": "frames",
    "read_item_rows": "item_texts",
    "read_notes": "frames",
    "read_record": "runs",
    "run_name": "runs",
    "write_frame": "frames",
}


# Who looks whether a run is there needs no tables.
__getattr__ = lazy_names(__name__, _HOME)

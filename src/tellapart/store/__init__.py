"""Run directories: what was run, on what, with which result."""

from tellapart.store.atomic import replacing, sha256_of, storage, write_bytes, write_text
from tellapart.store.frames import read_frame, read_notes, write_frame
from tellapart.store.growing import Journal, growing
from tellapart.store.item_texts import ItemText, read_item_texts
from tellapart.store.outputs import check_outs
from tellapart.store.path_names import names_of_runs, path_names
from tellapart.store.records import load_record
from tellapart.store.runs import (
    OpenRun,
    RunDirectory,
    RunRecord,
    delete_run,
    finished_steps,
    is_finished,
    list_runs,
    new_record,
    read_record,
    run_name,
    writing,
)

__all__ = [
    "ItemText",
    "Journal",
    "OpenRun",
    "RunDirectory",
    "RunRecord",
    "check_outs",
    "delete_run",
    "finished_steps",
    "growing",
    "is_finished",
    "list_runs",
    "load_record",
    "names_of_runs",
    "new_record",
    "path_names",
    "read_frame",
    "read_item_texts",
    "read_notes",
    "read_record",
    "replacing",
    "run_name",
    "sha256_of",
    "storage",
    "write_bytes",
    "write_frame",
    "write_text",
    "writing",
]

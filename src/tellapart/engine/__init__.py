"""Work that is cut into parts and done by many processes: on this machine, or on a cluster through Ray.

A *stage* is what is done with each of its *tasks*: read files of a folder, write files into another, return
a receipt. Engines decide where tasks are done, and never what comes out.
"""

from tellapart.engine.choice import EngineOptions, open_engine, open_spread
from tellapart.engine.folders import FileEntry, Folder, is_remote
from tellapart.engine.shuffle import Segment, SegmentWriter, by_bucket, read_segments, segment_file
from tellapart.engine.stages import Engine, Receipt, Stage, do_tasks, run_stage

__all__ = [
    "Engine",
    "EngineOptions",
    "FileEntry",
    "Folder",
    "Receipt",
    "Segment",
    "SegmentWriter",
    "Stage",
    "by_bucket",
    "do_tasks",
    "is_remote",
    "open_engine",
    "open_spread",
    "read_segments",
    "run_stage",
    "segment_file",
]

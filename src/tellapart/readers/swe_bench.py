"""SWE-bench: the report of one run, ``MODEL.RUN.json``, and the ``results.json`` of a submission."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tellapart.errors import InputError
from tellapart.files import read_object
from tellapart.files.tables import head_text
from tellapart.readers.answers import Answer, answers_frame
from tellapart.readers.reader import LogScores
from tellapart.readers.settings import ReadingSettings

NAME = "SWE-bench report"

TAKES = ("model",)

_MARKS = (('"resolved_ids"', '"submitted_instances"'), ('"resolved"', '"no_generation"'))

_CAUSES = {
    **dict.fromkeys(("empty_patch_ids", "no_generation"), "parse"),
    **dict.fromkeys(("error_ids", "no_logs", "install_fail", "reset_failed"), "judge"),
    "incomplete_ids": "provider",
}
"""Lists of instances that are neither resolved nor unresolved: without a patch, or not tested."""


def recognises(path: Path) -> bool:
    """Check whether a file is an object with the lists that a harness of SWE-bench writes."""
    text = (head_text(path) or "").lstrip() if path.is_file() else ""
    return text.startswith("{") and any(all(mark in text for mark in marks) for marks in _MARKS)


def read(path: Path, settings: ReadingSettings) -> LogScores:
    """Read which instances a model resolved; what could not be tested is missing, with its cause."""
    report = read_object(path)
    lists = {name: _ids(value, name, path) for name, value in report.items() if isinstance(value, list)}
    causes = {instance: cause for name, cause in _CAUSES.items() for instance in lists.get(name, ())}
    resolved = {instance for name in ("resolved_ids", "resolved") for instance in lists.get(name, ())}
    instances = sorted({instance for ids in lists.values() for instance in ids})
    if not instances:
        raise InputError(
            "this report only counts instances",
            where=path,
            next_step="Write it with a version of SWE-bench that lists them, such as 'resolved_ids'",
        )
    model = settings.name or _model_of(path)
    answers = [
        Answer(model, instance, 1.0, None)
        if instance in resolved
        else Answer(model, instance, None if instance in causes else 0.0, causes.get(instance))
        for instance in instances
    ]
    missing = sum(answer.missing is not None for answer in answers)
    note = (
        f"{path.name}: {missing} of {len(answers)} instances have no patch or were not tested, and count "
        "as missing; SWE-bench itself counts them as not resolved."
    )
    return LogScores(answers_frame(answers), (note,) if missing else (), limits=(0.0, 1.0))


def _ids(value: list[Any], name: str, path: Path) -> list[str]:
    odd = next((entry for entry in value if not isinstance(entry, str)), None)
    if odd is not None:
        raise InputError(f"expected the ids of instances in {name!r}, got {odd!r:.60}", where=path)
    return value


def _model_of(path: Path) -> str:
    """What stands before the name of the run; of a submission, its folder."""
    if path.stem == "results":
        folders = [part for part in path.absolute().parts[:-1] if part != "results"]
        return folders[-1] if folders else path.stem
    return path.stem.rpartition(".")[0] or path.stem

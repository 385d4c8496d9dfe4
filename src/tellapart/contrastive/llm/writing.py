"""The shell of language models that write summaries: journal, logs and the record of who was asked how."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tellapart.contrastive.llm.summaries import SummaryQuestions, summaries_from, summarise_prompt
from tellapart.contrastive.summaries import Summary
from tellapart.contrastive.unit import Unit
from tellapart.llm.budget import Limits
from tellapart.llm.journal import CallJournal
from tellapart.llm.models import LanguageModel
from tellapart.llm.session import ask_all
from tellapart.store import write_text


@dataclass(frozen=True)
class Writing:
    """What language models wrote.

    Attributes:
        summaries: By model in the order in which they were asked, then by unit.
        missing: Why a summary is missing, by model and unit; every model has an entry.
    """

    summaries: tuple[Summary, ...]
    missing: dict[str, dict[str, str]]


def write_summaries(
    units: Sequence[Unit],
    llms: Sequence[LanguageModel],
    directory: Path,
    limits: Limits,
    progress: Callable[[str], None],
) -> Writing:
    """Let each model write a summary of each unit.

    ``directory`` keeps ``calls.jsonl``, the journal that says what need not be asked again; ``logs``, those
    of Inspect; and ``models.json``, how each model was asked.

    Args:
        units: What they write about.
        llms: Who writes.
        directory: Made where there is none.
        limits: What that may cost, and how many calls run at the same time.
        progress: Told how far it is.
    """
    questions = SummaryQuestions(units)
    summaries: list[Summary] = []
    missing: dict[str, dict[str, str]] = {}
    models: dict[str, Any] = {}
    with CallJournal(directory / "calls.jsonl") as journal:
        for llm in llms:
            found = ask_all(
                questions, llm, journal, logs=directory / "logs", limits=limits, progress=progress
            )
            written, missing[llm.name] = summaries_from(llm.name, found.by_id)
            summaries += written
            models[llm.name] = {"requested": found.requested, "effective": found.effective}
    record = {"prompt": summarise_prompt().sha256, "models": models}
    write_text(directory / "models.json", json.dumps(record, indent=2, sort_keys=True) + "\n")
    return Writing(tuple(summaries), missing)

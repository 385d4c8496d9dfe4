"""``evaluation.json``: the documented fields under their names, ours behind them.

Run A is what the source document calls Opus, run B what it calls Sonnet, whatever explores: the documented
names ``opus_only``, ``sonnet_only`` and ``both_models`` stay, so that programs that read them go on working.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from pydantic import Field, model_validator

from tellapart.codesearch.case import UNCERTAIN
from tellapart.codesearch.results.gold import GoldRecord, GoldSummary
from tellapart.codesearch.results.metrics import Metrics
from tellapart.codesearch.results.types import Bounds, Counts, Number
from tellapart.core.record import StoredRecord


class ExplorationRecord(StoredRecord):
    """What one explorer found; its error is None where it came to an end."""

    model: str
    files_found: tuple[str, ...] = ()
    error: str | None = None
    error_cause: str | None = None
    error_kind: str | None = None

    @property
    def suspect(self) -> bool:
        """Whether it found nothing and reports no error."""
        return not self.files_found and self.error is None


class JudgementRecord(StoredRecord):
    """A verdict; one that failed has a cause, and says not relevant only as the source document wants it."""

    file: str
    relevant: bool
    actionable: str = "no"
    reasoning: str = ""
    fingerprint: str | None = None
    failed_cause: str | None = None
    failed_kind: str | None = None
    failed_detail: str | None = None

    @property
    def failed(self) -> bool:
        """Whether there is no verdict."""
        return self.failed_cause is not None


class SnippetRecord(StoredRecord):
    """A piece of a file that the system showed."""

    file_path: str
    line_start: int | None = None
    line_end: int | None = None
    content: str = ""


class AssessmentRecord(StoredRecord):
    """What the judge says of a search as a whole."""

    scores: Counts = Field(default_factory=dict)
    product_area: str | None = None
    reasoning: str = ""
    failed_cause: str | None = None
    failed_kind: str | None = None
    failed_detail: str | None = None


class CalibrationFiles(StoredRecord):
    """Files of one conversation by which run found them, as documented."""

    opus_only: tuple[str, ...] = ()
    sonnet_only: tuple[str, ...] = ()
    both_models: tuple[str, ...] = ()


class MeasureRecord(StoredRecord):
    """A measure of one conversation: its value, its bounds, and the cause why there is no value."""

    value: Number | None = None
    bounds: Bounds = (None, None)
    missing: str | None = None


class CaseFigures(StoredRecord):
    """Figures of one conversation.

    Attributes:
        precision: As documented, to three decimals.
        measures: Ours, by name, unrounded.
        one_run: Whether the ground truth is that of one exploration, since the other one failed.
    """

    precision: Number | None = None
    recall: Number | None = None
    measures: dict[str, MeasureRecord] = Field(default_factory=dict)
    one_run: bool | None = None


class ConversationRecord(StoredRecord):
    """An issue, what we found for it, and what was made of that."""

    conversation_id: str
    issue_summary: str
    product_area: str = UNCERTAIN
    run_a: ExplorationRecord
    run_b: ExplorationRecord
    ground_truth_files: tuple[str, ...] = ()
    our_files: tuple[str, ...]
    intersection: tuple[str, ...] = ()
    our_unique: tuple[str, ...] = ()
    ground_truth_unique: tuple[str, ...] = ()
    our_unique_judgments: tuple[JudgementRecord, ...] = ()
    precision: Number | None = None
    recall: Number | None = None
    calibration_data: CalibrationFiles | None = None
    classification_confidence: Number | None = None
    search_terms_used: tuple[str, ...] = ()
    search_duration_ms: Number | None = None
    terms_by_file: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    terms_in_files: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    snippets: tuple[SnippetRecord, ...] = ()
    retest_a: ExplorationRecord | None = None
    retest_b: ExplorationRecord | None = None
    assessment: AssessmentRecord | None = None
    repository: str | None = None
    base_commit: str | None = None
    gold: GoldRecord | None = None
    measures: dict[str, MeasureRecord] = Field(default_factory=dict)
    one_run: bool | None = None

    @cached_property
    def in_a(self) -> frozenset[str]:
        """Files that run A found."""
        return frozenset(self.run_a.files_found)

    @cached_property
    def in_b(self) -> frozenset[str]:
        """Files that run B found."""
        return frozenset(self.run_b.files_found)

    @cached_property
    def union(self) -> frozenset[str]:
        """Files that either run found: the ground truth."""
        return self.in_a | self.in_b

    @cached_property
    def ours(self) -> frozenset[str]:
        """Files that we found."""
        return frozenset(self.our_files)

    @cached_property
    def missed(self) -> tuple[str, ...]:
        """Files that a run found and we did not, those of both runs first, then by name."""
        return tuple(sorted(self.union - self.ours, key=lambda file: (not self.in_both(file), file)))

    @cached_property
    def verdicts(self) -> dict[str, JudgementRecord]:
        """What the judge said, by file; failed verdicts among them."""
        return {judgement.file: judgement for judgement in self.our_unique_judgments}

    @cached_property
    def counts(self) -> dict[str, int]:
        """Our files: ``found`` by a run too, and of the others ``relevant``, ``noise`` and ``open``.

        ``open`` are those without a verdict, be it that it failed or that nobody asked for one.
        """
        counts = {"found": len(self.ours & self.union), "relevant": 0, "noise": 0, "open": 0}
        for file in self.ours - self.union:
            verdict = self.verdicts.get(file)
            if verdict is None or verdict.failed:
                counts["open"] += 1
            else:
                counts["relevant" if verdict.relevant else "noise"] += 1
        return counts

    def in_both(self, file: str) -> bool:
        """Whether both runs found a file."""
        return file in self.in_a and file in self.in_b

    @property
    def doubts(self) -> tuple[str, ...]:
        """What is wrong with the runs: sentences; empty where nothing is."""
        doubts = []
        for name, run in (("Run A", self.run_a), ("Run B", self.run_b)):
            if run.error is not None:
                doubts.append(f"{name} ({run.model}) failed: {run.error}")
            elif run.suspect:
                doubts.append(f"{name} ({run.model}) is suspect: it found no file and reports no error")
        return tuple(doubts)


class UnusableRecord(StoredRecord):
    """A conversation that could not be evaluated, and why."""

    conversation_id: str
    why: str


class EvaluationRecord(StoredRecord):
    """One iteration, evaluated.

    Attributes:
        iteration_number: From 1.
        timestamp: As it was written; None where there is none.
        metrics: The figures of the whole.
        gold: System, explorers and judge against the gold files; None where no issue has any.
        conversations: In order.
        further_fields: Of the file, by name, kept as they are; they stand behind the conversations.
        unusable_conversations: Conversations that were left out.
    """

    iteration_number: int | None = None
    timestamp: Any = None
    metrics: Metrics
    gold: GoldSummary | None = None
    conversations: tuple[ConversationRecord, ...] = ()
    further_fields: dict[str, Any] = Field(default_factory=dict, exclude=True)
    warnings: tuple[str, ...] = ()
    unusable_conversations: tuple[UnusableRecord, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _gather_further_fields(cls, data: Any) -> Any:
        """In a file the further fields stand beside the others."""
        if not isinstance(data, dict) or "further_fields" in data:
            return data
        return {**data, "further_fields": {name: data[name] for name in data if name not in cls.model_fields}}

    def to_json(self) -> dict[str, Any]:
        """The record as JSON has it; further fields stand among the others there."""
        record = super().to_json()
        behind = {name: record.pop(name) for name in ("warnings", "unusable_conversations") if name in record}
        return record | self.further_fields | behind


def read_record(text: str) -> EvaluationRecord:
    """Read an evaluation that this program wrote."""
    return EvaluationRecord.model_validate_json(text)

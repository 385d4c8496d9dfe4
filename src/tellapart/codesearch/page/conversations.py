"""Conversations of an evaluation as they were stored, and who stands behind each of their files."""

from __future__ import annotations

from functools import cached_property

from pydantic import BaseModel, ConfigDict, Field

NO_AREA = "uncertain"
"""Product area of a conversation that nobody could place."""


class _Stored(BaseModel):
    # Evaluations of other pipelines hold fields of their own, and rescoring keeps them.
    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)


class Run(_Stored):
    """What one explorer found; its failure is None where it came to an end."""

    model: str
    files_found: tuple[str, ...] = ()
    error: str | None = None
    error_cause: str | None = None
    error_kind: str | None = None

    @property
    def suspect(self) -> bool:
        """Whether it found nothing and reports no error."""
        return not self.files_found and self.error is None


class Judgement(_Stored):
    """A verdict; one that failed has a cause, and says not relevant only as the source document wants it."""

    file: str
    relevant: bool
    actionable: str = "no"
    reasoning: str = ""
    failed_cause: str | None = None
    failed_kind: str | None = None
    failed_detail: str | None = None

    @property
    def failed(self) -> bool:
        """Whether there is no verdict."""
        return self.failed_cause is not None


class Share(_Stored):
    """A measure of one conversation: its value, its bounds, and the cause why there is no value."""

    value: float | None = None
    bounds: tuple[float | None, float | None] = (None, None)
    missing: str | None = None


class Assessment(_Stored):
    """What the judge says of a search as a whole."""

    scores: dict[str, int] = Field(default_factory=dict)
    product_area: str | None = None
    reasoning: str = ""
    failed_cause: str | None = None
    failed_detail: str | None = None


class Conversation(_Stored):
    """An issue, what we found for it, and what was made of that."""

    conversation_id: str
    issue_summary: str
    product_area: str = NO_AREA
    run_a: Run
    run_b: Run
    our_files: tuple[str, ...]
    our_unique_judgments: tuple[Judgement, ...] = ()
    precision: float | None = None
    recall: float | None = None
    classification_confidence: float | None = None
    search_terms_used: tuple[str, ...] = ()
    terms_by_file: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    terms_in_files: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    retest_a: Run | None = None
    retest_b: Run | None = None
    assessment: Assessment | None = None
    measures: dict[str, Share] = Field(default_factory=dict)

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
    def verdicts(self) -> dict[str, Judgement]:
        """What the judge said, by file; failed verdicts among them."""
        return {judgement.file: judgement for judgement in self.our_unique_judgments}

    @cached_property
    def counts(self) -> dict[str, int]:
        """Our files: ``found`` by a run too, and of the others ``relevant``, ``noise`` and ``open``.

        ``open`` are those without a verdict, be it that it failed or that nobody asked for one.
        """
        found = {"found": len(self.ours & self.union), "relevant": 0, "noise": 0, "open": 0}
        for file in self.ours - self.union:
            verdict = self.verdicts.get(file)
            what = (
                "open" if verdict is None or verdict.failed else "relevant" if verdict.relevant else "noise"
            )
            found[what] += 1
        return found

    def in_both(self, file: str) -> bool:
        """Whether both runs found a file."""
        return file in self.in_a and file in self.in_b

    @property
    def doubts(self) -> tuple[str, ...]:
        """What is wrong with the runs: sentences; empty where nothing is."""
        found = []
        for name, run in (("Run A", self.run_a), ("Run B", self.run_b)):
            if run.error is not None:
                found.append(f"{name} ({run.model}) failed: {run.error}")
            elif run.suspect:
                found.append(f"{name} ({run.model}) is suspect: it found no file and reports no error")
        return tuple(found)

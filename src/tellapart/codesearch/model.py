"""Conversations, what was found for them, and their evaluation: each reads and writes its documented JSON.

Run A is what the original pipeline calls Opus, run B what it calls Sonnet, whatever explores; the documented
names ``opus_only``, ``sonnet_only`` and ``both_models`` stay in the JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainSerializer,
    SerializerFunctionWrapHandler,
    StrictBool,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    WrapSerializer,
    computed_field,
    model_serializer,
    model_validator,
)

from tellapart.codesearch.figures import Measure, Number
from tellapart.core.scores import CAUSES
from tellapart.errors import InputError, quoted

if TYPE_CHECKING:
    from tellapart.llm.questions import Failure

RECORDED = "recorded"  # Kind of a failure of which only another pipeline's message is known
UNCERTAIN = "uncertain"  # The product area of a conversation that could not be classified
NOT_JUDGED = "Judge failed to evaluate"
"""The documented fallback's reasoning, by which a failed verdict of another pipeline is recognised."""

Actionable = Literal["yes", "no", "maybe"]


def _is_absent(value: object) -> bool:
    return value is None or value in ((), {})


def _filled(text: str) -> str:
    if not text.strip():
        raise ValueError("is empty")
    return text


def _whole(text: str) -> str:
    """Put the replacement character where a text was cut through the middle of a character."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _id(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _area(value: Any) -> Any:
    return UNCERTAIN if value is None or (isinstance(value, str) and not value.strip()) else value


def _stripped(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


def _actionable(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return "yes" if value else "no"
    return value.strip().lower() if isinstance(value, str) else value


Optional = Field(exclude_if=_is_absent)  # A field that the JSON lacks where there is nothing in it
Text = Annotated[str, AfterValidator(_whole)]
Filled = Annotated[Text, AfterValidator(_filled)]
Id = Annotated[Filled, BeforeValidator(_id)]
Area = Annotated[Text, BeforeValidator(_area), AfterValidator(_stripped)]
Confidence = Annotated[float, Field(ge=0, le=1, strict=True)]
Texts = Annotated[tuple[Text, ...], BeforeValidator(lambda value: () if value is None else value)]
TermsByFile = Annotated[Mapping[str, Texts], BeforeValidator(lambda value: {} if value is None else value)]
Span: TypeAlias = tuple[int, int]  # First and last line, from 1
_SPANS = TypeAdapter(dict[str, tuple[Span, ...]])


def touched_lines(value: object) -> dict[str, tuple[Span, ...]]:
    """Read ``{"repo/path": [[first, last], …]}``; None is none."""
    try:
        by_file = _SPANS.validate_python(value or {})
    except ValidationError:
        by_file = {"": ((1, 0),)}
    if not all(1 <= first <= last for spans in by_file.values() for first, last in spans):
        raise InputError(
            f"'touched_lines' is {quoted(value)}, expected a list of [first, last] lines by file"
        )
    return by_file


LinesByFile = Annotated[Mapping[str, tuple[int, ...]], Field(alias="lines_by_file", exclude_if=_is_absent)]
SortedFiles: TypeAlias = Annotated[frozenset[str], PlainSerializer(sorted, return_type=list[str])]


def _cause(cause: str) -> str:
    return cause if cause in CAUSES else "provider"


@dataclass(frozen=True)
class Failed:
    """A failure of one call or exploration: one of ``core.scores.CAUSES``, what happened exactly, and why."""

    cause: Annotated[str, AfterValidator(_cause)]
    kind: str
    detail: str

    @classmethod
    def of(cls, failure: Failure) -> Failed:
        """Take over what became of a question to a model."""
        return cls(failure.cause, failure.kind, failure.detail)


def _message(error: Any) -> str:
    """A recorded error in words; empty without one."""
    return error if isinstance(error, str) else json.dumps(error) if error else ""


@dataclass(frozen=True)
class Base:
    """The state of a repository before an issue was solved."""

    repository: str
    commit: str


@dataclass(frozen=True)
class Gold:
    """The files that an issue is known to be about, such as those that its fix touched."""

    files: tuple[str, ...]
    absent: tuple[str, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    lines: Annotated[Mapping[str, tuple[Span, ...]], Optional] = field(default_factory=dict)


@dataclass(frozen=True)
class Conversation:
    """One issue to search for."""

    id: Annotated[Id, Field(alias="conversation_id")]
    issue_summary: Filled
    product_area: Area = UNCERTAIN
    classification_confidence: Confidence | None = None
    base: Annotated[Base | None, Optional] = None

    @model_validator(mode="before")
    @classmethod
    def _with_base(cls, data: Any) -> Any:
        return _nested_base(data)

    @model_serializer(mode="wrap")
    def _flat_base(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return _with_flat_base(handler(self))


def _nested_base(data: Any) -> Any:
    if isinstance(data, dict) and data.get("repository") and data.get("base_commit"):
        return {**data, "base": {"repository": data["repository"], "commit": data["base_commit"]}}
    return data


def _with_flat_base(data: dict[str, Any]) -> dict[str, Any]:
    base = data.pop("base", None)
    return data | ({"repository": base["repository"], "base_commit": base["commit"]} if base else {})


@dataclass(frozen=True)
class Snippet:
    """A piece of a file that the system showed; lines are from 1."""

    file: Annotated[str, Field(alias="file_path")]
    content: Text
    line_start: int | None = None
    line_end: int | None = None


@dataclass(frozen=True)
class SearchResult:
    """The answer of the system for one conversation."""

    files: Annotated[tuple[str, ...], Field(alias="files_found")]
    terms: Annotated[Texts, Field(alias="search_terms_used")] = ()
    snippets: Annotated[tuple[Snippet, ...], Optional] = ()
    terms_by_file: TermsByFile = field(default_factory=dict)
    duration_ms: Annotated[Number | None, Field(alias="search_duration_ms", ge=0)] = None
    lines: LinesByFile = field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _in_a_file(cls, data: Any, info: ValidationInfo) -> Any:
        return info.context.search_result(data) if info.context and isinstance(data, dict) else data


@dataclass(frozen=True)
class Searched:
    """A conversation with the gold files that came with it, and the system's answer once there is one."""

    conversation: Conversation
    result: SearchResult = SearchResult(())
    gold: Gold | None = None


@dataclass(frozen=True)
class Unusable:
    """A conversation that cannot be evaluated: its id, or ``#2`` where the second has none, and why."""

    conversation: Annotated[str, Field(alias="conversation_id")]
    why: str = ""


@dataclass(frozen=True)
class SearchResults:
    """Issues to search for, or what the system under test returned for them in one iteration."""

    iteration: int | None
    timestamp: str | None
    searched: tuple[Searched, ...]
    unusable: tuple[Unusable, ...] = ()
    notes: tuple[str, ...] = ()
    system: str | None = None
    at_base: bool = False
    gold_form: str | None = None


@dataclass(frozen=True)
class Explored:
    """What one explorer found for one conversation."""

    explorer: Annotated[str, Field(alias="model")]
    files: Annotated[tuple[str, ...], Field(alias="files_found")]
    failure: Failed | None = None
    usage: Annotated[Mapping[str, int], Field(exclude=True)] = field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _with_failure(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        cause, message, failure = data.get("error_cause"), _message(data.get("error")), None
        if cause is not None:
            failure = Failed(_cause(cause), data.get("error_kind") or "", message)
        elif message:
            failure = Failed("provider", RECORDED, message)
        return {**data, "model": data.get("model") or "unknown", "failure": failure}

    @model_serializer(mode="wrap")
    def _flat_failure(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = handler(self)
        failure = data.pop("failure")
        error = {"error_cause": failure["cause"], "error_kind": failure["kind"]} if failure else {}
        return data | {"error": failure and failure["detail"]} | error

    @property
    def suspect(self) -> bool:
        """Whether it found nothing and reports no error."""
        return not self.files and self.failure is None


@dataclass(frozen=True)
class JudgeVerdict:
    """The judge's verdict on a file that only we found."""

    relevant: StrictBool | None
    actionable: Annotated[Actionable, BeforeValidator(_actionable)] = "no"
    reasoning: Text = ""
    failure: Annotated[Failed | None, Optional] = None
    fingerprint: Annotated[str | None, Optional] = field(default=None, compare=False)

    @model_validator(mode="before")
    @classmethod
    def _with_failure(cls, data: Any) -> Any:
        """Only an error, or the documented fallback text, says that the judge of another pipeline failed."""
        if not isinstance(data, dict) or "relevant" not in data:
            return data
        relevant, reasoning, failure = data["relevant"], data.get("reasoning") or "", data.get("failure")
        fallback = not relevant and isinstance(reasoning, str) and reasoning.strip() == NOT_JUDGED
        if failure is None and (relevant is None or data.get("error") or fallback):
            message = _message(data.get("error")) or reasoning or "no verdict is recorded"
            failure = Failed("judge", RECORDED, message)
        if failure is None:
            return {**data, "reasoning": reasoning}
        return {**data, "relevant": None, "reasoning": "", "failure": failure}

    @model_serializer(mode="wrap")
    def _with_fallback(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = handler(self)
        fallback = {"reasoning": NOT_JUDGED} if self.failure else {}
        return data | {"relevant": bool(self.relevant)} | fallback


@dataclass(frozen=True)
class Assessment:
    """The judge's assessment of a search as a whole."""

    scores: Mapping[str, Annotated[int, Field(ge=1, le=5)]]
    product_area: str | None = None
    reasoning: Text = ""
    failure: Annotated[Failed | None, Optional] = None


def _by_file(judgements: Any) -> Any:
    if not isinstance(judgements, list):
        return judgements
    return {judgement.get("file", ""): judgement for judgement in judgements if isinstance(judgement, dict)}


def _as_list(verdicts: Any, handler: SerializerFunctionWrapHandler) -> list[dict[str, Any]]:
    return [{"file": file} | verdict for file, verdict in sorted(handler(verdicts).items())]


Verdicts = Annotated[Mapping[str, JudgeVerdict], BeforeValidator(_by_file), WrapSerializer(_as_list)]
"""By file; the JSON has a list."""


@dataclass(frozen=True)
class Rest:
    """The files that nobody returned for a conversation, and a random sample of them."""

    files: Mapping[str, int]
    sampled: Mapping[str, tuple[str, ...]]
    verdicts: Annotated[Verdicts, Field(alias="judgments")] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Case(SearchResult, Conversation):
    """A conversation with the system's answer that has been explored, and judged as far as was asked for."""

    run_a: Explored
    run_b: Explored
    files: Annotated[tuple[str, ...], Field(alias="our_files")]
    verdicts: Annotated[Verdicts, Field(alias="our_unique_judgments")] = field(default_factory=dict)
    retest_a: Annotated[Explored | None, Optional] = None
    retest_b: Annotated[Explored | None, Optional] = None
    assessment: Annotated[Assessment | None, Optional] = None
    gold: Annotated[Gold | None, Optional] = None
    rest: Annotated[Rest | None, Field(alias="unreturned", exclude_if=_is_absent)] = None
    precision: Number | None = field(default=None, compare=False)
    recall: Number | None = field(default=None, compare=False)
    measures: Mapping[str, Measure] = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, search: Searched, run_a: Explored, run_b: Explored, **fields: Any) -> Case:
        """Put a search and its two explorations together."""
        known = vars(search.conversation) | vars(search.result) | fields
        return cls(**known, run_a=run_a, run_b=run_b)

    @model_validator(mode="before")
    @classmethod
    def _in_a_file(cls, data: Any, info: ValidationInfo) -> Any:
        data = _nested_base(data)
        return info.context.case(data) if info.context and isinstance(data, dict) else data

    @model_serializer(mode="wrap")
    def _flat_base(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return _with_flat_base(handler(self))

    @cached_property
    def ours(self) -> frozenset[str]:
        """Files that we found."""
        return frozenset(self.files)

    @computed_field(alias="ground_truth_files")  # type: ignore[prop-decorator]
    @cached_property
    def ground_truth(self) -> SortedFiles:
        """Files that either exploration found: their union."""
        return frozenset(self.run_a.files) | frozenset(self.run_b.files)

    @cached_property
    def in_both_runs(self) -> frozenset[str]:
        """Files that both explorations found."""
        return frozenset(self.run_a.files) & frozenset(self.run_b.files)

    @computed_field  # type: ignore[prop-decorator]
    @cached_property
    def intersection(self) -> SortedFiles:
        """Files that we found and an exploration too."""
        return self.ours & self.ground_truth

    @computed_field  # type: ignore[prop-decorator]
    @cached_property
    def our_unique(self) -> SortedFiles:
        """Files that only we found."""
        return self.ours - self.ground_truth

    @computed_field  # type: ignore[prop-decorator]
    @cached_property
    def ground_truth_unique(self) -> SortedFiles:
        """Files that we missed."""
        return self.ground_truth - self.ours

    @computed_field  # type: ignore[prop-decorator]
    @property
    def calibration_data(self) -> dict[str, list[str]]:
        """Files by which run found them, as documented."""
        a, b = set(self.run_a.files), set(self.run_b.files)
        return {"opus_only": sorted(a - b), "sonnet_only": sorted(b - a), "both_models": sorted(a & b)}

    @cached_property
    def to_judge(self) -> frozenset[str]:
        """Files that a judge rules on: those that only we found, and a sample of those that nobody did."""
        drawn = self.rest.sampled.values() if self.rest else ()
        return self.our_unique.union(*drawn)

    @cached_property
    def every_verdict(self) -> Mapping[str, JudgeVerdict]:
        """By file, the verdicts on those that the system found, and on the sample of what nobody did."""
        return {**self.verdicts, **(self.rest.verdicts if self.rest else {})}

    def judged(self, verdicts: Mapping[str, JudgeVerdict]) -> Case:
        """The same with verdicts on what it found, and on the sample of what nobody returned."""
        parts: tuple[dict[str, JudgeVerdict], dict[str, JudgeVerdict]] = {}, {}
        sampled = {file for files in (self.rest.sampled.values() if self.rest else ()) for file in files}
        for file, verdict in verdicts.items():
            parts[file in sampled][file] = verdict
        return replace(self, verdicts=parts[0], rest=self.rest and replace(self.rest, verdicts=parts[1]))

    @cached_property
    def our_unique_relevant(self) -> frozenset[str]:
        """Files that only we found and the judge calls relevant."""
        return frozenset(file for file in self.our_unique if self._verdict(file) is True)

    @cached_property
    def without_verdict(self) -> frozenset[str]:
        """Files that only we found and that have no verdict, because it failed or was not asked for."""
        return frozenset(file for file in self.our_unique if self._verdict(file) is None)

    def _verdict(self, file: str) -> bool | None:
        verdict = self.verdicts.get(file)
        return verdict.relevant if verdict else None


def sorted_cases(cases: Iterable[Case]) -> list[Case]:
    """Sort cases by the ids of their conversations, so that figures do not depend on the input's order."""
    return sorted(cases, key=lambda case: case.id)

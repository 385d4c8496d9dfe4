"""A conversation as it was played: the documented JSON, read and written by its own form."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from pydantic import (
    AliasChoices,
    AliasGenerator,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    StringConstraints,
    TypeAdapter,
    model_serializer,
    model_validator,
)
from pydantic.alias_generators import to_camel, to_snake

from tellapart.core.scores import CAUSES
from tellapart.errors import near_match
from tellapart.longcontext.case import LONGEST_ID, CaseStep, StepType

Control = Literal["closed-book", "oracle"]

SUITE = "longcontext"

RESULTS_FILE = "artifacts/experiment-results.json"

REPEAT = "REPEAT: "

_KEYS = {
    **{"id": "step_id", "type": "step_type", "response": "assistant_response", "tool_calls": "steps"},
    **{"name": "case_name", "system": "system_prompt"},
    "cache_hit_tokens": "prompt_cache_hit_tokens",
    "cache_miss_tokens": "prompt_cache_miss_tokens",
    "cache_written_tokens": "prompt_cache_write_tokens",
}
"""Fields whose documented key is another word."""

_SUMS = ("totalMessages", "peakTokens", "totalSteps", "failedSteps")


def _config(written: Callable[[str], str]) -> ConfigDict:
    """Keys are read in camelCase and snake_case; keys that are not known belong to others."""

    def both(name: str) -> AliasChoices:
        key = _KEYS.get(name, name)
        return AliasChoices(to_camel(key), key)

    names = AliasGenerator(
        validation_alias=both, serialization_alias=lambda name: written(_KEYS.get(name, name))
    )
    return ConfigDict(alias_generator=names, extra="ignore", coerce_numbers_to_str=True)


def _lower(value: Any) -> Any:
    return value.strip().lower() if isinstance(value, str) else value


def _cause(value: Any) -> Any:
    if value is not None and _lower(value) not in CAUSES:
        raise ValueError(f"is no known cause. {near_match(str(value), CAUSES)}".removesuffix("."))
    return _lower(value)


def _kept(data: dict[str, Any], *optional: str) -> dict[str, Any]:
    """Leave out keys that the documented form lacks, where they say nothing."""
    return {key: value for key, value in data.items() if value or key not in optional}


_TYPES: dict[str, StepType] = {"M": "message", "C": "checkpoint", "V": "verification"}

Count = Annotated[int, Field(ge=0, lt=2**63)]
_Unwritten = Field(exclude=True)
"""Of what no file has; a key of the same name is somebody else's."""


@dataclass(frozen=True)
class Usage:
    """Tokens of one call; a prompt is the whole conversation, cached parts included."""

    __pydantic_config__ = _config(str)

    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None
    total_tokens: Count | None = None
    cache_hit_tokens: Count | None = None
    cache_miss_tokens: Count | None = None
    cache_written_tokens: Count | None = None

    @property
    def both(self) -> int | None:
        """Tokens of prompt and reply together, as far as they are known; None where neither is."""
        parts = [n for n in (self.prompt_tokens, self.completion_tokens) if n is not None]
        return self.total_tokens if self.total_tokens is not None else sum(parts) if parts else None

    @model_serializer(mode="wrap")
    def _written(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return _kept(write(self), "prompt_cache_write_tokens")


@dataclass(frozen=True)
class PlayedStep:
    """One user turn and what came back; without a response ``cause`` or ``http_status`` says why.

    ``conversation_length`` counts messages after this step, without the system prompt. A forked step is in
    nothing that later steps were sent, and a given response stands in the case. With ``own_history`` the
    usage is of models inside a system, and says nothing of the context.
    """

    __pydantic_config__ = _config(to_camel)

    id: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_ID)]
    type: Annotated[StepType, BeforeValidator(_lower)]
    failure_mode: Annotated[str | None, BeforeValidator(lambda mode: mode or None)] = None
    user_message: str = ""
    response: str | None = None
    usage: Usage | None = None
    http_status: Count | None = None
    error_message: str | None = None
    conversation_length: Count | None = None
    timestamp: Count | None = None
    forked: bool = False
    cause: Annotated[str | None, BeforeValidator(_cause)] = None
    given: bool = False
    stop_reason: str | None = None
    tool_calls: tuple[Mapping[str, Any], ...] = field(default=(), hash=False)
    own_history: Annotated[bool, _Unwritten, BeforeValidator(lambda _: False)] = False
    sent: Annotated[int | None, _Unwritten, BeforeValidator(lambda _: None)] = field(
        default=None, compare=False
    )

    @model_validator(mode="before")
    @classmethod
    def _typed(cls, data: Any) -> Any:
        """Where the type is not stated, the id may begin with it; a reply under another key is refused."""
        if not isinstance(data, dict):
            return data
        if "response" in data and not {"assistantResponse", "assistant_response"} & data.keys():
            raise ValueError("has a 'response', expected 'assistantResponse'")
        if not (data.get("stepType") or data.get("step_type")):
            kind = _TYPES.get(str(data.get("stepId") or data.get("step_id"))[:1].upper())
            return {**data, "stepType": kind} if kind else data
        return data

    @model_serializer(mode="wrap")
    def _written(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return _kept(write(self), "forked", "cause", "given", "stopReason", "steps")

    @property
    def shown(self) -> str:
        """What it gives to remember: what was sent, and below it the response where that is given."""
        return f"{self.user_message}\n\n{self.response}" if self.given else self.user_message

    @property
    def is_probe(self) -> bool:
        """Whether it is graded."""
        return self.type != "message"

    @property
    def is_repeat(self) -> bool:
        """Whether it repeats an earlier message."""
        return self.type == "message" and "-R" in self.id

    @property
    def prompt_tokens(self) -> int | None:
        """Tokens of the context, measured; None where it was not measured."""
        return self.usage.prompt_tokens if self.usage and not self.own_history else None


def _left(value: Any) -> CaseStep:
    """A step that was not reached, and what it would have said."""
    step: PlayedStep = TypeAdapter(PlayedStep).validate_python(value)
    return CaseStep(step.id, step.type, step.user_message, step.failure_mode)


@dataclass(frozen=True)
class PlayedCase:
    """One conversation as it was played; ``recorded`` are the sums that stand in the record itself.

    ``system`` is None where the record does not hold it, as those of other programs do not. What was not
    reached, since the conversation stopped before it, is ``not_asked``.
    """

    __pydantic_config__ = _config(to_camel)

    name: Annotated[str, StringConstraints(max_length=300)]
    steps: tuple[PlayedStep, ...]
    system: str | None = None
    model: str = ""
    epoch: Count = 0
    recorded: Annotated[tuple[tuple[str, Count], ...], _Unwritten] = ()
    control: Annotated[Control | None, BeforeValidator(_lower)] = None
    not_asked: Annotated[tuple[Annotated[CaseStep, BeforeValidator(_left)], ...], _Unwritten] = ()
    own_history: bool = False
    started_at: Count | None = None
    finished_at: Count | None = None

    def __post_init__(self) -> None:
        """Its steps know as well that a system keeps the history."""
        if self.own_history and not all(step.own_history for step in self.steps):
            object.__setattr__(self, "steps", tuple(replace(step, own_history=True) for step in self.steps))

    @model_validator(mode="before")
    @classmethod
    def _summed(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        sums = [(key, data.get(key, data.get(to_snake(key)))) for key in _SUMS]
        return {**data, "recorded": [(key, n) for key, n in sums if type(n) is int and n >= 0]}

    @model_serializer(mode="wrap")
    def _written(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data = write(self)
        answered = any(step.response is not None for step in self.steps)
        log = list(self._log(data["steps"]))
        written = {
            **{key: data[key] for key in ("caseName", "model", "epoch", "systemPrompt")},
            **{key: data[key] for key in ("control", "ownHistory", "steps")},
            "conversationLog": log,
            "totalMessages": len(log),
            "peakTokens": self.peak_tokens if answered or self.own_history else 0,
            "totalSteps": len(self.steps),
            "failedSteps": sum(step.response is None for step in self.steps),
            **{key: data[key] for key in ("startedAt", "finishedAt")},
            "notAsked": [
                {"stepId": s.id, "stepType": s.type, "failureMode": s.failure_mode, "userMessage": s.text}
                for s in self.not_asked
            ],
        }
        return _kept(written, "control", "ownHistory", "notAsked")

    def _log(self, steps: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        """What the conversation holds, in order; forks are not in it."""
        for step, data in zip(self.steps, steps, strict=True):
            if step.forked or step.response is None:
                continue
            of_step = {key: data[key] for key in ("stepId", "stepType")}
            user = {"role": "user", "content": step.user_message, **of_step}
            yield user | {"usage": None, "timestamp": step.sent}
            reply = {"role": "assistant", "content": step.response, **of_step}
            yield reply | {"usage": data["usage"], "timestamp": step.timestamp}

    @property
    def probes(self) -> tuple[PlayedStep, ...]:
        """Steps that are graded."""
        return tuple(step for step in self.steps if step.is_probe)

    @property
    def peak_tokens(self) -> int | None:
        """The most tokens of one call, prompt and reply together; a system's own calls are not counted."""
        usages = (step.usage for step in self.steps if not step.own_history)
        return max((usage.both for usage in usages if usage and usage.both), default=None)

    def before(self, position: int) -> list[PlayedStep]:
        """The steps that the conversation held when the one at ``position`` was asked."""
        return [s for s in self.steps[:position] if not s.forked and s.response is not None]

    def material(self, position: int) -> list[str]:
        """The texts that messages had shown when the step at ``position`` was asked."""
        return [step.shown for step in self.before(position) if not step.is_probe]


@dataclass(frozen=True)
class Results:
    """All that a file of results holds; ``notes`` say what was read otherwise than it is written."""

    __pydantic_config__ = _config(to_camel)

    cases: Sequence[PlayedCase]
    generated_at: Count | None = None
    source: Annotated[str, _Unwritten, BeforeValidator(lambda _: "")] = ""
    notes: Annotated[tuple[str, ...], _Unwritten, BeforeValidator(lambda _: ())] = ()


def results_json(cases: Sequence[PlayedCase]) -> dict[str, Any]:
    """Give the documented form, with some keys more; every time is that of a call."""
    moments = [case.finished_at for case in cases if case.finished_at is not None]
    results = Results(cases, max(moments, default=None))
    data: dict[str, Any] = TypeAdapter(Results).dump_python(results, by_alias=True, mode="json")
    return data

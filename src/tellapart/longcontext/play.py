"""One conversation, played step by step, and the results file that is written of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from tellapart.core.score_notes import Looks
from tellapart.llm.calls import TurnFacts
from tellapart.llm.conversation import Conversation, Speaker, TokenCounts, TurnReply
from tellapart.llm.models import Respondent
from tellapart.longcontext.case import Case, CaseStep
from tellapart.longcontext.plan import Alone, Playing, plan
from tellapart.longcontext.tokens import estimated
from tellapart.longcontext.transcript import Control, PlayedCase, PlayedStep, Usage

OnStep = Callable[["LiveConversation", PlayedStep], None]
"""Called with every step as it is played."""


@dataclass(frozen=True)
class Turn:
    """One line of the log of a conversation.

    Attributes:
        role: ``user`` or ``assistant``.
        timestamp: When it was sent or received, in milliseconds since 1970.
    """

    role: str
    content: str
    step: PlayedStep
    timestamp: int | None


@dataclass
class LiveConversation:
    """A conversation as it is being played.

    Attributes:
        model: Who answers.
        epoch: Which attempt at the same case, from 0.
        control: See ``PlayedCase``.
        steps: Those that were played, in order.
        log: What the conversation holds, in order; forks are not in it.
        stop_reasons: By position of a step, why its reply ended, where that is not of itself.
        tool_calls: By position of a step, what a system did before it replied, as it reports it.
        not_asked: Steps that were not reached, since it stopped before.
        started_at: When its first call was sent; None before.
        own_history: Whether a system that keeps the history itself was spoken to.
    """

    name: str
    system: str | None
    model: str
    epoch: int
    control: Control | None = None
    steps: list[PlayedStep] = field(default_factory=list)
    log: list[Turn] = field(default_factory=list)
    stop_reasons: dict[int, str] = field(default_factory=dict)
    not_asked: list[CaseStep] = field(default_factory=list)
    started_at: int | None = None
    own_history: bool = False
    tool_calls: dict[int, Sequence[Mapping[str, Any]]] = field(default_factory=dict)

    @property
    def finished_at(self) -> int | None:
        """When the last call came back, in milliseconds since 1970; None where none was made."""
        return max((step.timestamp for step in self.steps if step.timestamp is not None), default=None)

    @property
    def played(self) -> PlayedCase:
        """The same as a reader of the results has it."""
        return PlayedCase(
            self.name,
            tuple(self.steps),
            self.system,
            self.model,
            self.epoch,
            self.started_at,
            self.finished_at,
            control=self.control,
        )


class _Player:
    """Plays the steps of one case, and knows what the conversation holds."""

    def __init__(
        self, conversation: LiveConversation, begun: Conversation, speaker: Speaker, on_step: OnStep
    ) -> None:
        self.live = conversation
        self._conversation, self._speaker, self._on_step = begun, speaker, on_step
        self._peak = self._given = 0

    async def play(self, steps: Iterable[CaseStep], *, fork: bool) -> bool:
        """Play steps; False where the conversation stops, and then what is left is noted."""
        steps = iter(steps)
        for step in steps:
            if not await self.ask(step, self._conversation, fork=fork and step.is_probe):
                self.live.not_asked += steps
                return False
        return True

    async def ask(self, step: CaseStep, before: Conversation, *, fork: bool) -> bool:
        """Play one step after what ``before`` holds; False where it stops the conversation."""
        if step.reply is not None and not before.own_history:
            return self._show(step, step.reply)
        request_kind: Literal["message", "probe"] = "probe" if step.is_probe else "message"
        kind: Literal["message", "probe", "history"] = request_kind if step.reply is None else "history"
        facts = TurnFacts(step.id, kind, step.session, step.date, step.reply)
        reply, grown = await self._speaker.say(before, step.text, f"{self.live.name}/{step.id}", facts)
        if not fork:
            self._conversation = grown
        played = played_step(
            step, reply, length=len(self._conversation.turns), forked=fork, own_history=before.own_history
        )
        if reply.tool_calls:
            self.live.tool_calls[len(self.live.steps)] = reply.tool_calls
        if reply.stop_reason not in (None, "stop"):
            self.live.stop_reasons[len(self.live.steps)] = str(reply.stop_reason)
        self.live.steps.append(played)
        if self.live.started_at is None:
            self.live.started_at = reply.sent_ms
        if reply.text is not None and not fork:
            self.live.log += [
                Turn("user", step.text, played, reply.sent_ms),
                Turn("assistant", reply.text, played, reply.received_ms),
            ]
        self._see(reply, grown)
        self._on_step(self.live, played)
        return not stops(step, reply)

    def _show(self, step: CaseStep, reply: str) -> bool:
        """Put a message with the reply that is given into the conversation; nobody is asked."""
        self._conversation = self._conversation.with_given(step.text, reply)
        played = PlayedStep(
            step.id,
            step.type,
            step.failure_mode,
            step.text,
            reply,
            conversation_length=len(self._conversation.turns),
            given=True,
        )
        self.live.steps.append(played)
        self.live.log += [Turn("user", step.text, played, None), Turn("assistant", reply, played, None)]
        self._given += estimated(step.text) + estimated(reply)
        self._peak = max(self._peak, self._given)
        self._on_step(self.live, played)
        return True

    def _see(self, reply: TurnReply, grown: Conversation) -> None:
        if reply.tokens is not None and not grown.own_history:
            self._peak = max(self._peak, reply.tokens.prompt + reply.tokens.completion)
        elif reply.text is not None:
            # Nobody counts the whole conversation, so that a guess must do to know when to stop repeating.
            self._peak = max(self._peak, sum(estimated(text) for _, text in grown.turns))

    def short_of(self, target: int) -> bool:
        """Whether no call had as many tokens, prompt and reply together."""
        return self._peak < target


async def play(
    case: Case,
    playing: Playing,
    model: Respondent,
    speaker: Speaker,
    *,
    epoch: int = 0,
    on_step: OnStep = lambda *_: None,
) -> LiveConversation:
    """Play a case as one conversation.

    A message whose reply is given is put into the conversation with it, and no call is made for it.
    An error of the provider stops it: nothing can be asked of what was never said. So does a message that
    got an empty reply, since neither an empty turn nor two user turns in a row can be sent. A probe with an
    empty reply is taken back like a failed one, and the conversation goes on without it. A reply that was
    cut off, or that refuses, is a reply like any other.
    """
    steps = plan(case, playing)
    conversation = LiveConversation(case.name, case.system, model.name, epoch, own_history=model.own_history)
    begun = Conversation.begin(model, case.system or None, replica=epoch, name=case.name)
    player = _Player(conversation, begun, speaker, on_step)
    fork, target = playing.fork_probes, playing.target_tokens
    going = await player.play(steps.opening, fork=fork)
    for repeat in steps.repeats if going and target is not None else ():
        if not player.short_of(target or 0):
            break
        going = await player.play([repeat], fork=False)
        if not going:
            break
    if going:
        await player.play(steps.closing, fork=fork)
    else:
        conversation.not_asked += steps.closing
    return conversation


async def play_alone(
    case: Case,
    control: Control,
    probes: Sequence[Alone],
    model: Respondent,
    speaker: Speaker,
    *,
    epoch: int = 0,
    on_step: OnStep = lambda *_: None,
) -> LiveConversation:
    """Ask each probe in a conversation of its own, in which nothing came before; see ``plan``.

    A probe that cannot be asked is noted as ``infeasible``. An error of the provider stops only its probe.
    """
    conversation = LiveConversation(
        case.name, case.system, model.name, epoch, control, own_history=model.own_history
    )
    begun = Conversation.begin(model, case.system or None, replica=epoch)
    player = _Player(conversation, begun, speaker, on_step)
    for alone in probes:
        if alone.step is not None:
            name = f"{case.name}/{alone.step.id} {control}"
            begun = Conversation.begin(model, case.system or None, replica=epoch, name=name)
            await player.ask(alone.step, begun, fork=True)
        else:
            step = PlayedStep(
                alone.probe.id,
                alone.probe.type,
                alone.probe.failure_mode,
                alone.probe.text,
                None,
                error_message=alone.why,
                conversation_length=0,
                forked=True,
                cause="infeasible",
            )
            conversation.steps.append(step)
            on_step(conversation, step)
    return conversation


def stops(step: CaseStep, reply: TurnReply) -> bool:
    """Whether a conversation cannot go on after what came back of a step; see ``play``."""
    if reply.text is not None:
        return False
    return not step.is_probe or reply.stop_reason is None


def played_step(
    step: CaseStep, reply: TurnReply, *, length: int, forked: bool, own_history: bool = False
) -> PlayedStep:
    """Write down what came back."""
    why = reply.failure
    return PlayedStep(
        step.id,
        step.type,
        step.failure_mode,
        step.text,
        reply.text,
        _usage(reply.tokens),
        reply.status,
        why.detail if why else None,
        length,
        reply.received_ms,
        forked,
        why.cause if why else None,
        given=step.reply is not None and reply.text is not None,
        own_history=own_history,
    )


def _usage(tokens: TokenCounts | None) -> Usage | None:
    if tokens is None:
        return None
    both = tokens.prompt + tokens.completion
    caches = (tokens.cache_hit, tokens.cache_miss, tokens.cache_written)
    return Usage(tokens.prompt, tokens.completion, both, *caches)


def results_json(conversations: Sequence[LiveConversation], looks: Looks | None = None) -> dict[str, Any]:
    """Give the documented form, and after its keys what it lacks.

    Every time is that of a call, ``generatedAt`` that of the last one: the same calls give the same file.
    Further keys are those of a case (``model``, ``epoch``, ``systemPrompt``, ``control``, ``ownHistory``,
    ``notAsked``), of a step (``forked``, ``cause``, ``given``, ``stopReason``, ``steps``), of a usage
    (``prompt_cache_write_tokens``), and ``looks`` of a run that stops when models are told apart.
    """
    moments = [live.finished_at for live in conversations if live.finished_at is not None]
    return {
        "cases": [_case_json(live) for live in conversations],
        "generatedAt": max(moments, default=None),
        **({"looks": looks.model_dump(mode="json")} if looks else {}),
    }


def _case_json(conversation: LiveConversation) -> dict[str, Any]:
    control = {"control": conversation.control} if conversation.control else {}
    own_history = {"ownHistory": True} if conversation.own_history else {}
    left = [
        {"stepId": s.id, "stepType": s.type, "failureMode": s.failure_mode, "userMessage": s.text}
        for s in conversation.not_asked
    ]
    return {
        "caseName": conversation.name,
        "model": conversation.model,
        "epoch": conversation.epoch,
        "systemPrompt": conversation.system,
        **control,
        **own_history,
        "steps": [
            _step_json(step, conversation.stop_reasons.get(i), conversation.tool_calls.get(i, ()))
            for i, step in enumerate(conversation.steps)
        ],
        "conversationLog": [_turn_json(turn) for turn in conversation.log],
        "totalMessages": len(conversation.log),
        "peakTokens": _peak(conversation),
        "totalSteps": len(conversation.steps),
        "failedSteps": sum(step.response is None for step in conversation.steps),
        "startedAt": conversation.started_at,
        "finishedAt": conversation.finished_at,
        **({"notAsked": left} if left else {}),
    }


def _peak(conversation: LiveConversation) -> int | None:
    """The most tokens of one call: 0 where none was answered, None where the context was not counted."""
    answered = any(step.response is not None for step in conversation.steps)
    return conversation.played.peak_tokens if answered or conversation.own_history else 0


def _step_json(
    step: PlayedStep, stop_reason: str | None, tool_calls: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    return {
        "stepId": step.id,
        "stepType": step.type,
        "failureMode": step.failure_mode,
        "userMessage": step.user_message,
        "assistantResponse": step.response,
        "usage": _usage_json(step.usage),
        "httpStatus": step.http_status,
        "errorMessage": step.error_message,
        "conversationLength": step.conversation_length,
        "timestamp": step.timestamp,
        **({"forked": True} if step.forked else {}),
        **({"cause": step.cause} if step.cause else {}),
        **({"given": True} if step.given else {}),
        **({"stopReason": stop_reason} if stop_reason else {}),
        **({"steps": [dict(call) for call in tool_calls]} if tool_calls else {}),
    }


def _turn_json(turn: Turn) -> dict[str, Any]:
    return {
        "role": turn.role,
        "content": turn.content,
        "stepId": turn.step.id,
        "stepType": turn.step.type,
        "usage": _usage_json(turn.step.usage) if turn.role == "assistant" else None,
        "timestamp": turn.timestamp,
    }


def _usage_json(usage: Usage | None) -> dict[str, int | None] | None:
    if usage is None:
        return None
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.total_tokens,
        "prompt_cache_hit_tokens": usage.cache_hit_tokens,
        "prompt_cache_miss_tokens": usage.cache_miss_tokens,
        **({"prompt_cache_write_tokens": written} if (written := usage.cache_written_tokens) else {}),
    }

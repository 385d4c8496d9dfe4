"""One conversation, played step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Literal

from tellapart.llm.calls import TurnFacts
from tellapart.llm.conversation import Conversation, Speaker, TokenCounts, TurnReply
from tellapart.llm.models import Respondent
from tellapart.llm.reasoning import without_reasoning
from tellapart.longcontext.case import Case, CaseStep, StepType
from tellapart.longcontext.plan import Alone, Playing, plan
from tellapart.longcontext.tokens import estimated
from tellapart.longcontext.transcript import Control, PlayedCase, PlayedStep, Usage

OnStep = Callable[[PlayedCase, PlayedStep], None]
"""Called with every step as it is played, and the conversation so far."""


class _Player:
    """Plays the steps of one case, and knows what the conversation holds."""

    def __init__(
        self,
        case: Case,
        model: Respondent,
        epoch: int,
        speaker: Speaker,
        on_step: OnStep,
        control: Control | None = None,
    ) -> None:
        self._case, self._model, self._epoch, self._control = case, model, epoch, control
        self.steps: list[PlayedStep] = []
        self.not_asked: list[CaseStep] = []
        self._conversation = self.begun(case.name)
        self._speaker, self._on_step = speaker, on_step
        self._peak = self._given = 0

    @property
    def played(self) -> PlayedCase:
        """The conversation so far."""
        return PlayedCase(
            self._case.name,
            tuple(self.steps),
            self._case.system,
            self._model.name,
            self._epoch,
            control=self._control,
            not_asked=tuple(self.not_asked),
            own_history=self._model.own_history,
            started_at=next((step.sent for step in self.steps if step.sent is not None), None),
            finished_at=max((s.timestamp for s in self.steps if s.timestamp is not None), default=None),
        )

    def begun(self, name: str) -> Conversation:
        """A conversation in which nothing was said."""
        return Conversation.begin(self._model, self._case.system or None, replica=self._epoch, name=name)

    async def play(self, steps: Iterable[CaseStep], *, fork: bool) -> bool:
        """Play steps; False where the conversation stops, and then what is left is noted."""
        steps = iter(steps)
        for step in steps:
            if not await self.ask(step, self._conversation, fork=fork and step.is_probe):
                self.not_asked += steps
                return False
        return True

    async def ask(self, step: CaseStep, before: Conversation, *, fork: bool) -> bool:
        """Play one step after what ``before`` holds; False where it stops the conversation."""
        if step.reply is not None and not before.own_history:
            self._show(step, step.reply)
            return True
        kind: Literal["message", "probe", "history"] = "probe" if step.is_probe else "message"
        facts = TurnFacts(
            step.id, kind if step.reply is None else "history", step.session, step.date, step.reply
        )
        reply, grown = await self._speaker.say(before, step.text, f"{self._case.name}/{step.id}", facts)
        if not fork:
            self._conversation = grown
        self.add(
            played_step(
                step, reply, length=len(self._conversation.turns), forked=fork, own_history=before.own_history
            )
        )
        if reply.tokens is not None and not grown.own_history:
            self._peak = max(self._peak, reply.tokens.prompt + reply.tokens.completion)
        elif reply.text is not None:
            # Nobody counts the whole conversation, so that a guess must do to know when to stop repeating.
            self._peak = max(self._peak, sum(estimated(text) for _, text in grown.turns))
        return not stops(step, reply)

    def _show(self, step: CaseStep, reply: str) -> None:
        """Put a message with the reply that is given into the conversation; nobody is asked."""
        self._conversation = self._conversation.with_given(step.text, reply)
        self._given += estimated(step.text) + estimated(reply)
        self._peak = max(self._peak, self._given)
        length = len(self._conversation.turns)
        self.add(PlayedStep(*_of(step), reply, conversation_length=length, given=True))

    def add(self, step: PlayedStep) -> None:
        """Note a step and report it."""
        self.steps.append(step)
        self._on_step(self.played, step)

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
) -> PlayedCase:
    """Play a case as one conversation.

    A message whose reply is given is put into the conversation with it, and no call is made for it.
    An error of the provider stops it: nothing can be asked of what was never said. So does a message that
    got an empty reply, since neither an empty turn nor two user turns in a row can be sent. A probe with an
    empty reply is taken back like a failed one, and the conversation goes on without it. A reply that was
    cut off, or that refuses, is a reply like any other.
    """
    steps = plan(case, playing)
    player = _Player(case, model, epoch, speaker, on_step)
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
        player.not_asked += steps.closing
    return player.played


async def play_alone(
    case: Case,
    control: Control,
    probes: Sequence[Alone],
    model: Respondent,
    speaker: Speaker,
    *,
    epoch: int = 0,
    on_step: OnStep = lambda *_: None,
) -> PlayedCase:
    """Ask each probe in a conversation of its own, in which nothing came before; see ``plan``.

    A probe that cannot be asked is noted as ``infeasible``. An error of the provider stops only its probe.
    """
    player = _Player(case, model, epoch, speaker, on_step, control)
    for alone in probes:
        if alone.step is not None:
            await player.ask(alone.step, player.begun(f"{case.name}/{alone.step.id} {control}"), fork=True)
        else:
            step = PlayedStep(*_of(alone.probe), error_message=alone.why, conversation_length=0)
            player.add(replace(step, forked=True, cause="infeasible"))
    return player.played


def stops(step: CaseStep, reply: TurnReply) -> bool:
    """Whether a conversation cannot go on after what came back of a step; see ``play``."""
    if reply.text is not None:
        return False
    return not step.is_probe or reply.stop_reason is None


def played_step(
    step: CaseStep, reply: TurnReply, *, length: int, forked: bool, own_history: bool = False
) -> PlayedStep:
    """Write down what came back; of a probe the answer that is graded, without reasoning."""
    why = reply.failure
    return PlayedStep(
        *_of(step),
        without_reasoning(reply.text) if step.is_probe and reply.text else reply.text,
        _usage(reply.tokens),
        reply.status,
        why.detail if why else None,
        length,
        reply.received_ms,
        forked,
        why.cause if why else None,
        given=step.reply is not None and reply.text is not None,
        stop_reason=None if reply.stop_reason == "stop" else reply.stop_reason,
        tool_calls=reply.tool_calls,
        own_history=own_history,
        sent=reply.sent_ms,
    )


def _of(step: CaseStep) -> tuple[str, StepType, str | None, str]:
    return step.id, step.type, step.failure_mode, step.text


def _usage(tokens: TokenCounts | None) -> Usage | None:
    if tokens is None:
        return None
    both = tokens.prompt + tokens.completion
    caches = (tokens.cache_hit, tokens.cache_miss, tokens.cache_written)
    return Usage(tokens.prompt, tokens.completion, both, *caches)

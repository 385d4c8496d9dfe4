"""One conversation, played step by step, or each of its probes alone as a control."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from tellapart.llm.calls import TurnFacts
from tellapart.llm.conversation import Conversation, Speaker, TokenCounts, TurnReply
from tellapart.llm.models import Respondent
from tellapart.llm.reasoning import without_reasoning
from tellapart.longcontext.case import AnswerKey, Case, CaseStep
from tellapart.longcontext.design import Playing
from tellapart.longcontext.probes import kind_of, sources
from tellapart.longcontext.tokens import estimated
from tellapart.longcontext.transcript import REPEAT, Control, PlayedCase, PlayedStep, Usage

MAX_REPEATS = 20
"""Most rounds of repeated messages."""

OnStep = Callable[[PlayedCase, PlayedStep], None]
"""Called with every step as it is played, and the conversation so far."""


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

    An error of the provider stops it, and so does a message with an empty reply, since neither an empty turn
    nor two user turns in a row can be sent. A probe with an empty reply is taken back, and the rest goes on.
    """
    player = _Player(case, model, speaker, epoch, on_step)
    await player.play(playing)
    return player.played


async def play_alone(
    case: Case,
    control: Control,
    key: AnswerKey | None,
    model: Respondent,
    speaker: Speaker,
    *,
    epoch: int = 0,
    on_step: OnStep = lambda *_: None,
) -> PlayedCase:
    """Ask each probe in a conversation of its own: with nothing before it, or with its evidence alone."""
    player = _Player(case, model, speaker, epoch, on_step, control)
    for probe in case.probes:
        alone = _with_evidence(case, probe, key) if control == "oracle" else probe
        if isinstance(alone, CaseStep):
            await player.ask(alone, player.begun(f"{case.name}/{probe.id} {control}"), fork=True)
        else:
            step = PlayedStep(*probe.turn, error_message=alone, conversation_length=0, forked=True)
            player.add(replace(step, cause="infeasible"))
    return player.played


def _with_evidence(case: Case, probe: CaseStep, key: AnswerKey | None) -> CaseStep | str:
    """The probe below its evidence, or why it cannot be asked."""
    expected = probe.expected or (key.expected(case.name, probe.id) if key else None)
    shown = sources(case, probe, expected)
    if shown or kind_of(probe.failure_mode, expected).of_system:
        return replace(probe, text="\n\n".join([*(message.shown for message in shown), probe.text]))
    why = "no right answer is known" if expected is None else "no message holds its evidence"
    return f"not asked: {why}"


@dataclass
class _Player:
    """Plays the steps of one case, and knows what the conversation holds."""

    case: Case
    model: Respondent
    speaker: Speaker
    epoch: int
    on_step: OnStep
    control: Control | None = None
    steps: list[PlayedStep] = field(default_factory=list)
    not_asked: list[CaseStep] = field(default_factory=list)
    conversation: Conversation = field(init=False)
    stopped: bool = False
    peak: int = 0
    given: int = 0

    def __post_init__(self) -> None:
        """Begin the conversation."""
        self.conversation = self.begun(self.case.name)

    @property
    def played(self) -> PlayedCase:
        """The conversation so far."""
        return PlayedCase(
            self.case.name,
            tuple(self.steps),
            self.case.system,
            self.model.name,
            self.epoch,
            control=self.control,
            not_asked=tuple(self.not_asked),
            own_history=self.model.own_history,
            started_at=next((step.sent for step in self.steps if step.sent is not None), None),
            finished_at=max((s.timestamp for s in self.steps if s.timestamp is not None), default=None),
        )

    def begun(self, name: str) -> Conversation:
        """A conversation in which nothing was said."""
        return Conversation.begin(self.model, self.case.system or None, replica=self.epoch, name=name)

    async def play(self, playing: Playing) -> None:
        """Play all steps until the conversation stops; what is left is noted."""
        for step in self._planned(playing):
            if self.stopped:
                self.not_asked.append(step)
            else:
                fork = playing.fork_probes and step.is_probe
                self.stopped = not await self.ask(step, self.conversation, fork=fork)

    def _planned(self, playing: Playing) -> Iterator[CaseStep]:
        case, target = self.case, playing.target_tokens
        last = target is not None and playing.probes_last
        yield from case.messages if last else case.steps
        if target is not None:
            for number in range(1, MAX_REPEATS + 1):
                for message in case.messages:
                    # The longest call is prompt and reply together.
                    if self.stopped or self.peak >= target:
                        break
                    text = REPEAT + message.text
                    yield replace(message, id=f"{message.id}-R{number}", text=text, session=None, date=None)
        yield from case.probes if last else ()

    async def ask(self, step: CaseStep, before: Conversation, *, fork: bool) -> bool:
        """Play one step after what ``before`` holds; False where it stops the conversation."""
        if step.reply is not None and not before.own_history:
            self._show(step, step.reply)
            return True
        kind: Literal["message", "probe", "history"] = "probe" if step.is_probe else "message"
        kind = kind if step.reply is None else "history"
        facts = TurnFacts(step.id, kind, step.session, step.date, step.reply)
        reply, grown = await self.speaker.say(before, step.text, f"{self.case.name}/{step.id}", facts)
        if not fork:
            self.conversation = grown
        length = len(self.conversation.turns)
        self.add(_played_step(step, reply, length, forked=fork, own_history=before.own_history))
        if reply.tokens is not None and not grown.own_history:
            self.peak = max(self.peak, reply.tokens.prompt + reply.tokens.completion)
        elif reply.text is not None:
            # Nobody counts the whole conversation, so that a guess must do to know when to stop repeating.
            self.peak = max(self.peak, sum(estimated(text) for _, text in grown.turns))
        return reply.text is not None or (step.is_probe and reply.stop_reason is not None)

    def _show(self, step: CaseStep, reply: str) -> None:
        """Put a message with the reply that is given into the conversation; nobody is asked."""
        self.conversation = self.conversation.with_given(step.text, reply)
        self.given += estimated(step.text) + estimated(reply)
        self.peak = max(self.peak, self.given)
        length = len(self.conversation.turns)
        self.add(PlayedStep(*step.turn, reply, conversation_length=length, given=True))

    def add(self, step: PlayedStep) -> None:
        """Note a step and report it."""
        self.steps.append(step)
        self.on_step(self.played, step)


def _played_step(
    step: CaseStep, reply: TurnReply, length: int, *, forked: bool, own_history: bool
) -> PlayedStep:
    """Write down what came back; of a probe the answer that is graded, without reasoning."""
    why = reply.failure
    return PlayedStep(
        *step.turn,
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


def _usage(tokens: TokenCounts | None) -> Usage | None:
    if tokens is None:
        return None
    both = tokens.prompt + tokens.completion
    return Usage(
        tokens.prompt, tokens.completion, both, tokens.cache_hit, tokens.cache_miss, tokens.cache_written
    )

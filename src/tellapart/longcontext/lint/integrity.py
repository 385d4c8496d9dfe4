"""Whether the record is what happened, and whether probes have answers, which code can grade."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tellapart.longcontext.case import AnswerKey, Case, CaseStep, Expected, item_of
from tellapart.longcontext.lint.findings import listed, percent
from tellapart.longcontext.lint.inputs import LintedConversation, LintInputs
from tellapart.longcontext.probes import kind_of
from tellapart.longcontext.results import Finding
from tellapart.longcontext.transcript import PlayedCase, PlayedStep, Results
from tellapart.longcontext.truncation import Truncation, scan


def truncation(inputs: LintInputs) -> Iterator[Finding]:
    """Errors: where a conversation was cut without notice; warnings: where nobody can know.

    For information: assistants, which need not send the whole conversation to any model.
    """
    for conversation in _played(inputs):
        if any(step.own_history for step in conversation.played.steps):
            message = (
                "an assistant kept the history itself: what it lost of it is unknown, not clean, and only "
                "its answers show it"
            )
            yield Finding("info", "truncation", conversation.name, None, message + conversation.which)
            continue
        cuts = scan(conversation.played)
        for cut in cuts.truncations:
            yield Finding(
                "error", "truncation", conversation.name, cut.step_id, _cut(cut) + conversation.which
            )
        for step_id in cuts.unknown:
            message = (
                "no usable token count here or before: whether the context was cut is unknown, not clean"
            )
            yield Finding("warning", "truncation", conversation.name, step_id, message + conversation.which)


def roles(inputs: LintInputs) -> Iterator[Finding]:
    """Errors: a user turn right after another one, whose reply never came."""
    for conversation in _played(inputs):
        dangling: str | None = None
        length = 0
        for step in conversation.played.steps:
            now = step.conversation_length
            if step.forked or now is None:
                continue
            if dangling and now > length:
                message = (
                    f"two user turns in a row: {dangling} got no reply and stayed in the "
                    f"conversation{conversation.which}. Providers merge or refuse that; take a failed turn "
                    "back, or stop there"
                )
                yield Finding("error", "roles", conversation.name, step.id, message)
            dangling = step.id if step.response is None and now > length else None
            length = now


def summary(inputs: LintInputs) -> Iterator[Finding]:
    """Warnings: sums of the record that its own rows do not give."""
    for conversation in _played(inputs):
        rows = _sums(conversation.played)
        differ = [
            f"{name} is recorded as {value:,}, and its steps give {rows[name]:,}"
            for name, value in conversation.played.recorded
            if rows.get(name) is not None and rows[name] != value
        ]
        if differ:
            message = f"{listed(differ)}{conversation.which}: figures here come from the steps only"
            yield Finding("warning", "summary", conversation.name, None, message)


def _played(inputs: LintInputs) -> list[LintedConversation]:
    return [conversation for conversation in inputs.conversations if not conversation.planned]


def _cut(cut: Truncation) -> str:
    lasting = f", and again at {cut.steps - 1} steps up to {cut.last_step_id}" if cut.steps > 1 else ""
    return (
        f"silently truncated ({cut.rule}): {cut.prompt_tokens:,} prompt tokens after "
        f"{cut.previous_prompt_tokens:,}, where about {cut.expected_prompt_tokens:,} were to be sent"
        f"{lasting}. Answers from here on rest on part of the conversation"
    )


def _sums(played: PlayedCase) -> dict[str, int]:
    lengths = [step.conversation_length for step in played.steps if not step.forked]
    sums = {
        "totalSteps": len(played.steps),
        "failedSteps": sum(step.response is None for step in played.steps),
        "peakTokens": played.peak_tokens or 0,
    }
    noted = [length for length in lengths if length is not None]
    return {**sums, "totalMessages": max(noted)} if noted else sums


def same_item(inputs: LintInputs) -> Iterator[Finding]:
    """Warnings: probes that ask the same and are one item together."""
    by_item: dict[str, dict[str, str]] = {}
    for conversation in inputs.conversations:
        for step in conversation.played.probes:
            by_item.setdefault(item_of(step.user_message), {}).setdefault(step.id, conversation.name)
    for steps in by_item.values():
        for step_id, case in steps.items():
            if len(steps) > 1:
                message = (
                    f"asked {len(steps)} times ({listed(list(steps), 10)}): right answers to one question "
                    "are one item, however many they are. Ask for other facts as well"
                )
                yield Finding("warning", "same-item", case, step_id, message)


def answers(inputs: LintInputs) -> Iterator[Finding]:
    """Warnings: probes without an answer; information: answers without a probe, and steps of no case."""
    if inputs.key.by_id or inputs.key.by_case:
        alone = unmatched(inputs.cases, inputs.key)
        played = unmatched(inputs.results, inputs.key)
        for case, step_id in dict.fromkeys((*alone.probes, *played.probes)):
            message = "no answer is known: it cannot be graded. Add one to the answers"
            yield Finding("warning", "answers", case, step_id, message)
        nobody = [id_ for id_ in alone.answers if id_ in played.answers or not inputs.results]
        if not inputs.cases:
            nobody = list(played.answers)
        for id_ in nobody:
            name, _, step_id = id_.rpartition("/")
            message = "this answer has no probe among what is given"
            yield Finding("info", "answers", name or None, step_id, message)
    for case, step_id in unknown_steps(inputs.results, inputs.cases):
        yield Finding(
            "warning", "answers", case, step_id, "this step was played, but none of the given cases has it"
        )


@dataclass(frozen=True)
class Unmatched:
    """What has no partner.

    Attributes:
        probes: Case and id of each probe that cannot be graded, see ``probes.ProbeKind``, in the order of
            the cases.
        answers: Ids of answers, as the key has them, that no probe asks for; of one that stands beside its
            probe ``CASE/ID``.
    """

    probes: tuple[tuple[str, str], ...]
    answers: tuple[str, ...]


def unmatched(sources: Sequence[Case] | Sequence[Results], key: AnswerKey) -> Unmatched:
    """Find probes without an answer and answers without a probe; what was not reached is a probe as well."""
    steps = tuple(_probes(sources))
    probes = dict.fromkeys((case, step.id) for case, step in steps)
    without = dict.fromkeys(
        (case, step.id) for case, step in steps if not _can_grade(step, key.expected(case, step.id))
    )
    probe_ids = {(case, id_.casefold()) for case, id_ in probes}
    ids = {id_ for _, id_ in probe_ids} | {id_.casefold() for _, id_ in key.by_case}
    alone = [id_ for id_ in key.by_id if id_.casefold() not in ids]
    alone += [f"{case}/{id_}" for case, id_ in key.by_case if (case, id_.casefold()) not in probe_ids]
    return Unmatched(tuple(without), tuple(alone))


def _can_grade(step: CaseStep | PlayedStep, expected: Expected | None) -> bool:
    return kind_of(step.failure_mode, expected).can_grade(expected)


def _probes(sources: Iterable[Case | Results]) -> Iterator[tuple[str, CaseStep | PlayedStep]]:
    for source in sources:
        cases: Sequence[Case | PlayedCase] = source.cases if isinstance(source, Results) else [source]
        for case in cases:
            left = [s for s in case.not_asked if s.is_probe] if isinstance(case, PlayedCase) else []
            yield from ((case.name, step) for step in (*case.probes, *left))


def unknown_steps(results: Sequence[Results], cases: Sequence[Case]) -> tuple[tuple[str, str], ...]:
    """Find steps that were played but that no case has.

    A step may stand in any of the cases, as one may continue another; a repeat is the step that it repeats.
    """
    case_steps = {step.id.casefold() for case in cases for step in case.steps}
    played = (
        (case.name, step.id)
        for part in results
        for case in part.cases
        for step in case.steps
        if not {step.id.partition("-R")[0].casefold(), step.id.casefold()} & case_steps
    )
    return tuple(dict.fromkeys(played)) if case_steps else ()


def decidable_of(inputs: LintInputs) -> dict[tuple[str, str], bool]:
    """Whether code can grade each probe that has an answer, by case and step."""
    return {
        (conversation.name, probe.step.id): probe.decidable
        for conversation in inputs.conversations
        for probe in conversation.probes
        if probe.expected is not None and probe.can_be_graded
    }


def decidable_rows(inputs: LintInputs) -> list[dict[str, object]]:
    """The same for scripts, a row for each probe, in the form of findings."""
    return [
        {
            "severity": "info",
            "check": "decidable",
            "case": case,
            "step": step,
            "decidable": can,
            "message": "code can grade it" if can else "a judge or a person must grade it",
        }
        for (case, step), can in decidable_of(inputs).items()
    ]


def gradable(inputs: LintInputs) -> Iterator[Finding]:
    """Warnings: probes that a judge or a person must grade, with their share."""
    decidable = decidable_of(inputs)
    left = sum(not can for can in decidable.values())
    for (case, step), can in decidable.items():
        if not can:
            message = (
                "code cannot grade it, as the right answer can be said in other words; this holds of "
                f"{percent(left, len(decidable))} of all probes. Name a judge when you grade, or let "
                "the key hold nothing but the value that is asked for"
            )
            yield Finding("warning", "gradable", case, step, message)

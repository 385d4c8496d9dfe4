"""Whether a right answer shows memory: evidence was shown, and far away; nothing gives it away; controls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tellapart.core.severity import Severity
from tellapart.longcontext.case import Case, item_of
from tellapart.longcontext.defaults import TOKENS_A_CHARACTER
from tellapart.longcontext.grades import Grade
from tellapart.longcontext.grading.graders import grade_by_rules
from tellapart.longcontext.lint.findings import finding, listed, plain
from tellapart.longcontext.lint.inputs import LintedConversation, LintInputs
from tellapart.longcontext.probes import Needs, Probe, locations, probes_of
from tellapart.longcontext.results import Finding
from tellapart.longcontext.rules.refusals import refuses
from tellapart.longcontext.transcript import REPEAT, PlayedCase, PlayedStep


def answerability(inputs: LintInputs) -> Iterator[Finding]:
    """Errors: probes of whose evidence something was never shown in their own conversation.

    Warnings: amounts, dates and times that were not shown as such, as an answer may have to be computed.

    Without an answer, a probe that refers to an entry that was never shown. A denial of what no text could
    show is answerable, and so is a rule of a system prompt that the record does not hold. A question of early
    and late whose early side was never shown measures nothing.
    """
    for conversation in inputs.conversations:
        for probe in conversation.probes:
            if (
                probe.step.response is not None
                and probe.evidence.missing
                and not _excused(conversation, probe)
            ):
                message = _message(inputs.cases, conversation, probe)
                severity: Severity = "error"
                if _may_be_computed(probe):
                    severity = "warning"
                    message = f"not found as such; it may be computed. If it is not: {message}"
                yield Finding(severity, "answerability", conversation.name, probe.step.id, message)
            elif probe.step.response is not None and (
                message := _not_measurable(inputs.cases, conversation, probe)
            ):
                yield Finding("error", "answerability", conversation.name, probe.step.id, message)


def _excused(conversation: LintedConversation, probe: Probe) -> bool:
    needs = probe.needs
    if needs.how == "system":
        return conversation.played.system is None
    return all(part.denies and not part.entities for part in needs.parts)


def _may_be_computed(probe: Probe) -> bool:
    """Whether only amounts, dates and times are missing, as of a sum, a difference, a count or a span."""
    missing = [part for part in probe.needs.parts if part.name in probe.evidence.missing]
    return bool(missing) and all(
        part.facts
        and not part.entities
        and all(fact.kind in ("number", "date", "time") for fact in part.facts)
        for part in missing
    )


def _message(cases: Sequence[Case], conversation: LintedConversation, probe: Probe) -> str:
    needs = probe.needs
    if needs.how == "system":
        return (
            f"nothing before this question forbids {needs.banned!r}: the check measures nothing. Put the "
            "rule into the system prompt"
        )
    missing = probe.evidence.missing
    if len(missing) == len(needs.parts):
        what = f"never provided: no earlier message of this conversation shows {listed(missing)}"
        why = "no model can answer, and a wrong answer says nothing about its memory"
    else:
        what = f"{len(missing)} of {len(needs.parts)} never provided: {listed(missing)}"
        why = "no model can answer in full"
    without = replace(needs, parts=tuple(part for part in needs.parts if part.name in missing))
    return f"{what}; {why}. {_remedy(cases, conversation, probe, without)}"


def _not_measurable(cases: Sequence[Case], conversation: LintedConversation, probe: Probe) -> str:
    parts = probe.kind.never_shown(probe.key, probe.material)
    if not parts:
        return ""
    names = listed([part.name for part in parts])
    remedy = _remedy(cases, conversation, probe, Needs(parts, "any"))
    return f"not measurable: no earlier message of this conversation shows {names}. {remedy}"


def _remedy(cases: Sequence[Case], conversation: LintedConversation, probe: Probe, needs: Needs) -> str:
    later = [step for step in probe.later if not step.is_probe]
    held = _held([step.shown for step in later], needs)
    if held:
        ids = [later[index].id for index in held]
        return f"{listed(ids)} shows it only after the question: ask later"
    for case in cases:
        if case.name == conversation.name:
            continue
        held = _held([message.shown for message in case.messages], needs)
        if held:
            ids = [case.messages[index].id for index in held]
            file = case.source.rpartition("/")[2] or case.name
            return f"{case.name} holds it ({listed(ids)}): run and lint with --continues {file}"
    return "Show it first, or leave the probe out"


def _held(texts: Sequence[str], needs: Needs) -> list[int]:
    """Which texts hold all of it, or any where that will do; none where it is missing."""
    located, missing = locations(texts, needs)
    return [] if missing and needs.how == "all" else sorted({held.index for held in located})


def self_leak(inputs: LintInputs) -> Iterator[Finding]:
    """Warnings: answers that an earlier reply has, or will have; errors: that the question itself has."""
    for conversation in inputs.conversations:
        for probe in conversation.probes:
            if probe.expected and probe.kind.gives_away(probe.step.user_message, probe.expected):
                message = "the question states its own answer: ask without it"
                yield Finding("error", "self-leak", conversation.name, probe.step.id, message)
            elif conversation.planned:
                yield from _planned(conversation, probe)
            else:
                yield from _played(conversation, probe)


def _played(conversation: LintedConversation, probe: Probe) -> Iterator[Finding]:
    leaks = probe.evidence.leaks
    if not leaks:
        return
    by_probe = not {step.id for step in conversation.played.probes}.isdisjoint(leaks)
    advice = "run with --fork-probes" if by_probe else "let the message ask for something else"
    pattern = (
        "the reply to {replies} already states the answer: the model may repeat itself instead of "
        f"remembering the source; {advice}"
    )
    replies = listed(leaks)
    yield finding("warning", "self-leak", conversation.name, probe.step.id, pattern, replies=replies)


def _planned(conversation: LintedConversation, probe: Probe) -> Iterator[Finding]:
    """The same question, asked earlier in the same conversation."""
    if probe.kind.of_system:
        return
    item = item_of(probe.step.user_message)
    same = [step.id for step in probe.earlier if step.is_probe and item_of(step.user_message) == item]
    if same:
        pattern = (
            "{earlier} asked the same before, and its reply stays in the conversation: the model may repeat "
            "itself instead of remembering the source; run with --fork-probes"
        )
        yield finding("warning", "self-leak", conversation.name, probe.step.id, pattern, earlier=same[0])


def controls(inputs: LintInputs) -> Iterator[Finding]:
    """Errors: probes that are right without any context, or wrong with nothing but their evidence.

    Questions of a word that is forbidden and of which entry is named have no right answer that could be
    guessed, and what was never said is rightly not known without context: they are
    left out. Results without any control are reported once.
    """
    graded = {probe.place: probe.grade for probe in inputs.graded or () if probe.case.control}
    for played in inputs.controls:
        for probe in probes_of(played, inputs.key, TOKENS_A_CHARACTER):
            if not probe.kind.one_answer or refuses(probe.key.answer or ""):
                continue
            model, *place = probe.place
            names = (model, f"{model} ({played.control})")
            grades = (graded.get((name, *place)) for name in names)  # type: ignore[arg-type]
            grade = next(filter(None, grades), None)
            if grade is None:
                grade = grade_by_rules(probe.step, probe.expected, probe.material)
            yield from _finding(played, probe.step, grade)
    if inputs.results and not inputs.controls:
        message = (
            "no control was run: whether the probes can be guessed, or answered at all, is not known. Run "
            "with --control closed-book and --control oracle"
        )
        yield Finding("info", "controls", None, None, message)


def _finding(played: PlayedCase, step: PlayedStep, grade: Grade) -> Iterator[Finding]:
    value = grade.value
    who = f" by {played.model}" if played.model else ""
    if played.control == "closed-book" and value == 1:
        message = f"guessable: answered right{who} without any context. A right answer is no sign of memory"
        yield Finding("error", "controls", played.name, step.id, message)
    elif played.control == "oracle" and value is not None and value < 1:
        what = "wrong" if value == 0 else "only partly right"
        message = (
            f"not answerable even with the evidence alone: {what}{who} ({grade.category}). Look at the "
            "question, the expected answer and the evidence before blaming the length"
        )
        yield Finding("error" if value == 0 else "warning", "controls", played.name, step.id, message)


_PASTED = 10
"""A copy counts as pasted next to the question where the original is as many times farther away."""


def distance(inputs: LintInputs) -> Iterator[Finding]:
    """Information: the nearest evidence of each probe, beside the length of the context."""
    for conversation in inputs.conversations:
        for probe in conversation.probes:
            evidence = probe.evidence
            if evidence.nearest is None or evidence.distance_tokens is None or evidence.depth is None:
                continue
            called = "the system prompt" if evidence.nearest == "system" else evidence.nearest
            about = "" if probe.step.prompt_tokens is not None else "~"
            message = (
                f"evidence in {called}, ~{evidence.distance_tokens:,} tokens before the question; context "
                f"{about}{probe.context_tokens:,}, depth {100 * evidence.depth:.0f} %{conversation.which}"
            )
            tokens: dict[str, int | float | str] = {"distance_tokens": evidence.distance_tokens}
            yield Finding("info", "distance", conversation.name, probe.step.id, message, figures=tokens)


def repeats(inputs: LintInputs) -> Iterator[Finding]:
    """Evidence that stands in several messages; an error where it was pasted again next to the question."""
    for conversation in inputs.conversations:
        steps = {step.id: step for step in conversation.played.steps}
        for probe in conversation.probes:
            shown = probe.evidence.shown_in
            near, first = probe.evidence.distance_tokens, probe.evidence.first_distance_tokens
            if len(shown) < 2 or near is None or first is None:
                continue
            copy = steps.get(shown[-1])
            repeated = copy is not None and (copy.is_repeat or copy.user_message.startswith(REPEAT.strip()))
            yield finding(
                _severity(repeated, near, first),
                "repeats",
                conversation.name,
                probe.step.id,
                "the evidence stands in {messages} messages ({span}): the nearest is ~{nearest_tokens} "
                f"tokens before the question, the first ~{{first_tokens}}{plain(conversation.which)}. "
                "Read the result at {nearest_tokens} tokens, whatever the context"
                f"{'' if repeated else '; to test the distance, show it once'}",
                messages=len(shown),
                span=f"{shown[0]} … {shown[-1]}",
                nearest_tokens=near,
                first_tokens=first,
            )


def _severity(repeated: bool, near: int, first: int) -> Severity:
    return "error" if not repeated and near * _PASTED < first else "warning"

"""Whether a right answer shows memory: evidence was shown, and far away; nothing gives it away; controls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tellapart.core.severity import Severity
from tellapart.longcontext.case import Case, item_of
from tellapart.longcontext.defaults import TOKENS_A_CHARACTER
from tellapart.longcontext.lint.inputs import LintedConversation, LintInputs
from tellapart.longcontext.probes import Needs, Probe, grade_by_rules, locations, probes_of
from tellapart.longcontext.results import Finding
from tellapart.longcontext.rules.polarity import refuses
from tellapart.longcontext.transcript import REPEAT
from tellapart.report.numbers import listed

_MOST = 6


def answerability(inputs: LintInputs) -> Iterator[Finding]:
    """Errors: probes of whose evidence something was never shown in their own conversation.

    Warnings: amounts, dates and times that were not shown as such, as an answer may have to be computed.
    """
    for conversation, probe in inputs.probes:
        if probe.step.response is None:
            continue
        if not probe.evidence.missing or _excused(conversation, probe):
            continue
        severity: Severity = "error"
        message = _message(inputs.cases, probe)
        if _may_be_computed(probe):
            severity = "warning"
            message = f"not found as such; it may be computed. If it is not: {message}"
        yield Finding(severity, "answerability", conversation.name, probe.step.id, message)


def _excused(conversation: LintedConversation, probe: Probe) -> bool:
    if probe.needs.banned:
        return conversation.played.system is None
    return all(part.denies and not part.entities for part in probe.needs.parts)


def _may_be_computed(probe: Probe) -> bool:
    """Whether only amounts, dates and times are missing, as of a sum, a difference, a count or a span."""
    missing = [part for part in probe.needs.parts if part.name in probe.evidence.missing]
    kinds = ("number", "date", "time")
    return bool(missing) and all(
        part.facts and not part.entities and all(fact.kind in kinds for fact in part.facts)
        for part in missing
    )


def _message(cases: Sequence[Case], probe: Probe) -> str:
    needs, missing = probe.needs, probe.evidence.missing
    if needs.banned:
        return (
            f"nothing before this question forbids {needs.banned!r}: the check measures nothing. Put the "
            "rule into the system prompt"
        )
    what = f"{len(missing)} of {len(needs.parts)} never provided: {listed(missing, most=_MOST)}"
    why = "no model can answer in full"
    if len(missing) == len(needs.parts):
        what = f"never provided: no earlier message of this conversation shows {listed(missing, most=_MOST)}"
        why = "no model can answer"
    without = replace(needs, parts=tuple(part for part in needs.parts if part.name in missing))
    return f"{what}; {why}. {_remedy(cases, probe, without)}"


def _remedy(cases: Sequence[Case], probe: Probe, needs: Needs) -> str:
    later = [step for step in probe.later if not step.is_probe]
    if held := _held([step.shown for step in later], needs):
        return (
            f"{listed([later[i].id for i in held], most=_MOST)} shows it only after the question: ask later"
        )
    for case in cases:
        held = _held([message.shown for message in case.messages], needs)
        if held and case.name != probe.case.name:
            ids = listed([case.messages[index].id for index in held], most=_MOST)
            file = case.source.rpartition("/")[2] or case.name
            return f"{case.name} holds it ({ids}): run and lint with --continues {file}"
    return "Show it first, or leave the probe out"


def _held(texts: Sequence[str], needs: Needs) -> list[int]:
    """Which texts hold all of it; none where any is missing."""
    located, missing = locations(texts, needs)
    return [] if missing else sorted({held.index for held in located})


_MAY_REPEAT = "the model may repeat itself instead of remembering the source"


def self_leak(inputs: LintInputs) -> Iterator[Finding]:
    """Warnings: answers that an earlier reply has, or will have; errors: that the question itself has."""
    for conversation, probe in inputs.probes:
        step, leaks = probe.step, probe.evidence.leaks
        if probe.expected and probe.kind.gives_away(step.user_message, probe.expected):
            message = "the question states its own answer: ask without it"
            yield Finding("error", "self-leak", conversation.name, step.id, message)
            continue
        advice = "run with --fork-probes"
        if conversation.planned:
            item = item_of(step.user_message)
            same = [s.id for s in probe.earlier if s.is_probe and item_of(s.user_message) == item]
            if not same or probe.kind.of_system:
                continue
            message = f"{same[0]} asked the same before, and its reply stays in the conversation"
        elif leaks:
            message = f"the reply to {listed(leaks, most=_MOST)} already states the answer"
            if {step.id for step in conversation.played.probes}.isdisjoint(leaks):
                advice = "let the message ask for something else"
        else:
            continue
        yield conversation.finds("self-leak", "warning", step.id, message, f"{_MAY_REPEAT}; {advice}")


def controls(inputs: LintInputs) -> Iterator[Finding]:
    """Errors: probes that are right without any context, or wrong with nothing but their evidence."""
    graded = {probe.place: probe.grade for probe in inputs.graded if probe.case.control}
    for played in inputs.controls:
        by = f" by {played.model}" if played.model else ""
        for probe in probes_of(played, inputs.key, TOKENS_A_CHARACTER):
            if not probe.kind.one_answer or refuses(probe.key.answer or ""):
                continue
            model, case, epoch, step = probe.place
            names = (model, f"{model} ({played.control})")
            grade = next(filter(None, (graded.get((name, case, epoch, step)) for name in names)), None)
            grade = grade or grade_by_rules(probe.step, probe.expected, probe.material)
            severity: Severity = "error"
            if played.control == "closed-book" and grade.value == 1:
                message = f"guessable: answered right{by} without any context"
            elif played.control == "oracle" and grade.value is not None and grade.value < 1:
                severity = "warning" if grade.value else "error"
                message = (
                    f"not answerable even with the evidence alone: {grade.category}{by}. Look at the "
                    "question, the expected answer and the evidence before blaming the length"
                )
            else:
                continue
            yield Finding(severity, "controls", case, step, message)
    if inputs.results and not inputs.controls:
        message = (
            "no control was run: whether the probes can be guessed, or answered at all, is not known. Run "
            "with --control closed-book and --control oracle"
        )
        yield Finding("info", "controls", None, None, message)


def distance(inputs: LintInputs) -> Iterator[Finding]:
    """Information: the nearest evidence of each probe, beside the length of the context."""
    for conversation, probe in inputs.probes:
        evidence = probe.evidence
        if evidence.nearest is None or evidence.distance_tokens is None or evidence.depth is None:
            continue
        called = "the system prompt" if evidence.nearest == "system" else evidence.nearest
        about = "" if probe.step.prompt_tokens is not None else "~"
        message = (
            f"evidence in {called}, ~{evidence.distance_tokens:,} tokens before the question; context "
            f"{about}{probe.context_tokens:,}, depth {100 * evidence.depth:.0f} %"
        )
        yield conversation.finds("distance", "info", probe.step.id, message)


_PASTED = 10
"""A copy counts as pasted next to the question where the original is as many times farther away."""


def repeats(inputs: LintInputs) -> Iterator[Finding]:
    """Evidence that stands in several messages; an error where it was pasted again next to the question."""
    for conversation, probe in inputs.probes:
        shown = probe.evidence.shown_in
        near, first = probe.evidence.distance_tokens, probe.evidence.first_distance_tokens
        if len(shown) < 2 or near is None or first is None:
            continue
        copies = [step for step in conversation.played.steps if step.id == shown[-1]]
        repeated = any(copy.is_repeat or copy.user_message.startswith(REPEAT.strip()) for copy in copies)
        remedy = (
            "read the result at the distance of the nearest, whatever the context"
            f"{'' if repeated else '; to test the distance, show it once'}"
        )
        message = (
            f"the evidence stands in {len(shown)} messages ({shown[0]} … {shown[-1]}), the nearest ~{near:,} "
            f"tokens before the question, the first ~{first:,}"
        )
        severity: Severity = "error" if not repeated and near * _PASTED < first else "warning"
        yield conversation.finds("repeats", severity, probe.step.id, message, remedy)

"""What is asked again and again: the same question, and whether a banned word is used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeAlias

from tellapart.longcontext.case import ORIGINAL, about
from tellapart.longcontext.page import scores
from tellapart.longcontext.page.view import View
from tellapart.longcontext.probes import KINDS
from tellapart.longcontext.results import ProbeRecord
from tellapart.report import numbers as show
from tellapart.report.browser import clipped
from tellapart.report.document import Section
from tellapart.report.figures import FIGURES
from tellapart.report.tables import Cell, Table, undefined

_LONGEST_ANSWER = 300

Group: TypeAlias = tuple[ProbeRecord, ...]
"""What one model was asked at one place, over all epochs."""

Columns: TypeAlias = dict[str, Callable[[Group], Cell | str]]


def dilution_section(view: View) -> Section | None:
    """The question that is asked most often."""
    groups = most_asked(view)
    if not groups:
        return None
    text = f"The same question, asked {times_asked(groups)} times: “{question_of(groups)}”"
    return Section("dilution", "Dilution", text, tables=(dilution(view, groups),), in_terminal=True)


def sink_section(view: View) -> Section | None:
    """The banned word."""
    groups = sink_probes(view)
    if not groups:
        return None
    text = "Whether a rule of the system prompt is still followed. Graded by rules, no model."
    return Section("sink", "Attention sink", text, tables=(sink(view, groups),))


def _grouped(view: View, probes: Sequence[ProbeRecord]) -> list[Group]:
    """Group probes by place, in the order in which they were asked, and there by model."""
    groups: dict[tuple[str, str], dict[str, list[ProbeRecord]]] = {}
    for probe in probes:
        groups.setdefault((probe.case, probe.step_id), {}).setdefault(probe.model, []).append(probe)
    return [tuple(of[model]) for of in groups.values() for model in view.models if model in of]


def most_asked(view: View) -> list[Group]:
    """Probes with the question that is asked at most places, the first of several; empty without repeats."""
    by_item: dict[str, list[ProbeRecord]] = {}
    for probe in view.probes:
        if KINDS[probe.rule].one_answer:
            by_item.setdefault(probe.item, []).append(probe)
    groups = [_grouped(view, probes) for probes in by_item.values()]
    most = max(groups, key=times_asked, default=[])
    return most if times_asked(most) > 1 else []


def times_asked(groups: Sequence[Group]) -> int:
    """At how many places something is asked."""
    return len({(group[0].case, group[0].step_id) for group in groups})


def question_of(groups: Sequence[Group]) -> str:
    """The question as it was asked first, without its lead-in."""
    question, item = " ".join(groups[0][0].question.split()), groups[0][0].item
    return question[-len(item) :] if item and question.casefold().endswith(item) else question


def dilution(view: View, groups: Sequence[Group]) -> Table:
    """The question that is asked most often, each time it was asked."""
    no_evidence = "its evidence is not in the conversation before it, or it is not known"
    columns: Columns = {
        "Model's Answer": _answers,
        "Measured Tokens": _measured,
        "Tokens since Evidence": lambda group: _range([p.distance_tokens for p in group], no_evidence),
    }
    return _table(view, "dilution", "The same question, each time it was asked", groups, columns)


def sink_probes(view: View) -> list[Group]:
    """Probes for a banned word."""
    return _grouped(view, [probe for probe in view.probes if KINDS[probe.rule].of_system])


def banned_by(group: Group) -> str:
    """The word that a probe looks for, in capitals; by default that of the original experiment."""
    return str(group[0].banned or ORIGINAL["banned"]).upper()


def sink(view: View, groups: Sequence[Group]) -> Table:
    """Whether the banned word was used, each time the model was baited."""
    words = {banned_by(group) for group in groups}
    columns: Columns = {f"Used {min(words)}?": _used}
    if len(words) > 1:
        columns = {"Used the banned word?": lambda group: f"{banned_by(group)}: {_used(group)}"}
    columns["Measured Tokens"] = _measured
    notes = dict.fromkeys(f"{p.step_id}: {p.note}" for group in groups for p in group if p.note)
    title = "The banned word, each time the model was baited"
    return _table(view, "sink", title, groups, columns, ". ".join(notes))


def _table(
    view: View, name: str, title: str, groups: Sequence[Group], columns: Columns, note: str = ""
) -> Table:
    where: Columns = {
        "Checkpoint": lambda group: group[0].step_id,
        "Case": lambda group: view.label(group[0].case).removeprefix("Case "),
        "Est. Context": lambda group: about(group[0].intended_tokens, group[0].intended_most_tokens),
        "Score": scores.grades,
    }
    columns = where | columns
    return view.table(name, title, groups, columns, model=lambda group: group[0].model, note=note, words=5)


def _measured(group: Group) -> Cell:
    return _range([probe.context_tokens for probe in group], FIGURES["measured_tokens"].undefined)


def _range(counts: Sequence[int | None], unknown: str) -> Cell:
    measured = [count for count in counts if count is not None]
    return Cell(show.between(measured, lambda n: show.count(int(n)))) if measured else undefined(unknown)


def _answers(group: Group) -> str:
    """Each distinct answer, with how often it was given where it was asked several times."""
    answers = Counter(
        "(no response)" if probe.response is None else clipped(probe.response.strip(), _LONGEST_ANSWER)
        for probe in group
    )
    if len(group) == 1:
        return next(iter(answers))
    return " / ".join(f"{text} ({n}/{len(group)})" for text, n in answers.items())


def _used(group: Group) -> str:
    words = [{"FAIL": "yes", "PASS": "no"}.get(probe.category, show.DASH) for probe in group]
    return words[0] if len(set(words)) == 1 else f"yes {words.count('yes')}/{len(words)}"

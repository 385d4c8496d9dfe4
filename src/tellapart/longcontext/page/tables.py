"""The document's tables of scores: the summary, the repeated question, the banned word, the failure modes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from tellapart.core.stats import clustered_rate
from tellapart.longcontext.page import scores, tokens
from tellapart.longcontext.page.scores import SIGNS, grade, grades, sign
from tellapart.longcontext.page.view import View
from tellapart.longcontext.probes import all_kinds
from tellapart.longcontext.results import ProbeRecord
from tellapart.report import numbers as show
from tellapart.report.browser import clipped
from tellapart.report.tables import Cell, Table, table, undefined

LONGEST_ANSWER = 300
"""Letters of an answer in a table; the details have all of it."""

NO_ANSWER = "(no response)"
NO_EVIDENCE = "its evidence is not in the conversation before it, or it is not known"


DOCUMENTED_CASES = ("case_1_short", "case_2_long", "case_3_overflow")
"""Cases whose report has the title and all rows of the source document."""

EXCELLENT = "EXCELLENT"
"""The word that the document bans."""


def grouped(probes: Sequence[ProbeRecord]) -> list[tuple[ProbeRecord, ...]]:
    """Group what was asked at the same place of the same case over epochs, model beside model."""
    groups: dict[tuple[str, str], dict[str, list[ProbeRecord]]] = {}
    models = list(dict.fromkeys(probe.model for probe in probes))
    for probe in probes:
        groups.setdefault((probe.case, probe.step_id), {}).setdefault(probe.model, []).append(probe)
    return [tuple(of[model]) for of in groups.values() for model in models if model in of]


def summary(view: View) -> Table:
    """Right answers of checkpoints and verifications, a row a case and model."""
    rows: list[list[Cell | str]] = []
    for case in view.cases:
        for model in view.models:
            probes = view.probes_of(case, model)
            kinds = [[p for p in probes if p.type == kind] for kind in ("checkpoint", "verification")]
            rows.append([case, *map(scores.share, kinds), sign(probes), *_model(view, model)])
    headings = ["Case", "Checkpoints", "Verifications", "Score", *_model(view, "Model")]
    several = f" Answers of {view.epochs} epochs are counted together." if view.epochs > 1 else ""
    return table("summary", "Right answers", headings, rows, note=f"{SIGNS}{several}", words=len(headings))


def most_asked(view: View) -> list[tuple[ProbeRecord, ...]]:
    """Groups of the probes that ask what is asked at most places; empty where nothing is asked twice.

    Ties go to what is asked first. Probes for a banned word or for a preference have no one right answer, so
    they are no such question.
    """
    kinds, by_item = all_kinds(), dict[str, list[ProbeRecord]]()
    for probe in view.probes:
        if kinds[probe.rule].one_answer:
            by_item.setdefault(probe.item, []).append(probe)
    most = max(by_item.values(), key=_places, default=[])
    return grouped(most) if _places(most) > 1 else []


def _places(probes: Sequence[ProbeRecord]) -> int:
    return len({(probe.case, probe.step_id) for probe in probes})


def times_asked(groups: Sequence[tuple[ProbeRecord, ...]]) -> int:
    """At how many places a question is asked."""
    return len({(group[0].case, group[0].step_id) for group in groups})


def question_of(probe: ProbeRecord) -> str:
    """The question without its lead-in, spelt as it was asked."""
    question = " ".join(probe.question.split())
    item: str = probe.item
    return question[-len(item) :] if item and question.casefold().endswith(item) else question


def dilution(view: View, groups: Sequence[tuple[ProbeRecord, ...]]) -> Table:
    """The question that is asked most often, each time it was asked."""
    rows: list[list[Cell | str]] = [
        [
            *_where(view, group),
            _answers(group),
            _tokens(group),
            _range([probe.distance_tokens for probe in group], NO_EVIDENCE),
            *_model(view, group[0].model),
        ]
        for group in groups
    ]
    headings = [*_WHERE, "Model's Answer", _MEASURED, "Tokens since Evidence", *_model(view, "Model")]
    return table("dilution", "The same question, each time it was asked", headings, rows, words=5)


def sink_probes(view: View) -> list[tuple[ProbeRecord, ...]]:
    """Groups of the probes for a banned word."""
    kinds = all_kinds()
    return grouped([probe for probe in view.probes if kinds[probe.rule].of_system])


def banned_by(probe: ProbeRecord) -> str:
    """The word that a probe looks for, in capitals; the document's own where the record names none."""
    return str(probe.banned or EXCELLENT).upper()


def sink(view: View, groups: Sequence[tuple[ProbeRecord, ...]]) -> Table:
    """Whether the banned word was used, each time the model was baited."""
    words = {banned_by(group[0]) for group in groups}
    rows: list[list[Cell | str]] = []
    for group in groups:
        used = _used(group) if len(words) == 1 else f"{banned_by(group[0])}: {_used(group)}"
        rows.append([*_where(view, group), used, _tokens(group), *_model(view, group[0].model)])
    word = f"Used {min(words)}?" if len(words) == 1 else "Used the banned word?"
    notes = dict.fromkeys(f"{p.step_id}: {p.note}" for group in groups for p in group if p.note)
    return table(
        "sink",
        "The banned word, each time the model was baited",
        [*_WHERE, word, _MEASURED, *_model(view, "Model")],
        rows,
        note=". ".join(notes),
        words=5,
    )


_WHERE = ("Checkpoint", "Case", "Est. Context", "Score")
_MEASURED = "Measured Tokens"


def _where(view: View, group: Sequence[ProbeRecord]) -> list[str]:
    first = group[0]
    case = view.labels[first.case].removeprefix("Case ")
    return [first.step_id, case, tokens.of_probe(first), grades(group)]


def _tokens(group: Sequence[ProbeRecord]) -> Cell:
    return _range([probe.context_tokens for probe in group], tokens.NO_USAGE)


def _range(counts: Sequence[int | None], unknown: str) -> Cell:
    known = [count for count in counts if count is not None]
    return Cell(show.between(known, lambda n: show.count(int(n)))) if known else undefined(unknown)


def _answers(group: Sequence[ProbeRecord]) -> str:
    """Each distinct answer, with how often it was given where it was asked several times."""
    answers = Counter(
        NO_ANSWER if probe.response is None else clipped(probe.response.strip(), LONGEST_ANSWER)
        for probe in group
    )
    if len(group) == 1:
        return next(iter(answers))
    return " / ".join(f"{text} ({n}/{len(group)})" for text, n in answers.items())


def _used(group: Sequence[ProbeRecord]) -> str:
    words = [{"FAIL": "yes", "PASS": "no"}.get(probe.category, show.DASH) for probe in group]
    if len(set(words)) == 1:
        return words[0]
    return f"yes {words.count('yes')}/{len(words)}"


def _model(view: View, text: str) -> list[str]:
    """A further cell at the end of each row where there are several models."""
    return [text] if view.several_models else []


MODES = (
    "Attention Dilution",
    "Confabulation",
    "Cross-contamination",
    "Source Attribution",
    "Recency Bias",
    "Attention Sink",
    "Lost in the Middle",
)
"""Rows of the document, in its order."""

NOTHING = "—"
"""Stands, as in the document, for a mode that a case has no probe of."""

MOST_NAMED = 12
"""Probes that are named in a cell; of more there are counts."""

UNSAID = "(no failure mode)"
_QUALIFIED = re.compile(r"(?<!\s)(?:\s++[—–-]\s|\s*+[,:;(])")


def modes_of(text: str | None) -> tuple[str, ...]:
    """What a probe looks for: the document's modes, and what else it names.

    ``Confabulation + Lost in the Middle — TRAP`` is two; what follows a dash, a comma or a bracket only
    qualifies, so that ``Stress test - full enumeration`` is ``Stress test``.
    """
    modes: dict[str, None] = {}
    for part in (text or "").split("+"):
        same = _plain(part)
        documented = [mode for mode in MODES if _plain(mode) in same]
        head = _QUALIFIED.split(part.strip())[0]
        modes |= dict.fromkeys(documented or ([head] if head else []))
    return tuple(modes) or (UNSAID,)


def _plain(text: str) -> str:
    return re.sub(r"[\s_-]+", " ", text).strip().casefold()


def by_mode(probes: Sequence[ProbeRecord]) -> dict[str, list[ProbeRecord]]:
    """Probes by each mode they name: the document's in its order, then others, spelt as first met."""
    by_name: dict[str, list[ProbeRecord]] = {mode: [] for mode in MODES}
    spelling = {mode.casefold(): mode for mode in MODES}
    for probe in probes:
        for mode in modes_of(probe.failure_mode):
            name = spelling.setdefault(mode.casefold(), mode)
            by_name.setdefault(name, []).append(probe)
    return by_name


def mode_scores(view: View) -> Table:
    """Mean score by failure mode and model, with its interval, and what is missing by cause."""
    rows: list[list[Cell | str]] = []
    for mode, probes in by_mode(view.probes).items():
        for model in view.models:
            if of_model := [probe for probe in probes if probe.model == model]:
                scored = [(probe.value, probe.case) for probe in of_model if probe.value is not None]
                values, cases = [value for value, _ in scored], [case for _, case in scored]
                interval = clustered_rate(values, cases).interval
                ends = "no interval" if interval is None else show.rate_range(interval)
                rows.append([mode, *_model(view, model), *scores.cells(of_model, ends)])
    headings = ["Failure Mode", *_model(view, "Model"), "Probes", "Mean score, %", "Missing", "Bounds, %"]
    return table(
        "mode-scores",
        "Mean scores by failure mode",
        headings,
        rows,
        note="With the mean: its 95 % interval, which allows for probes that share a case. A probe that "
        "looks for several modes counts in each. Bounds: missing scores as 0, and as 1.",
        words=2 if view.several_models else 1,
    )


def heatmap(view: View, most: int | None = None) -> Table:
    """The document's heatmap: in each cell the sign of all grades, then each of them.

    Where steps of several cases that share a column have the same name, the mean score and how many have each
    category stand for their grades.
    """
    columns: list[tuple[tuple[str, ...], str]] = [
        ((case,), model) for case in view.cases for model in view.models
    ]
    brief = most is not None and len(columns) > most
    if brief:
        columns = [(view.cases, model) for model in view.models]
    whole = not brief and not {*view.cases}.isdisjoint(DOCUMENTED_CASES)
    rows: list[list[Cell | str]] = []
    for mode, probes in by_mode(view.probes).items():
        if probes or whole:
            inside = [[p for p in probes if p.case in cases and p.model == m] for cases, m in columns]
            rows.append([mode, *map(_cell, inside)])
    headings = ["Failure Mode"]
    for cases, model in columns:
        name = view.labels[cases[0]] if len(cases) == 1 else f"{len(cases)} cases"
        headings.append(f"{name} · {model}" if view.several_models else name)
    note = f"{SIGNS} A probe that looks for several modes stands in the row of each."
    return table("heatmap", "Grades by failure mode", headings, rows, note=note, words=len(headings))


def _counts(names: Sequence[str]) -> str:
    return ", ".join(f"{name} {n}/{len(names)}" for name, n in Counter(names).most_common())


def _cell(probes: Sequence[ProbeRecord]) -> Cell:
    if not probes:
        return Cell(NOTHING)
    groups = grouped(probes)
    if len({probe.step_id for probe in probes}) < len({(probe.case, probe.step_id) for probe in probes}):
        value = scores.mean(probes)
        text = f"{show.DASH if value is None else show.percent(value)}: "
        text += _counts([str(probe.category) for probe in probes])
    elif len(groups) > MOST_NAMED:
        text = _counts([grade(probe) for probe in probes])
    else:
        text = ", ".join(f"{group[0].step_id} {grades(group)}" for group in groups)
    return Cell(f"{sign(probes)} {text}")

"""What graded conversations say, and what they cannot say: the headline, its sentences, and findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tellapart.core.comparison import Verdict
from tellapart.core.severity import SEVERITIES
from tellapart.longcontext.cautions import decisive, limitations
from tellapart.longcontext.lint.findings import Group, counts, grouped
from tellapart.longcontext.page import scores
from tellapart.longcontext.page.lengths import models_of
from tellapart.longcontext.page.view import View
from tellapart.report import comparison as block
from tellapart.report import numbers as show
from tellapart.report.document import Section
from tellapart.report.tables import Cell, Table, table

_MOST = 6
"""So many errors stand at the top; the findings have a table."""


def findings_section(view: View) -> Section | None:
    """Errors and warnings."""
    groups = grave(view)
    shown = (findings_table(groups),)
    return Section("findings", "Findings", f"{counted(view)}.", tables=shown) if groups else None


def information_section(view: View) -> Section | None:
    """Further findings."""
    groups = information(view)
    folded = (findings_table(groups, "information", "For information"),)
    return Section("information", "For information", folded=folded) if groups else None


def grave(view: View) -> list[Group]:
    """Errors, then warnings."""
    groups = [group for group in grouped(view.record.findings) if group.finding.severity != "info"]
    return sorted(groups, key=lambda group: SEVERITIES.index(group.finding.severity))


def information(view: View) -> list[Group]:
    """Findings that are no reason for doubt; of many cases without the distance of each probe."""
    groups = [group for group in grouped(view.record.findings) if group.finding.severity == "info"]
    return [one for one in groups if not (view.many_cases and one.finding.check == "distance" and one.steps)]


def counted(view: View) -> str:
    """``7 errors and 2 warnings``."""
    numbers = counts(view.record.findings)
    return show.listed([show.plural(n, name) for name, n in numbers.items() if n and name != "info"])


def findings_table(
    groups: Sequence[Group], name: str = "findings", title: str = "Findings, errors first"
) -> Table:
    """A row for each finding."""
    rows: list[list[Cell | str]] = []
    for group in groups:
        severity = Cell(group.finding.severity, strong=group.finding.severity == "error")
        rows.append([severity, group.finding.check, group.cases, group.steps, group.message])
    any_error = any(group.finding.severity == "error" for group in groups)
    note = "An error means that the figures do not measure what they claim." if any_error else ""
    return table(name, title, ["Severity", "Check", "Case", "Step", "Finding"], rows, note=note, words=5)


def headline(view: View) -> str:
    """Whether the models differ; of one model how much it answers right, a doubt before numbers."""
    return ". ".join(headline_sentences(view))


def headline_sentences(view: View) -> list[str]:
    """The sentences of `headline`, without full stops."""
    if view.comparison is not None:
        return block.headline_sentences(view.comparison)
    if scores.missing(view.probes) == len(view.probes):
        return [_nothing(view)]
    answers = list[str]()
    for model in view.models[:4]:
        probes = view.of_model(model)
        right, missing, n = scores.right(probes), scores.missing(probes), len(probes)
        of = f"{right} of {show.count(n)}"
        said = of if answers else f"answers {right} of {show.plural(n, 'probe')} right"
        answers.append(f"{model} {said}" + (f" ({missing} not graded)" if missing else ""))
    more = f" ({len(view.models) - 4} further models below)" if len(view.models) > 4 else ""
    return [f"{_doubt(view)}{', '.join(answers)}{more}"]


def _doubt(view: View) -> str:
    limit, errors = decisive(view.record), _errors(view)
    if limit is not None and limit.severity == "error":
        return f"Not to be relied on: {limit.text[:1].lower()}{limit.text[1:]} "
    if errors:
        return f"Not to be relied on, for {show.plural(len(errors), 'error')} of the experiment: "
    return "" if limit is None else f"{limit.text} "


def _nothing(view: View) -> str:
    failed = sum(conversation.failed_steps for conversation in view.conversations)
    if failed:
        steps = show.plural(sum(conversation.steps for conversation in view.conversations), "step")
        statuses = sum((Counter(one.statuses) for one in view.conversations), Counter[str]())
        named = [f"HTTP {status}: {n}" for status, n in sorted(statuses.items()) if status[0] in "45"]
        why = f" ({show.listed(named)}), so that nothing is known of the model" if named else ""
        return f"Nothing was graded: {failed} of {steps} failed{why}"
    missing = show.plural(len(view.probes), "grade")
    why = f"{missing} missing" if view.probes else "no checkpoint and no verification was asked"
    return f"Nothing was graded: {why}"


def sentences(view: View) -> list[str]:
    """What the headline rests on: errors, means, truncation, graders; of several models lengths first."""
    lengths = _lengths(view)
    doubts = [*_named_errors(view), *_limitations(view), *_means(view), *_truncations(view)]
    graded = f"Graded by {scores.grader(view.record)}."
    if view.comparison is not None:
        return [*_other_gradings(view), *lengths, *doubts, graded]
    untested = (
        "Whether the models differ is not tested: this record has no scores beside it. Report the run's "
        "directory to compare them."
    )
    first = [untested] if view.several_models and view.run is None else []
    return [*first, *_other_gradings(view), *doubts, *lengths, graded]


def _other_gradings(view: View) -> list[str]:
    """Whether the verdict turns with the judge or its prompt, and how often the grades are the same."""
    if not view.others:
        return []
    category = {probe.place: probe.category for probe in view.probes if probe.value is not None}
    lines = [f"This grading is by {_grader(view)}."]
    for other in view.others:
        graded = [probe for probe in other.probes if probe.value is not None and probe.place in category]
        same = sum(category[probe.place] == probe.category for probe in graded)
        says = "" if other.comparison is None else f": {block.headline(other.comparison).removesuffix('.')}"
        both = show.plural(len(graded), "answer")
        lines.append(f"By {_grader(other)}{says}. Both give the same grade to {same} of {both}.")
    if view.comparison is not None:
        turns = any(_separated(other) != _separated(view) for other in view.others)
        lines.append(
            "The verdict between models turns with the judge or its prompt: do not rely on it."
            if turns
            else "The verdict between models is the same by each."
        )
    return lines


def _grader(view: View) -> str:
    standard = view.run.config.get("judge_standard") if view.run else None
    return scores.grader(view.record) + (f", {standard} prompt" if standard else "")


def _separated(view: View) -> set[tuple[str, str]]:
    """Pairs of models that are separated, the better one first."""
    pairs = view.comparison.primary.pairs if view.comparison else ()
    better = {(pair.a, pair.b) for pair in pairs if pair.verdict is Verdict.A_BETTER}
    return better | {(pair.b, pair.a) for pair in pairs if pair.verdict is Verdict.B_BETTER}


def _errors(view: View) -> list[Group]:
    return [group for group in grave(view) if group.finding.severity == "error"]


def _named_errors(view: View) -> list[str]:
    lines = []
    for group in _errors(view)[:_MOST]:
        where = " ".join(filter(None, (group.cases, group.steps)))
        lines.append(f"Error: {where}{': ' if where else ''}{group.message.removesuffix('.')}.")
    more = len(grave(view)) > len(lines)
    return lines + ([f"{counted(view)} in the report, under Findings."] if more else [])


def _limitations(view: View) -> list[str]:
    """Limits that no other sentence names; beside a comparison, its cautions do."""
    first, about = decisive(view.record), ("distance", "judge", "abstentions")
    limits = () if view.comparison is not None else limitations(view.record)
    return [limit.text for limit in limits if limit.about in about and limit != first]


def _means(view: View) -> list[str]:
    lines = []
    for model in view.models:
        probes = view.of_model(model)
        value, ends = scores.mean(probes), scores.bounds(probes)
        if value is not None and ends is not None:
            text = f"{model}: mean score {show.percent(value)} over {show.plural(len(probes), 'probe')}"
            left = f"which leaves {show.rate(ends[0])} to {show.percent(ends[1])} possible"
            missing = scores.causes(probes)
            lines.append(f"{text}; missing: {missing}, {left}." if missing else f"{text}.")
    return lines


def _truncations(view: View) -> list[str]:
    cut = [conversation for conversation in view.conversations if conversation.truncations]
    return [
        f"From step {conversation.truncations[0].step_id} on {view.name_of(conversation)} was asked with "
        "less than its whole conversation."
        for conversation in cut[:_MOST]
    ]


def _lengths(view: View) -> list[str]:
    lines = []
    for model in models_of(view):
        lengths = [
            f"{length.words.removesuffix('.')} ({length.definition})"
            for length in (model.absolute, model.relative)
            if length.status != "not_determined"
        ]
        lines += [f"{model.model}, effective context length: {show.listed(lengths)}."] if lengths else []
    return lines

"""Graded conversations as a page: which figures stand where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from tellapart.core.comparison import Comparison
from tellapart.longcontext.page import charts, lengths, scores, tables, tokens, warnings
from tellapart.longcontext.page.browser import browser
from tellapart.longcontext.page.documented import generated
from tellapart.longcontext.page.verdict import headline, sentences
from tellapart.longcontext.page.view import View
from tellapart.longcontext.results import GradingRecord
from tellapart.report import comparison as block
from tellapart.report import numbers as show
from tellapart.report.browser import pair_address
from tellapart.report.document import Document, Links, Passage, Section, present
from tellapart.report.page import html_document

MOST_COLUMNS = 8
"""Columns of the heatmap on a page."""

MOST_NAMED = 6
"""Cases that are named above everything, and files of a kind whose hashes are shown."""


def html_report(record: GradingRecord, comparison: Comparison | None = None) -> str:
    """Give a page of a record, with its models compared."""
    return html_document(document(View(record, comparison=comparison)))


def document(view: View, links: Links = ()) -> Document:
    """Arrange a grading: which models differ, effective length, what to beware of, tables, every probe."""
    path = "RUN" if view.run else "grades.json"
    return Document(
        "longcontext: what a model still knows of a conversation that grows",
        headline(view),
        tuple(sentences(view)),
        _facts(view),
        present(*(part(view) for part in _PARTS)),
        _origin(view),
        (f"tellapart longcontext report {path} --html page.html --out report.md",),
        links,
    )


def _comparison(view: View) -> Section | None:
    if view.comparison is None:
        return None
    return block.section(view.comparison, order=view.lengths, items=pair_address)


def _lengths(view: View) -> Section | None:
    if not lengths.has_curves(view):
        return None
    chart = present(charts.lengths_chart(view))
    return Section("lengths", "Effective length", charts=chart, tables=(lengths.lengths(view),))


def _findings(view: View) -> Section | None:
    grave = warnings.grave(view)
    if not grave:
        return None
    table = warnings.findings_table(grave)
    return Section("findings", "Findings", f"{warnings.counted(view)}.", tables=(table,))


def _summary(view: View) -> Section:
    by_case, means = scores.with_simple_signs(tables.summary(view)), warnings.means(view)
    first, folded = ((), (by_case,)) if view.many_cases else ((by_case,), ())
    return Section(
        "summary", "Summary", tables=(*first, means, *present(warnings.controls(view))), folded=folded
    )


def _remembering(view: View) -> Section | None:
    if not lengths.has_curves(view):
        return None
    return Section(
        "remembering",
        "Distance and depth",
        "A long context whose evidence was repeated next to the question is a short one: what counts is "
        "the distance of the nearest evidence.",
        charts=present(charts.curves_chart(view), charts.depths_chart(view)),
        folded=(lengths.curve(view, "by_distance"), lengths.curve(view, "by_length")),
    )


def _dilution(view: View) -> Section | None:
    groups = tables.most_asked(view)
    if not groups:
        return None
    question = tables.question_of(groups[0][0])
    text = f"The same question, asked {tables.times_asked(groups)} times: “{question}”"
    return Section("dilution", "Dilution", text, tables=(tables.dilution(view, groups),))


def _sink(view: View) -> Section | None:
    groups = tables.sink_probes(view)
    if not groups:
        return None
    text = "Whether a rule of the system prompt is still followed. Graded by rules, no model."
    return Section("sink", "Attention sink", text, tables=(tables.sink(view, groups),))


def _modes(view: View) -> Section:
    grades = scores.with_simple_signs(tables.heatmap(view, MOST_COLUMNS))
    return Section("modes", "Failure modes", tables=(tables.mode_scores(view), grades))


def _tokens(view: View) -> Section:
    seen = tokens.observations(view)
    cut = [
        Passage(
            "Key observation",
            one.text,
            (
                ("What that means", "\n".join(one.points)),
                *(("Warning", warning) for warning in one.warnings[: tokens.MOST_WARNINGS]),
            ),
        )
        for one in seen
        if one.points
    ]
    sizes = (tokens.sizes(view),)
    return Section(
        "tokens",
        "Tokens",
        " ".join(one.text for one in seen if not one.points),
        charts=present(charts.steps_chart(view)),
        tables=() if view.many_cases else sizes,
        folded=sizes if view.many_cases else (),
        passages=tuple(cut),
    )


def _graders(view: View) -> Section | None:
    conflicts = warnings.conflicts(view)
    return Section("graders", "Rules and judge", tables=(conflicts,)) if conflicts else None


def _information(view: View) -> Section | None:
    shown = warnings.information(view)
    if not shown:
        return None
    table = warnings.findings_table(shown, "information", "For information")
    return Section("information", "For information", folded=(table,))


def _probes(view: View) -> Section:
    return Section("probes", "Probes", widget=browser(view))


_PARTS: tuple[Callable[[View], Section | None], ...] = (
    *(_comparison, _lengths, _findings, _summary, _remembering, _dilution, _sink, _modes, _tokens),
    *(_graders, _information, _probes),
)


def _facts(view: View) -> dict[str, str]:
    missing, probes = sum(map(scores.is_missing, view.probes)), show.count(len(view.probes))
    intended = {one.name: tokens.of_case(one) for one in view.conversations}
    cases = [
        f"{name} ({'length not said' if length == show.DASH else f'{length} tokens intended'})"
        for name, length in intended.items()
    ]
    facts = {
        "Models" if view.several_models else "Model": ", ".join(view.models) or show.DASH,
        "Cases": ", ".join(cases) if len(cases) <= MOST_NAMED else show.count(len(cases)),
        "Epochs": str(view.epochs),
        "Probes": f"{probes}, {show.count(missing)} without a grade" if missing else probes,
        "Grader": scores.grader(view.record),
    }
    return facts | ({"Controls": ", ".join(view.controls)} if view.controls else {})


def _origin(view: View) -> dict[str, str]:
    """When and by which version it was graded, and hashes of what was read; of many files their number."""
    origin = {"Graded": generated(view)}
    origin |= {"Grades (SHA-256)": view.fingerprint} if view.fingerprint else {}
    if view.run is None:
        return origin
    origin |= {"tellapart": view.run.tellapart_version, "Seed": str(view.run.seed)}
    files = Counter(name.split(" ")[0] for name in view.run.inputs)
    for name, value in view.run.inputs.items():
        kind = name.split(" ")[0]
        if files[kind] > MOST_NAMED:
            origin[f"Inputs {kind} (SHA-256)"] = f"of {show.count(files[kind])} files, each in run.json"
        else:
            origin[f"Input {name} (SHA-256)"] = value
    return origin

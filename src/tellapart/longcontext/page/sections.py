"""Graded conversations as a page: which figures stand where."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping

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

MOST_CASES = 6
"""Cases that are named above everything, and files of a kind whose hashes are shown."""


def html_report(record: GradingRecord, comparison: Comparison | None = None) -> str:
    """Give a page of a record, with its models compared."""
    return html_document(document(View(record, comparison=comparison)))


def document(view: View, links: Links = ()) -> Document:
    """Arrange a grading: which models differ, effective length, what to beware of, tables, every probe."""
    sections = [section for part in _PARTS for section in part(view)]
    return Document(
        "longcontext: what a model still knows of a conversation that grows",
        headline(view),
        tuple(sentences(view)),
        _facts(view),
        tuple(sections),
        _origin(view),
        _commands(view),
        links,
    )


def _comparison(view: View) -> Iterator[Section]:
    if view.comparison is not None:
        yield block.section(view.comparison, order=view.lengths, items=pair_address)


def _findings(view: View) -> Iterator[Section]:
    grave = warnings.grave(view)
    if grave:
        text = f"{warnings.counted(view)}."
        yield Section("findings", "Findings", text, tables=(warnings.findings_table(grave),))


def _information(view: View) -> Iterator[Section]:
    findings, elsewhere = warnings.information(view), warnings.left_out(view)
    if findings or elsewhere:
        shown = (warnings.findings_table(findings, "information", "For information"),) if findings else ()
        yield Section("information", "For information", elsewhere, folded=shown)


def _summary(view: View) -> Iterator[Section]:
    by_case, many = scores.with_simple_signs(tables.summary(view)), tables.many_cases(view)
    means = warnings.means(view, by_case=not many)
    yield Section(
        "summary",
        "Summary",
        tables=present(None if many else by_case, means, warnings.controls(view)),
        folded=(by_case,) if many else (),
    )


def _remembering(view: View) -> Iterator[Section]:
    if lengths.has_curves(view):
        yield Section(
            "remembering",
            "Distance and depth",
            "A long context whose evidence was repeated next to the question is a short one: what counts is "
            "the distance of the nearest evidence.",
            charts=present(charts.curves_chart(view), charts.depths_chart(view)),
            folded=(lengths.curve(view, "by_distance"), lengths.curve(view, "by_length")),
        )


def _lengths(view: View) -> Iterator[Section]:
    if lengths.has_curves(view):
        yield Section(
            "lengths",
            "Effective length",
            charts=present(charts.lengths_chart(view)),
            tables=(lengths.lengths(view),),
        )


def _dilution(view: View) -> Iterator[Section]:
    groups = tables.most_asked(view)
    if groups:
        times, question = tables.times_asked(groups), tables.question_of(groups[0][0])
        yield Section(
            "dilution",
            "Dilution",
            f"The same question, asked {times} times: “{question}”",
            tables=(tables.dilution(view, groups),),
        )


def _sink(view: View) -> Iterator[Section]:
    groups = tables.sink_probes(view)
    if groups:
        text = "Whether a rule of the system prompt is still followed. Graded by rules, no model."
        yield Section("sink", "Attention sink", text, tables=(tables.sink(view, groups),))


def _modes(view: View) -> Iterator[Section]:
    yield Section(
        "modes",
        "Failure modes",
        tables=(tables.mode_scores(view), scores.with_simple_signs(tables.heatmap(view, MOST_COLUMNS))),
    )


def _tokens(view: View) -> Iterator[Section]:
    passages = []
    sentences_ = []
    for observation in tokens.observations(view):
        if observation.points:
            parts = [("What that means", "\n".join(observation.points))]
            parts += [("Warning", block) for block in observation.warnings[: tokens.MOST_WARNINGS]]
            passages.append(Passage("Key observation", observation.text, tuple(parts)))
        else:
            sentences_.append(observation.text)
    many = tables.many_cases(view)
    yield Section(
        "tokens",
        "Tokens",
        " ".join(sentences_),
        charts=present(charts.steps_chart(view)),
        tables=(tokens.sizes_together(view) if many else tokens.sizes(view),),
        folded=(tokens.sizes(view),) if many else (),
        passages=tuple(passages),
    )


def _graders(view: View) -> Iterator[Section]:
    conflicts = warnings.conflicts(view)
    if conflicts:
        yield Section("graders", "Rules and judge", tables=(conflicts,))


def _probes(view: View) -> Iterator[Section]:
    yield Section("probes", "Probes", widget=browser(view))


_PARTS: tuple[Callable[[View], Iterator[Section]], ...] = (
    _comparison,
    _lengths,
    _findings,
    _summary,
    _remembering,
    _dilution,
    _sink,
    _modes,
    _tokens,
    _graders,
    _information,
    _probes,
)


def _facts(view: View) -> dict[str, str]:
    missing = sum(map(scores.is_missing, view.probes))
    probes = show.count(len(view.probes))
    facts = {
        "Models" if view.several_models else "Model": ", ".join(view.models) or show.DASH,
        "Cases": _cases(view),
        "Epochs": str(view.epochs),
        "Probes": f"{probes}, {show.count(missing)} without a grade" if missing else probes,
        "Grader": scores.grader(view.record),
    }
    return facts | ({"Controls": ", ".join(view.controls)} if view.controls else {})


def _cases(view: View) -> str:
    if len(view.cases) > MOST_CASES:
        return show.count(len(view.cases))
    return ", ".join(f"{name} ({_expected(view, name)})" for name in view.cases)


def _expected(view: View, name: str) -> str:
    intended = {conversation.name: tokens.of_case(conversation) for conversation in view.conversations}
    return f"{intended[name]} tokens intended" if intended[name] != show.DASH else "length not said"


def _origin(view: View) -> dict[str, str]:
    origin = {"Graded": generated(view)}
    origin |= {"Grades (SHA-256)": view.fingerprint} if view.fingerprint else {}
    if view.run is not None:
        origin |= {"tellapart": view.run.tellapart_version, "Seed": str(view.run.seed)}
        origin |= _inputs(view.run.inputs)
    return origin


def _inputs(inputs: Mapping[str, str]) -> dict[str, str]:
    """Hashes of what was read; of many files of a kind, how many there are."""
    kinds: dict[str, dict[str, str]] = {}
    for name, value in inputs.items():
        kinds.setdefault(name.split(" ")[0], {})[f"Input {name} (SHA-256)"] = value
    shown: dict[str, str] = {}
    for kind, each in kinds.items():
        many = {f"Inputs {kind} (SHA-256)": f"of {show.count(len(each))} files, each in run.json"}
        shown |= many if len(each) > MOST_CASES else each
    return shown


def _commands(view: View) -> tuple[str, ...]:
    name = "RUN" if view.run else "grades.json"
    return (f"tellapart longcontext report {shlex.quote(name)} --html page.html --out report.md",)

"""A comparison as a report: the gate, the pairs, what flipped."""

from __future__ import annotations

from typing import Any

from tellapart.audit.page.sentences import before_figures
from tellapart.compare.policy import OUTCOMES, PolicyVerdict, Status
from tellapart.compare.results import CompareRecord
from tellapart.core.comparison.gates import Gate
from tellapart.readers import ItemTexts
from tellapart.report import comparison as block
from tellapart.report import numbers as show
from tellapart.report.document import Document, Section, present
from tellapart.report.figures import cell, labels
from tellapart.report.gates import MOST_FLIPS, GateCase, flip_table, gate_headline, gate_sentences
from tellapart.report.numbers import Scale
from tellapart.report.screen import changes, differences
from tellapart.report.tables import Cell, Table, figure, table

NO_TEXTS = ItemTexts(())
_MOST_OF_TEXT = 240
"""So many characters of a question or an answer are shown beside a flip."""

_NO_FLIPS = "No item has another score than under the baseline."


def document(record: CompareRecord, command: str = "", texts: ItemTexts = NO_TEXTS) -> Document:
    """Arrange the page and the Markdown: verdict, pairs, strata, flipped items, scores.

    ``command`` prints all that flipped, and ``texts`` are what items ask and what was answered.
    """
    form = Scale.of(record.limits)
    title, others = _title(record, form)
    # The first caution stands in the verdict, where there is one.
    cautions = record.comparison.cautions[0 if record.outcome else 1 :]
    tables = (block.pair_table(record.comparison, form), block.strata_table(record.comparison, form))
    flips = [
        _flip_table(gate, texts, name="flips" if i == 0 else f"flips-{i + 1}", command=command)
        for i, gate in enumerate(gate for gate in record.gates if gate.flips)
    ]
    sections = (
        Section(
            "comparison",
            "Which models differ",
            tables=present(*tables),
            # A gate has its own line for each candidate.
            in_terminal=record.outcome is None,
        ),
        Section(
            "flips",
            "Items that flipped",
            "" if flips else _NO_FLIPS,
            tables=tuple(flips),
            is_open=True,
            in_terminal=True,
        ),
        Section("scores", "Scores", tables=(_scores(record, form),)),
    )
    return Document(
        "compare: is the candidate worse than the baseline",
        title,
        (*others, *before_figures(cautions, record.warnings, record.missing)),
        {
            "Baseline": record.models[0],
            "Candidates": show.listed(record.models[1:]),
            "Common items": show.between([gate.n for gate in record.gates], lambda n: show.count(int(n))),
        },
        sections,
        record.sources,
        differences=changes(record.gates, form) if record.outcome else differences(record.comparison, form),
    )


def _title(record: CompareRecord, form: Scale) -> tuple[str, list[str]]:
    """How it ends, and what else the first lines say."""
    if record.outcome is None:
        title, *rest = block.headline_sentences(record.comparison, scale=form)
        return title, [*(f"{text}." for text in rest), *_steadiness(record)]
    first = gate_sentences(record.gates[0], form)
    rest = [" ".join(first[2:])] if first[2:] else []
    return block.sentence(" ".join(first[:2])), [*rest, *lines(record)[1:]]


def lines(record: CompareRecord) -> list[str]:
    """Give the first line of every output, that of the gate where there is one, and what follows from it."""
    form = Scale.of(record.limits)
    if record.outcome is None:
        return [f"{block.headline(record.comparison, scale=form)}.", *_steadiness(record)]
    return [*(gate_headline(gate, form) for gate in record.gates), *_steadiness(record)]


def _steadiness(record: CompareRecord) -> list[str]:
    """Say how often k answers of each model are all right, and on how many items it answers both ways."""
    if record.pass_k is None:
        return []
    k = record.pass_k.k
    return [
        f"{model}: {k} of {k} answers are right with a chance of {show.rate(of.mean)} %"
        f"{f' (95 % interval {show.rate_range(of.interval)})' if of.interval else ''}; "
        f"{show.count(len(of.unsteady))} of {show.plural(of.items, 'item')} are answered both right and "
        "wrong."
        for model, of in record.pass_k.models.items()
    ]


def gate_cases(record: CompareRecord, command: str = "", texts: ItemTexts = NO_TEXTS) -> list[GateCase]:
    """Give the gates as tests; none without a limit."""
    return [
        GateCase(
            f"{gate.candidate} against {gate.baseline}, --max-drop {gate.limit:g} on {gate.scope}",
            gate.outcome,
            gate_headline(gate, Scale.of(record.limits)),
            _flip_table(gate, texts, command=command) if gate.flips else None,
        )
        for gate in sorted(record.gates, key=lambda gate: gate.candidate)
        if gate.outcome
    ]


def _flip_table(gate: Gate, texts: ItemTexts, **options: Any) -> Table:
    """The flips of a gate, with the question and both answers where they are known."""
    flipped = [flip.item for flip in gate.flips][: 2 * MOST_FLIPS]
    parts = {item: {t.name: _line(t.text) for t in reversed(texts.get(item, ()))} for item in flipped}
    return flip_table(
        gate,
        {item: of_item.get("Question", "") for item, of_item in parts.items()},
        answer=lambda model, item: parts.get(item, {}).get(f"Answer of {model}", ""),
        **options,
    )


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MOST_OF_TEXT else f"{line[:_MOST_OF_TEXT]}…"


def _scores(record: CompareRecord, form: Scale) -> Table:
    rows: list[list[Cell | str]] = []
    scored = {name for pair in record.comparison.primary.pairs if pair.n for name in (pair.a, pair.b)}
    for model in record.models:
        causes = record.missing.get(model, {})
        detail = "; ".join(f"{show.count(n)} {cause}" for cause, n in sorted(causes.items()))
        lacking = "too few labels" if model in scored else "nothing was scored"
        mean = figure(record.means[model], form.mean, lacking)
        rows.append([model, mean, Cell(show.count(sum(causes.values())), detail)])
    return table("means", f"Mean score{form.unit}", ["Model", *labels(["mean", "missing"])], rows)


def policy_headline(judged: PolicyVerdict) -> str:
    """Give the verdict on a release, and the benchmarks that decide it."""
    words = {
        Status.BREACH: "beyond the limit",
        Status.MISSING: "required but missing",
        Status.INSUFFICIENT_EVIDENCE: "cannot tell",
        Status.PASS: "within the limit",
    }
    gated = [of for of in judged.benchmarks if of.is_gated]
    by_status = {status: [of.benchmark for of in gated if of.status is status] for status in words}
    parts = [f"{words[status]}: {show.listed(names)}" for status, names in by_status.items() if names]
    return f"{judged.verdict}. {show.capital('; '.join(parts))}"


def policy_document(judged: PolicyVerdict) -> Document:
    """Arrange the page and the Markdown of a policy, with the errors that hold over all benchmarks."""
    percent = show.whole_percent(judged.alpha)
    note = (
        f"If a gated benchmark fell by more than is allowed, it is GO all the same at most {percent} of the "
        f"time. If none did, any is called beyond its limit at most {percent} of the time, corrected over "
        f"{show.plural(judged.tests, 'test')}."
    )
    return Document(
        "compare: may the candidate be released",
        policy_headline(judged),
        (*(f"{of.benchmark}: {of.reason}" for of in judged.benchmarks), *([note] if judged.tests else [])),
        {"Benchmarks": show.count(len(judged.benchmarks))},
        (Section("benchmarks", "Benchmarks", tables=(_policy_table(judged),), in_terminal=True),),
    )


def policy_cases(judged: PolicyVerdict) -> list[GateCase]:
    """Give the benchmarks that decide as tests."""
    return [
        GateCase(f"{of.benchmark} [{of.rule.tier}]", OUTCOMES[of.status], f"{of.status}: {of.reason}")
        for of in judged.benchmarks
        if of.is_gated
    ]


def _policy_table(judged: PolicyVerdict) -> Table:
    rows: list[list[Cell | str]] = []
    for of in judged.benchmarks:
        drop = None if of.gate is None or of.gate.drop is None else 0.0 - of.gate.drop
        interval = of.gate.interval if of.gate else None
        rows.append(
            [
                of.benchmark,
                of.rule.tier or "",
                Cell(str(of.status), strong=of.is_gated and of.status != "PASS"),
                figure(drop, show.significant, "no common item"),
                cell("at_worst", interval and -interval[1]),
                f"{of.rule.max_drop:g}",
                cell("items", of.gate.n if of.gate else 0),
            ]
        )
    headings = ["Benchmark", "Tier", "Status", *labels(["change", "at_worst", "limit", "items"])]
    return table("benchmarks", "Benchmarks (score units)", headings, rows)

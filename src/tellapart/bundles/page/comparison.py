"""What the commands with gates show: two scoreboards compared, two evals, and canaries."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tellapart.bundles.compare import BoardComparison, FigureChange, TwoEvals
from tellapart.bundles.figures import SHOWN
from tellapart.bundles.gates import OPTION, CanaryRecord, tier_of
from tellapart.bundles.page.boards import STAMP, slice_table
from tellapart.bundles.tier_names import OVERALL, TIERS
from tellapart.core.comparison import Flip, Gate, GateOutcome
from tellapart.report import comparison as block
from tellapart.report import numbers as show
from tellapart.report.document import Document, Section, opening, present
from tellapart.report.figures import FIGURES
from tellapart.report.gates import ENDED, MOST_FLIPS, GateCase, flip_table, gate_headline, gate_sentences
from tellapart.report.screen import changes as gate_spans
from tellapart.report.screen import differences
from tellapart.report.tables import Cell, Table, table, undefined

MOST_FAILED = 20
"""So many canaries that fail are listed; JSON has all."""


def document(shown: BoardComparison, command: str = "") -> Document:
    """Show the gate, else the verdict, then what flipped, and the figures; ``command`` prints all flips."""
    stamp = STAMP if shown.exploratory else ""
    compared = shown.comparison
    if shown.gate:
        title, rest = _gate_opening(shown.gate, shown.gate_moved)
    else:
        title, sentences = opening(block.headline_sentences(compared))
        rest = list(sentences)
    cautions = compared.cautions if shown.gate else compared.cautions[1:]
    pairs = present(
        block.pair_table(compared),
        block.strata_table(compared, order=shown.slices.values if shown.slices else TIERS),
        slice_table(shown.slices) if shown.slices else None,
    )
    scale, flips = block.Scale(), flipped(shown, command)
    return Document(
        "bundles compare: is the candidate worse than the baseline",
        stamp + title,
        (*rest, *(f"{show.capital(block.sentence(caution))}." for caution in cautions)),
        {"Baseline": shown.a.label, "Candidate": shown.b.label, "Eval": shown.a.eval_path},
        (
            Section(
                "flips",
                "Bundles that flipped",
                "" if flips else "No bundle that counts is passed by one model alone.",
                tables=present(flips),
                is_open=True,
                in_terminal=True,
            ),
            Section("comparison", "Which models differ", tables=pairs, in_terminal=True),
            Section("figures", "Figures", tables=(changes(shown),), in_terminal=True),
        ),
        {
            "Scoreboards": f"{shown.a.scoreboard} and {shown.b.scoreboard}",
            "Evals": ", ".join(dict.fromkeys((shown.a.fingerprint, shown.b.fingerprint))),
        },
        differences=gate_spans([shown.gate], scale) if shown.gate else differences(compared, scale),
    )


def _gate_opening(gate: Gate, moved: str) -> tuple[str, list[str]]:
    """How a gate ends, what else is to be said of it, and why it is not on tier 3."""
    first, second, *further = gate_sentences(gate)
    why = [f"The gate is on all bundles: {moved}."] if moved else []
    return block.sentence(f"{first} {second}"), [*([" ".join(further)] if further else []), *why]


def gate_cases(shown: BoardComparison, command: str = "") -> list[GateCase]:
    """Give the gate as a test; ``command`` prints all that flipped."""
    if shown.gate is None:
        return []
    gate = shown.gate
    name = f"{OPTION} {gate.limit or 0.0:g} on {block.words(tier_of(gate))}"
    outcome = gate.outcome or GateOutcome.UNCLEAR
    return [GateCase(name, outcome, gate_headline(gate), flipped(shown, command))]


@dataclass(frozen=True)
class _Flipped:
    """What the table of flips takes: two models and the bundles that one of them passes."""

    baseline: str
    candidate: str
    flips: tuple[Flip, ...]


def flipped(shown: BoardComparison, command: str = "") -> Table | None:
    """List the bundles of the gate's tier that flipped, with their anchors where the eval is at hand."""
    tier = tier_of(shown.gate) if shown.gate else OVERALL
    records = [flip for flip in shown.flips if tier in (OVERALL, flip.tier)]
    if not records:
        return None
    flips = tuple(Flip(flip.item, flip.baseline, flip.candidate) for flip in records)
    anchors = {flip.item: flip.anchor for flip in records if flip.anchor}
    models = _Flipped(shown.a.label, shown.b.label, flips)
    return flip_table(models, anchors, MOST_FLIPS, command=command)


def changes(shown: BoardComparison) -> Table:
    """Differences of all figures, tier by tier, and of the pass rates what they were."""
    rows: list[list[Cell | str]] = []
    for name in ("n", *SHOWN, "ties"):
        figure = FIGURES["bundles" if name == "n" else name]
        title = f"{figure.label}, points" if figure.unit == "%" else figure.label
        rows.append([title, *(_delta(name, tier[name]) for tier in shown.tiers.values())])
    notes = ["Plain differences, without a test: the verdict above says what is beyond noise."]
    if shown.items.moved:
        notes.append("Figures by tier use A's tiers for both models.")
    return table(
        "changes",
        f"Figures, B − A: {shown.a.label} (A) and {shown.b.label} (B)",
        ["Figure", *(show.capital(block.words(tier)) for tier in shown.tiers)],
        rows,
        note=" ".join(notes),
    )


def _delta(name: str, change: FigureChange) -> Cell:
    if name == "n":
        return Cell(" / ".join(dict.fromkeys(show.count(int(size or 0)) for size in (change.a, change.b))))
    if change.delta is None or change.a is None or change.b is None:
        return undefined(change.reason or "")
    if FIGURES[name].unit == "%":
        detail = f"{show.rate(change.a)} → {show.rate(change.b)}" if name == "pass_rate" else ""
        return Cell(show.points(change.delta), detail)
    text = f"{change.delta:+,}" if name == "ties" else f"{change.delta:+.3f}"
    return Cell(text.replace("-", show.MINUS) if round(change.delta, 3) else "0")


def two_evals(shown: TwoEvals, command: str = "") -> Document:
    """Show how both gates end, then each gate, and for each eval what flipped and the figures."""
    ends, sentences, sections = list[str](), list[str](), list[Section]()
    for name, compared in shown.evals.items():
        gate = compared.gate
        if gate is None:
            continue
        on = name if tier_of(gate) == OVERALL else f"{name} {block.words(tier_of(gate))}"
        gap = "" if gate.drop is None else f" ({show.points(0.0 - gate.drop)} points)"
        ends.append(f"{on} {gate.outcome}{gap}")
        title, rest = _gate_opening(gate, compared.gate_moved)
        sentences.append(f"{show.capital(name)}. {' '.join([f'{title}.', *rest])}")
        beware = " ".join(f"{show.capital(block.sentence(text))}." for text in compared.comparison.cautions)
        tables = tuple(
            replace(one, name=f"{name}-{one.name}", title=f"{show.capital(name)}: {one.title}")
            for one in present(flipped(compared, command), changes(compared))
        )
        sections.append(Section(name, f"On the {name} eval", beware, tables=tables, in_terminal=True))
    limit, stamp = block.Scale().size(shown.max_drop), STAMP if shown.exploratory else ""
    title = (
        f"{stamp}{ENDED[shown.outcome]}. {shown.candidate} against {shown.baseline}: "
        f"{' and '.join(ends)}. Neither may fall by more than {limit}"
    )
    facts = {"Baseline": shown.baseline, "Candidate": shown.candidate}
    return Document("bundles gate", title, tuple(sentences), facts, tuple(sections))


def two_cases(shown: TwoEvals, command: str = "") -> list[GateCase]:
    """Give both gates as tests; ``command`` prints all that flipped."""
    return [
        replace(case, name=f"{name}: {case.name}", line=f"{show.capital(name)}. {case.line}")
        for name, compared in shown.evals.items()
        for case in gate_cases(compared, command)
    ]


def canaries(record: CanaryRecord, command: str = "") -> Document:
    """Show the gate, what to beware of, and the canaries that fail; ``command`` lists all."""
    cautions = tuple(f"{show.capital(block.sentence(caution))}." for caution in record.cautions)
    rows: list[list[Cell | str]] = [
        [
            Cell(failed.item, failed.anchor or ""),
            failed.tier or show.DASH,
            show.any_size(failed.margin) if failed.margin else "0 (tie)",
        ]
        for failed in record.failed[:MOST_FAILED]
    ]
    hidden = len(record.failed) - MOST_FAILED
    note = f"{show.count(hidden)} more{f'; to list all: {command}' if command else ''}" if hidden > 0 else ""
    title = f"Canaries that {record.model} fails: {show.count(len(record.failed))}"
    failed = table("failed", title, ["Bundle", "Tier", "Margin"], rows, words=2, note=note)
    section = Section("failed", "Canaries that fail", tables=(failed,) if rows else (), in_terminal=True)
    facts = {"Scoreboard": record.scoreboard}
    return Document("bundles canary", block.sentence(canary_line(record)), cautions, facts, (section,))


def canary_line(record: CanaryRecord) -> str:
    """Say how the gate ended, and on what grounds."""
    lead = f"{ENDED[record.outcome]}."
    if record.value is None:
        return f"{lead} There are no canaries in {block.words(record.tier)}."
    on = "" if record.tier == OVERALL else f" of {block.words(record.tier)}"
    span = f" (95 % interval {show.rate_range(record.ci)})" if record.ci else " (no interval)"
    where = {
        GateOutcome.PASSED: "above the floor of",
        GateOutcome.FAILED: "below the floor of",
        GateOutcome.UNCLEAR: "and the floor is",
    }[record.outcome]
    line = (
        f"{lead} {record.model} passes {show.percent(record.value)} of {show.plural(record.n, 'bundle')}{on}"
        f"{span}, {where} {show.percent(record.floor)}."
    )
    if record.reason:
        line += f" {show.capital(block.sentence(record.reason))}."
    return line


def canary_case(record: CanaryRecord) -> GateCase:
    """Give the gate as a test."""
    name = f"--floor {record.floor:g} on {block.words(record.tier)}"
    return GateCase(name, record.outcome, canary_line(record))

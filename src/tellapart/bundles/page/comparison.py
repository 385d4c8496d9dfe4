"""What the commands with gates show: two scoreboards compared, two evals, and canaries."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tellapart.bundles.canary import CanaryRecord
from tellapart.bundles.compare import BoardComparison, FigureChange
from tellapart.bundles.figures import SHOWN, Summary
from tellapart.bundles.gates import OPTION
from tellapart.bundles.page.boards import STAMP, slice_table
from tellapart.bundles.page.terminal import Brief
from tellapart.bundles.tier_names import OVERALL, TIERS
from tellapart.bundles.two_evals import TwoEvals
from tellapart.core.comparison import Flip, GateOutcome
from tellapart.report import comparison as block
from tellapart.report import numbers as show
from tellapart.report.document import present
from tellapart.report.gates import ENDED, MOST_FLIPS, GateCase, flip_table, gate_headline
from tellapart.report.tables import Cell, Table, table, undefined

MOST_FAILED = 20
"""So many canaries that fail are listed; JSON has all."""


def comparison(shown: BoardComparison, command: str = "") -> Brief:
    """Show the gate first, then the verdict, what flipped, and the figures; ``command`` prints all flips."""
    stamp = STAMP if shown.record.exploratory else ""
    first, *others = [*gate_lines(shown), f"{block.headline(shown.comparison)}."]
    cautions = [f"{block.sentence(caution)}." for caution in shown.comparison.cautions[1:]]
    tables = present(
        block.pair_table(shown.comparison),
        block.strata_table(shown.comparison, order=shown.slices.values if shown.slices else TIERS),
        flipped(shown, command),
        slice_table(shown.slices) if shown.slices else None,
        changes(shown),
    )
    return Brief(stamp + first, (*others, *cautions, *_remarks(shown)), tables)


def gate_lines(shown: BoardComparison) -> list[str]:
    """Say how the gate ended, and what it is on."""
    lines = [gate_headline(judged.gate) for judged in shown.gates]
    return [*lines, *(f"The gate is on all bundles, for {gate.why}." for gate in shown.gates if gate.why)]


def gate_cases(shown: BoardComparison, command: str = "") -> list[GateCase]:
    """Give the gates as tests; ``command`` prints all that flipped."""
    return [
        GateCase(
            f"{OPTION} {judged.gate.limit:g} on {block.words(judged.tier)}",
            judged.gate.outcome or GateOutcome.UNCLEAR,
            gate_headline(judged.gate),
            flipped(shown, command),
        )
        for judged in shown.gates
    ]


def _remarks(shown: BoardComparison) -> list[str]:
    """Say what to know about the figures; what decides on the verdict stands with it."""
    items = shown.record.items
    remarks = ["Figures by tier use A's tiers for both models."] if items.moved else []
    if items.reshaped:
        count = show.count(items.reshaped)
        remarks.append(f"{count} shared bundles have a different number of negatives in B.")
    return remarks


@dataclass(frozen=True)
class _Flipped:
    """What the table of flips takes: two models and the bundles that one of them passes."""

    baseline: str
    candidate: str
    flips: tuple[Flip, ...]


def flipped(shown: BoardComparison, command: str = "") -> Table | None:
    """List the bundles of the gates' tier that flipped, with their anchors where the eval is at hand."""
    tier = shown.gates[0].gate.scope.partition("=")[2] if shown.gates else ""
    records = [flip for flip in shown.record.flips if tier in ("", flip.tier)]
    if not records:
        return None
    flips = tuple(Flip(flip.item, flip.baseline, flip.candidate) for flip in records)
    anchors = {flip.item: flip.anchor for flip in records if flip.anchor}
    models = _Flipped(shown.record.a.label, shown.record.b.label, flips)
    return flip_table(models, anchors, MOST_FLIPS, command=command)


def changes(shown: BoardComparison) -> Table:
    """Differences of all figures, tier by tier, and of the pass rates what they were."""
    record = shown.record
    rows: list[list[Cell | str]] = []
    for name in ("n", *SHOWN, "ties"):
        title = SHOWN[name].title if name in SHOWN else {"n": "bundles"}.get(name, name)
        unit = ", points" if name in SHOWN and SHOWN[name].summary is Summary.SHARE else ""
        rows.append([f"{title}{unit}", *(_delta(name, tier[name]) for tier in record.tiers.values())])
    margins = record.a.margin_unit
    in_units = f" Margins are in units of {margins}." if margins == record.b.margin_unit and margins else ""
    return table(
        "changes",
        f"Figures, B − A: {record.a.label} (A) and {record.b.label} (B)",
        ["Figure", *map(block.words, record.tiers)],
        rows,
        note=f"Plain differences, without a test: the verdict above says what is beyond noise.{in_units}",
    )


def _delta(name: str, change: FigureChange) -> Cell:
    if name == "n":
        return Cell(" / ".join(dict.fromkeys(show.count(int(size or 0)) for size in (change.a, change.b))))
    delta = change.delta
    if delta is None or change.a is None or change.b is None:
        return undefined(change.reason or "")
    if name in SHOWN and SHOWN[name].summary is Summary.SHARE:
        return Cell(
            show.points(delta),
            f"{show.rate(change.a)} → {show.rate(change.b)}" if name == "pass_rate" else "",
        )
    text = f"{delta:+,}" if name == "ties" else f"{delta:+.3f}"
    return Cell(text.replace("-", show.MINUS) if round(delta, 3) else "0")


def two_evals(shown: TwoEvals, command: str = "") -> Brief:
    """Show how both gates end, then each gate, and for each eval what flipped and the figures."""
    record, ends = shown.record, []
    sentences: list[str] = []
    tables: list[Table] = []
    for name, compared in shown.evals.items():
        (judged,) = compared.gates
        on = name if judged.tier == OVERALL else f"{name} {block.words(judged.tier)}"
        gap = "" if judged.gate.drop is None else f" ({show.points(0.0 - judged.gate.drop)} points)"
        ends.append(f"{on} {judged.gate.outcome}{gap}")
        cautions = [show.capital(f"{block.sentence(text)}.") for text in compared.comparison.cautions]
        lines = [*gate_lines(compared), *cautions, *_remarks(compared)]
        sentences += [f"{show.capital(name)}. {line}" for line in lines]
        tables += [
            replace(one, name=f"{name}-{one.name}", title=f"{show.capital(name)}: {one.title}")
            for one in present(flipped(compared, command), changes(compared))
        ]
    limit, stamp = block.Scale().size(record.max_drop), STAMP if record.exploratory else ""
    title = (
        f"{stamp}{ENDED[shown.outcome]}. {record.candidate} against {record.baseline}: "
        f"{' and '.join(ends)}. Neither may fall by more than {limit}."
    )
    return Brief(title, tuple(sentences), tuple(tables))


def two_cases(shown: TwoEvals, command: str = "") -> list[GateCase]:
    """Give both gates as tests; ``command`` prints all that flipped."""
    return [
        replace(case, name=f"{name}: {case.name}", line=f"{show.capital(name)}. {case.line}")
        for name, compared in shown.evals.items()
        for case in gate_cases(compared, command)
    ]


def canaries(record: CanaryRecord, command: str = "") -> Brief:
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
    return Brief(canary_line(record), cautions, (failed,) if rows else ())


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
    if record.outcome is GateOutcome.UNCLEAR and not record.can_pass and record.reason:
        line += f" {show.capital(block.sentence(record.reason))}."
    return line


def canary_case(record: CanaryRecord) -> GateCase:
    """Give the gate as a test."""
    name = f"--floor {record.floor:g} on {block.words(record.tier)}"
    return GateCase(name, record.outcome, canary_line(record))

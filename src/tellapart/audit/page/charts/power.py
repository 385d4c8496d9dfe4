"""Items needed against the gap between two models."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np

from tellapart.audit.page.sentences import scale
from tellapart.audit.results import Findings, Pair
from tellapart.core.comparison.plan import Spread, whole
from tellapart.report import numbers as show
from tellapart.report.charts import Axis, Chart, Drawing, Point, Rule, curves
from tellapart.report.comparison import Scale
from tellapart.report.palette import looks

FEW = 6
"""So many pairs have a curve and a line in the key each; of more, three stand for all."""

_LEAST, _STEPS = 10, 60


def power_chart(findings: Findings) -> Chart | None:
    """Curves of items needed against the gap, with the items there are; None without a spread."""
    varying = _known(findings)
    if not varying:
        return None
    power = show.whole_percent(findings.options.power)
    which = (
        "one curve per pair"
        if len(varying) <= FEW
        else "curves of the pairs whose differences vary least, typically and most from item to item"
    )
    description = (
        f"Items needed to find a gap between two models with {power} power, by the test and at the level of "
        f"the next pair to be separated (logarithmic axes): {which}. The dashed line is the items there are."
    )
    return Chart("power", _conclusion(findings), description, lambda width: _draw(findings, width))


def _known(findings: Findings) -> list[Pair]:
    """Pairs whose differences vary, the one that needs most items for a given gap last."""
    return sorted(
        (pair for pair in findings.pairs if pair.sd), key=lambda pair: (_noise(pair), pair.a, pair.b)
    )


def _noise(pair: Pair) -> float:
    return (pair.sd or 0.0) * float(np.sqrt(pair.design_effect or 1.0))


def _curves(findings: Findings) -> dict[str, Pair]:
    """The pairs that are drawn as curves, by what the key calls them."""
    varying = _known(findings)
    if len(varying) <= FEW:
        return {pair.names: pair for pair in varying}
    return {
        "quietest pair": varying[0],
        "median pair": varying[len(varying) // 2],
        "noisiest pair": varying[-1],
    }


def _conclusion(findings: Findings) -> str:
    n, smallest = findings.comparison.resolution[0]
    there = show.plural(n, "item")
    if smallest is None:
        return f"{there} are too few for any of these gaps"
    return f"{there} are enough for gaps of {scale(findings).size(smallest)} or more"


def _needed(findings: Findings, pair: Pair, gaps: Sequence[float]) -> list[int | None]:
    """Items that the pair would need, were its gap another."""
    needed = _spread(findings, pair).items(np.array(gaps), findings.planned_level, findings.options.power)
    return [whole(float(n)) for n in needed]


def _spread(findings: Findings, pair: Pair) -> Spread:
    low, high = findings.limits
    return Spread.of([pair], inf if low is None or high is None else high - low)


def _gaps(pair: Pair, span: tuple[float, float]) -> list[float]:
    """Gaps from one end to the other, evenly in logarithms; between scores of 0 and 1 none is above 1."""
    high = min(span[1], 1.0) if pair.binary else span[1]
    return [float(gap) for gap in np.geomspace(span[0], max(high, span[0]), _STEPS)]


def _draw(findings: Findings, width: int) -> Drawing:
    lines, domain = _curves(findings), _domain(findings)
    needed = Axis("Items needed (log)", (_LEAST, show.MANY), [10, 100, 1000, 10_000, 100_000], "~s", log=True)
    return curves(
        [point for name, pair in lines.items() for point in _curve(findings, name, pair, domain)],
        width,
        Axis(f"Gap, {scale(findings).gap_unit} (log)", domain, 5, "~g", log=True),
        needed,
        looks=looks(list(lines)),
        key={name: name for name in lines},
        rules=[Rule(findings.items, f"{show.count(findings.items)} there")]
        if findings.items >= _LEAST
        else [],
        height=290,
    )


def _unit(form: Scale) -> float:
    return 100.0 if form.rates else 1.0


def _domain(findings: Findings) -> tuple[float, float]:
    """Ends of the axis of gaps: all that were seen, and from what 100,000 items find to what 10 do."""
    unit = _unit(scale(findings))
    known = _known(findings)
    ends = [
        _spread(findings, pair).gap(n, findings.planned_level, findings.options.power) or 0.0
        for pair, n in ((known[0], show.MANY), (known[-1], _LEAST))
    ]
    seen = [abs(pair.difference) for pair in findings.pairs if pair.difference]
    low, high = min([ends[0], *seen]), max([ends[1], *seen])
    return unit * max(low, high / 10_000) * 0.9, unit * high * 1.1


def _curve(findings: Findings, name: str, pair: Pair, domain: tuple[float, float]) -> list[Point]:
    unit = _unit(scale(findings))
    gaps = _gaps(pair, (domain[0] / unit, domain[1] / unit))
    needed = zip(gaps, _needed(findings, pair, gaps), strict=True)
    return [Point(gap * unit, items, name) for gap, items in needed if items and _LEAST <= items <= show.MANY]

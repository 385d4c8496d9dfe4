"""Exposure of a legacy pool in a terminal and as a page: where the plan stands, and what would mend it."""

from __future__ import annotations

from dataclasses import asdict
from math import ceil, floor, log10

from rich.console import RenderableType
from rich.text import Text

from tellapart.bundles.exposure import Exposure
from tellapart.bundles.exposure_plan import ExposurePlan
from tellapart.report import numbers as show
from tellapart.report.charts import Axis, Band, Chart, Drawing, Point, curves
from tellapart.report.document import Document, Section
from tellapart.report.palette import looks
from tellapart.report.tables import Cell, Table, table, undefined
from tellapart.report.terminal import fitted_table, rich_list

_BANDS = (("healthy", 50.0), ("warning", 30.0), ("critical", 10.0), ("severe", 0.0))
_SHADES = {"healthy": 0.0, "warning": 0.3, "critical": 0.6, "severe": 1.0}
_NAMES = {"legacy_ratio": "legacy ratio", "steps": "steps", "pool_size": "pool size"}
_REACH = 10
"""The axis of pool sizes goes from a tenth of the present one to ten times it."""


def terminal(planned: Exposure) -> list[RenderableType]:
    """Show the verdict first, then what would restore a healthy exposure."""
    return [
        Text(headline(planned), style="bold"),
        rich_list(verdict(planned)),
        fitted_table(restoring(planned)),
    ]


def document(planned: Exposure) -> Document:
    """Arrange the planned as a report."""
    plan = planned.plan
    curve = Section(
        "pool",
        "Exposure and pool size",
        "The larger the pool, the more thinly the same draws are spread over it.",
        charts=(chart(planned),) if planned.exposure else (),
        tables=(restoring(planned),),
    )
    words = [
        word for name, value in asdict(plan).items() for word in (f"--{name.replace('_', '-')}", str(value))
    ]
    return Document(
        "bundles: exposure of the legacy pool",
        headline(planned),
        tuple(verdict(planned)),
        _facts(plan),
        (curve,),
        {"Formula": "steps × batch size × tier-3 probability × legacy ratio / pool size"},
        (f"tellapart bundles exposure {' '.join(words)}",),
    )


def headline(planned: Exposure) -> str:
    """Say how often each item will be seen, and what that is called."""
    return f"Each legacy item will be seen {times(planned.exposure)} times on average: {planned.status}"


def verdict(planned: Exposure) -> list[str]:
    """Say what to do, and what the average hides."""
    shares = ", ".join(
        f"{share_of_pool(share)} fewer than {times} times" for times, share in planned.seen_fewer.items()
    )
    return [
        f"{planned.action}.",
        f"Of the pool, {shares} if each place in a batch is drawn by itself; a sampler that goes round the "
        "pool spreads its draws more evenly.",
    ]


def restoring(planned: Exposure) -> Table:
    """What one change alone would make exposure just healthy."""
    plan = planned.plan
    now = {"legacy_ratio": _ratio, "steps": show.count, "pool_size": show.count}
    forms = now | {"legacy_ratio": least_ratio}
    bounds = {"legacy_ratio": "at least", "steps": "at least", "pool_size": "at most"}
    rows: list[list[Cell | str]] = [
        [
            name,
            now[key](getattr(plan, key)),
            undefined(planned.why_not[key])
            if (limit := getattr(planned.to_restore, key)) is None
            else Cell(f"{bounds[key]} {forms[key](limit)}"),
        ]
        for key, name in _NAMES.items()
    ]
    healthy = planned.status == "healthy"
    return table(
        "restoring",
        "What could be given up, one thing alone, before exposure falls below 50"
        if healthy
        else "What would restore 50 exposures, one change alone",
        ["Value", "Now", "Keeps 50" if healthy else "Restores 50"],
        rows,
    )


def chart(planned: Exposure) -> Chart:
    """Exposure against pool size, with the present plan; needs an exposure above 0."""
    pool, wanted = planned.plan.pool_size, planned.to_restore.pool_size
    limit = (
        f"it is healthy up to {show.plural(wanted, 'item')}" if wanted else "no pool is small enough for 50"
    )
    return Chart(
        "exposure",
        f"A pool of {show.plural(pool, 'item')} is seen {times(planned.exposure)} times an item; {limit}",
        "Expected exposures of each item against the size of the pool, all else as planned, both on "
        "logarithmic axes; the stronger the band, the less healthy.",
        lambda width: _draw(planned, width),
    )


def _draw(planned: Exposure, width: int) -> Drawing:
    now, pool = planned.exposure, planned.plan.pool_size
    draws = now * pool
    sizes = (max(1.0, pool / _REACH), float(pool * _REACH))
    ends = (min(5.0, draws / sizes[1] / 2), max(100.0, draws / sizes[0]))
    # The names of the bands stand where the line, which falls from left to right, is not among them.
    right = draws / sizes[0] <= 150
    tops = [ends[1], *(least for _, least in _BANDS[:-1])]
    bands = [
        Band(max(least, ends[0]), top, name, "y", _SHADES[name], right=right)
        for (name, least), top in zip(_BANDS, tops, strict=True)
    ]
    present = Point(pool, now, size=110, text=f"{show.plural(pool, 'item')}, {times(now)}")
    return curves(
        [Point(size, draws / size, "plan") for size in sizes],
        width,
        Axis("Items in the legacy pool (log)", sizes, 5, "~s", log=True),
        Axis("Expected exposures (log)", ends, _ticks(ends), "~s", log=True),
        looks=looks(["plan"]),
        marks=[present],
        bands=bands,
        height=330,
    )


def _ticks(ends: tuple[float, float]) -> list[float]:
    """Ticks at the thresholds and at the powers of ten."""
    powers = [10.0**power for power in range(floor(log10(ends[0])), ceil(log10(ends[1])) + 1)]
    thresholds = [least for _, least in _BANDS if least] if ends[1] / ends[0] < 1e5 else []
    return sorted({value for value in (*powers, *thresholds) if ends[0] <= value <= ends[1]})


def _facts(plan: ExposurePlan) -> dict[str, str]:
    return {
        "Steps": show.count(plan.steps),
        "Batch size": show.count(plan.batch_size),
        "Tier-3 probability": f"{plan.tier3_probability:g}",
        "Legacy ratio": f"{plan.legacy_ratio:g}",
        "Pool": show.plural(plan.pool_size, "item"),
    }


def times(exposure: float) -> str:
    """One decimal, but never a threshold that is not reached: 49.96 is not 50.0."""
    digits = next((d for d in (1, 2, 3, 4) if (round(exposure, d) >= 50) == (exposure >= 50)), 6)
    return f"{exposure:,.{digits}f}" if exposure >= 1 or not exposure else show.significant(exposure)


def _ratio(value: float) -> str:
    return f"{value:.4g}"


def least_ratio(value: float) -> str:
    """Rounded up, so that what is shown is enough."""
    return f"{ceil(round(value * 10**4, 6)) / 10**4:g}"


def share_of_pool(share: float) -> str:
    """Give a share in percent, never rounded to none or all."""
    if 0 < share < 0.001:
        return "< 0.1 %"
    return "> 99.9 %" if 0.999 < share < 1 else show.percent(share)

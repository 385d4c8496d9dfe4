"""Charts of a contrastive run, each with the sentence that it proves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from tellapart.contrastive.page.methods import SETUP_NAMES, setup_pairs, setups
from tellapart.contrastive.page.slots import FIFTHS, by_fifths, slot_preferences
from tellapart.contrastive.page.tables import AS_SEEN, declared_level
from tellapart.contrastive.page.view import View, short_names
from tellapart.contrastive.results import ByModel, Ends, ModelResult, SelectionBias, SetUps
from tellapart.core.comparison import Comparison, PairComparison
from tellapart.core.estimate import Estimate
from tellapart.report import numbers as show
from tellapart.report.charts import (
    REFERENCE,
    WIDE,
    Axis,
    Bin,
    Chart,
    Drawing,
    Point,
    Row,
    Rule,
    curves,
    histogram,
    rows,
)
from tellapart.report.comparison import items_as_seen, scope, scope_words, words
from tellapart.report.palette import looks

_RIGHT = Axis("Items answered right, %", (0, 100), 6)
_LEAST = 10
_NEEDED = Axis(
    "Items needed (log)", (_LEAST, show.MANY), [10, 100, 1000, 10_000, 100_000], "~s", log=True, grid=True
)

_BINS = 24
_TAIL = 0.98
"""Share of the gaps that the axis spans; the last bar holds the rest, which may lie far out."""

_USEFUL, _STRONG = 0.6, 0.75
"""From these AUROCs on, the heading says that the gap helps, and that it helps a lot."""

Pairs = Mapping[str, Sequence[PairComparison]]
"""By the name of a row, such as a level, every pair of models on its items."""

Effects = dict[str, tuple[float, Ends | None]]
"""By selector, its effect on its own model with the 95 % interval."""


def accuracy_chart(view: View) -> Chart:
    """Accuracy of each model at each level, with intervals and the line of chance."""
    levels = view.report.by_difficulty
    description = (
        f"Accuracy in percent of {show.listed(view.models)} at the levels {show.listed(view.levels)}, "
        "with 95 % intervals; the broken grey line is the accuracy of guessing."
    )
    chance = [
        Point(i, 100 * rate, "chance")
        for i, level in enumerate(view.levels)
        if (rate := view.chance[level]) is not None
    ]
    axis = Axis(
        "Level of difficulty",
        names=[(level, show.count(view.distractors[level])) for level in view.levels],
        below="number of distractors",
    )
    points = [*chance, *_accuracies([levels[level] for level in view.levels], view.models)]
    names = short_names(view.models) if view.of_language_models else {name: name for name in view.models}
    return Chart(
        "accuracy",
        _falls(view),
        description,
        lambda width: curves(
            points,
            width,
            axis,
            _RIGHT,
            looks={"chance": REFERENCE, **looks(view.models)},
            key={**names, **({"chance": "chance"} if chance else {})},
            beside=True,
            height=300,
        ),
    )


def _accuracies(steps: Sequence[ByModel], models: Sequence[str]) -> list[Point]:
    """Accuracy of each model at each step, with its interval; none where no answer was scored."""
    points = []
    for model in models:
        for i, step in enumerate(steps):
            rate = _rate(step, model)
            if rate is not None:
                low, high = step[model].accuracy_ci or (rate, rate)
                points.append(Point(i, 100 * rate, model, 100 * low, 100 * high))
    return points


def _rate(step: ByModel, model: str) -> float | None:
    return step[model].accuracy if model in step else None


def _known(step: ByModel, model: str) -> ModelResult | None:
    result = step.get(model)
    return None if result is None or result.accuracy is None else result


def _is_below(last: ModelResult, first: ModelResult) -> bool:
    """Whether the interval of one accuracy lies below that of another."""
    return bool(last.accuracy_ci and first.accuracy_ci and last.accuracy_ci[1] < first.accuracy_ci[0])


def _falls(view: View) -> str:
    first_step, last_step = (view.report.by_difficulty[level] for level in (view.levels[0], view.levels[-1]))
    both = [(_known(first_step, model), _known(last_step, model)) for model in view.models]
    first_and_last = [(first, last) for first, last in both if first and last]
    if len(view.levels) < 2 or not first_and_last:
        return (
            f"Accuracy at {words(view.levels[0])}, the one level that was asked"
            if len(view.levels) == 1
            else "No accuracy is known"
        )
    before, after = (
        show.between([result.accuracy or 0.0 for result in results], show.whole_percent)
        for results in zip(*first_and_last, strict=True)
    )
    fell = sum(_is_below(last, first) for first, last in first_and_last)
    n_models = len(first_and_last)
    who = {n_models: "Every model", 0: "No model"}.get(fell, f"{fell} of {n_models} models")
    verb = "fall" if 1 < fell < n_models else "falls"
    first, last = words(view.levels[0]), words(view.levels[-1])
    order = f"; {_order(view)}" if view.comparison else ""
    return f"{who} {verb} beyond the 95 % intervals: {before} right at {first}, {after} at {last}{order}"


def _order(view: View) -> str:
    """Which models change places, each being better than the other at some level, all looks corrected."""
    detail = view.comparison.secondary if view.comparison else None
    ahead = {(pair.ahead, pair.behind) for pair in detail.separated} if detail else set()
    turned = [f"{a} and {b}" for a, b in sorted(ahead) if a < b and (b, a) in ahead]
    if turned:
        return f"{show.listed(turned)} change places" + (" on the way" if len(turned) == 1 else "")
    return "no two models change places beyond chance"


def items_needed_chart(comparison: Comparison, levels: Sequence[str]) -> Chart:
    """Items needed by each pair, on the items that the verdict is about and at each level."""
    primary = comparison.primary
    by_row: dict[str, Sequence[PairComparison]] = {}
    if primary.scope == "all items":
        by_row["all"] = primary.pairs
    if comparison.secondary:
        by_row |= {
            words(level): [pair for pair in comparison.secondary.pairs if pair.stratum == level]
            for level in levels
        }
    declared = words(declared_level(comparison))
    if declared in by_row:
        by_row[declared] = primary.pairs
    description = (
        f"For each pair of models, the items needed {AS_SEEN}: on all items and by level, on a logarithmic "
        "axis; filled where they are separated. A grey mark is the number of items that there are."
    )
    title = _fewest_items(primary.pairs, scope_words(primary.scope))
    return Chart("items-needed", title, description, lambda width: _needed(by_row, width, "Level"))


def _fewest_items(pairs: Sequence[PairComparison], which_items: str) -> str:
    """Say how many items each pair needs, the fewest first, and how many there are, ``of`` which kind."""
    needed = sorted(
        (needed, f"{pair.ahead} and {pair.behind} {items_as_seen(pair.items_needed)}")
        for pair in pairs
        if (needed := pair.items_needed.value) is not None
    )
    if not needed:
        return "Items needed: of no two models a number is known"
    most = 3
    more = f"; {show.plural(len(needed) - most, 'more pair')}" if len(needed) > most else ""
    items = max(pair.n for pair in pairs)
    named = show.listed([text for _, text in needed[:most]])
    which = "" if which_items == "all items" else f" {which_items.removesuffix(' items')}"
    there = f"there are {show.count(items)}{which}"
    return f"Items needed, were the differences the ones seen: {named}{more}; {there}"


def _needed(by_row: Pairs, width: int, heading: str) -> Drawing:
    """A panel a pair, and a row for each entry; rows without the pair stay empty."""
    by_pair = [_needed_row(name, pair) for name, compared in by_row.items() for pair in compared]
    return rows(by_pair, width, _NEEDED, title=heading, least=110)


def _needed_row(name: str, pair: PairComparison) -> Row:
    needed, low, high = pair.items_needed.value, pair.items_needed.low, pair.items_needed.high
    unknown = "not tested" if pair.p is None else "no number"
    return Row(
        name,
        None if needed is None else _clamped(needed),
        low=None if low is None else _clamped(low),
        high=None if low is None else _clamped(high or show.MANY),
        open=low is not None and high is None,
        hollow=not pair.is_separated,
        there=_clamped(pair.n),
        figure=unknown if needed is None else show.items(needed),
        panel=f"{pair.a} – {pair.b}",
    )


def _clamped(items: int) -> int:
    return min(max(items, _LEAST), show.MANY)


def distractors_chart(view: View) -> Chart:
    """How accuracy falls with 1, 2, … of each level's distractors: a panel a model, a line a level."""
    levels = list(view.report.by_distractor_count)
    description = (
        f"For {show.listed(view.models)}, accuracy in percent against the number of distractors drawn at "
        f"random from those of each item, a line for each of the levels {show.listed(levels)}, and the "
        "accuracy of guessing."
    )
    return Chart("distractor-count", _what_counts(view), description, lambda width: _by_count(view, width))


def _what_counts(view: View) -> str:
    """Hold the first level against the last at the largest number of distractors that both have."""
    curves = view.report.by_distractor_count
    first, last = list(curves)[0], list(curves)[-1]
    common = min((len(curve) for level in (first, last) for curve in curves[level].values()), default=0)
    if common == 0:
        return "No accuracy is known"
    if first == last:
        ends = [[curve[at] for curve in curves[first].values()] for at in (0, common - 1)]
        alone, among = (show.between(rates, show.whole_percent) for rates in ends)
        return f"{alone} right with 1 distractor, {among} with {common}"
    easy, hard = (
        [curves[level][model][common - 1] for model in view.models if model in curves[level]]
        for level in (first, last)
    )
    shown = [show.between(rates, show.whole_percent) for rates in (easy, hard)]
    comparison = f"{shown[0]} right at {words(first)} and {shown[1]} at {words(last)}"
    return f"With {show.plural(common, 'distractor')}, {comparison}"


def _by_count(view: View, width: int) -> Drawing:
    most = max(view.distractors[level] for level in view.report.by_distractor_count)
    points = [
        Point(k, 100 * rate, level, panel=model)
        for model in view.models
        for level, by_model in view.report.by_distractor_count.items()
        for k, rate in enumerate(by_model.get(model, []), start=1)
    ]
    points += [
        Point(k, 100 / (k + 1), "chance", panel=name) for name in view.models for k in range(1, most + 1)
    ]
    ticks = [k for k in (1, 4, 9, 14, 19, 29, 49, 99) if k <= most] or [1]
    return curves(
        points,
        width,
        Axis("Distractors", (1, most), ticks, "d"),
        _RIGHT,
        looks={**looks(view.levels), "chance": REFERENCE},
        marks=[],
        panels=view.models,
        least=240,
    )


def gaps_chart(view: View) -> Chart:
    """How far the first option is ahead of the second, for right and for wrong answers, a panel a model."""
    description = (
        f"For {show.listed(view.embedders)}, a histogram of the score of the first option minus the score of "
        "the second: items answered right above the axis, filled; items answered wrong below it, hollow. The "
        "last bar holds all wider gaps."
    )
    return Chart("gap-distribution", _what_a_gap_means(view), description, lambda width: _gaps(view, width))


def _what_a_gap_means(view: View) -> str:
    gaps = [view.report.confidence_gap[model] for model in view.embedders]
    aurocs = [gap.auroc for gap in gaps if gap.auroc is not None]
    if not aurocs:
        return "Answers are all right or all wrong: the confidence gap cannot separate them"
    shown = f"AUROC {show.between(aurocs, lambda value: f'{value:.2f}')}"
    who = (
        f"every {'embedding model' if view.llms else 'model'}"
        if len(aurocs) == len(gaps)
        else f"the {len(aurocs)} of {len(gaps)} models with a value"
    )
    if min(aurocs) >= _STRONG:
        return f"A wide gap means a right answer, for {who} ({shown}); wrong answers crowd near zero"
    if min(aurocs) >= _USEFUL:
        return f"A wide gap makes a right answer likelier, for {who} ({shown})"
    return f"The gap says little about being right, at least for some models ({shown}; 0.5 is nothing)"


def _gaps(view: View, width: int) -> Drawing:
    bins = [bar for model in view.embedders for bar in _bins(view, model)]
    counts = [bar.count for bar in bins]
    y = Axis(
        "Items (wrong ones below)",
        (min(*counts, 0.0), max(*counts, 1.0)),
        6,
        label="format(abs(datum.value), ',')",
    )
    x = Axis("Gap between first and second", ticks=4)
    return histogram(bins, width, x, y)


def _bins(view: View, model: str) -> list[Bin]:
    """Counts by gap, those of wrong answers downwards; an answer is right by a chance above one half."""
    items = view.items.filter((pl.col("model") == model) & pl.col("missing").is_null())
    gap, right = items["confidence_gap"].to_numpy(), (items["correct"] > 0.5).to_numpy()
    end = float(np.quantile(gap, _TAIL)) if len(gap) else 1.0
    edges = np.linspace(0.0, end if end > 0 else 1.0, _BINS + 1)
    clipped, colour = np.minimum(gap, edges[-1]), looks(view.models)[model].colour
    panel = f"{model}\n{show.count(int(right.sum()))} right, {show.count(int((~right).sum()))} wrong"
    return [
        Bin(low, high, sign * count, colour, hollow=sign < 0, panel=panel)
        for sign, mask in ((1.0, right), (-1.0, ~right))
        for low, high, count in zip(edges, edges[1:], np.histogram(clipped[mask], edges)[0], strict=False)
    ]


def validation_charts(validation: SetUps, run: Comparison | None, models: tuple[str, ...]) -> list[Chart]:
    """Accuracy under each set-up, and the items that each pair needs under it; see ``setup_pairs``."""
    steps = {name: setup.models for name, setup in setups(validation).items()}
    points = _accuracies(list(steps.values()), models)
    accuracies = [
        Chart(
            "validation-accuracy",
            _leaves_right(steps, models),
            "Accuracy in percent of each model under each set-up, with 95 % intervals.",
            lambda width: curves(
                points,
                width,
                Axis("Set-up", names=list(steps)),
                _RIGHT,
                looks=looks(models),
                joined=False,
                beside=True,
                height=300,
            ),
        )
    ]
    pairs = setup_pairs(validation, run)
    original = pairs.get(SETUP_NAMES["baseline"])
    if run is None or not original:
        return accuracies
    needed = Chart(
        "validation-needed",
        _before_and_now(original, run.primary.pairs, scope(run.primary)),
        f"Items needed of each pair of models under each set-up, {AS_SEEN}, on a logarithmic axis. A grey "
        "mark is the number of items that there are.",
        lambda width: _needed({words(name): of for name, of in pairs.items()}, width, "Set-up"),
    )
    return [*accuracies, needed]


def _leaves_right(steps: Mapping[str, ByModel], models: Sequence[str]) -> str:
    by_fifths = []
    for name in dict.fromkeys([*list(steps)[:1], *list(steps)[1:][-1:]]):
        rates = [rate for model in models if (rate := _rate(steps[name], model)) is not None]
        share = f"{show.between(rates, show.whole_percent)} right" if rates else "nothing known"
        by_fifths.append(f"{_named(name)} leaves {share}")
    return show.listed(by_fifths)


def _named(setup: str) -> str:
    return "The original method" if setup == SETUP_NAMES["baseline"] else words(setup)


def _before_and_now(original: Sequence[PairComparison], run: Sequence[PairComparison], here: str) -> str:
    """Set the items that pairs need by the original method beside those that they need in this run."""
    before = {(pair.a, pair.b): pair.items_needed for pair in original}
    pairs = [
        f"{pair.a} – {pair.b} {items_as_seen(before.get((pair.a, pair.b)))} and "
        f"{items_as_seen(pair.items_needed)}"
        for pair in run[:3]
    ]
    return (
        f"Items needed by the original method and by this run ({here}), were the differences the ones seen: "
        f"{show.listed(pairs)}"
    )


def bias_chart(bias: SelectionBias) -> Chart | None:
    """Effect of each selector on its own model, with its interval; None where no effect is determined."""
    effects = {
        name: (effect.effect, effect.ci)
        for name, effect in bias.self_effects.items()
        if effect.effect is not None
    }
    if not effects:
        return None
    description = (
        f"Change in accuracy, in percentage points with 95 % intervals, of {show.listed(list(effects))} "
        "on distractors that the model chose itself. Below zero the model punishes itself."
    )
    return Chart("selection-bias", _own_choice(effects), description, lambda width: _bias(effects, width))


def _own_choice(effects: Effects) -> str:
    sure = {name: effect for name, (effect, ends) in effects.items() if _excludes_zero(ends)}
    if not sure:
        return "No model is shown to be helped or hurt by distractors of its own choice"
    by_fifths = [
        f"{name} {'loses' if effect < 0 else 'gains'} {show.points(abs(effect))[1:]} points"
        for name, effect in sorted(sure.items(), key=lambda pair: pair[1])
    ]
    advice = ": choose distractors with a neutral selector" if min(sure.values()) < 0 else ""
    return f"On distractors of its own choice {show.listed(by_fifths)}{advice}"


def _excludes_zero(ends: Ends | None) -> bool:
    return ends is not None and not ends[0] <= 0 <= ends[1]


def _bias(effects: Effects, width: int) -> Drawing:
    by_selector = []
    for name, (effect, ends) in effects.items():
        low, high = (None, None) if ends is None else (100 * end for end in ends)
        span = f" ({show.points_range(ends)})" if ends and width >= WIDE else ""
        figure = f"{show.points(effect)}{span}"
        by_selector.append(Row(name, 100 * effect, low=low, high=high, figure=figure))
    x = Axis("Effect on its own accuracy, points", grid=True)
    return rows(by_selector, width, x, title="Selector", rules=[Rule(0.0, along="y")])


def slots_chart(view: View) -> Chart:
    """For each language model, accuracy by fifth of the list, and the share of first choices there."""
    description = (
        f"For {show.listed(view.llms)}, the share of items answered right, by the fifth of the list in which "
        "the target stands, and the share of answers whose first choice stands in that fifth, both with 95 % "
        "intervals; the broken grey line is that share if the place did not matter."
    )
    title = ". ".join(slot_preferences(view).values())
    return Chart("by-slot", title, description, lambda width: _by_fifth(view, width))


def _by_fifth(view: View, width: int) -> Drawing:
    points = []
    for model in view.llms:
        right, first = (f"{model}\n{what}" for what in ("Items answered right, by target", "Put first"))
        for i, part in enumerate(by_fifths(view, model)):
            points += _fifth(i, model, right, part.right)
            points += [] if part.even is None else [Point(i, 100 * part.even, "even", panel=first)]
            points += _fifth(i, model, first, part.first)
    return curves(
        points,
        width,
        Axis("Fifths of the list", names=FIFTHS),
        Axis("Answers, %", (0, 100), 4),
        looks={"even": REFERENCE, **looks(view.models)},
        key={},
        height=140,
        least=300,
    )


def _fifth(at: int, line: str, panel: str, rate: Estimate) -> list[Point]:
    if rate.value is None:
        return []
    low, high = (None if end is None else 100 * end for end in (rate.low, rate.high))
    return [Point(at, 100 * rate.value, line, low, high, panel=panel)]

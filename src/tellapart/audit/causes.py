"""Why two models are not separated."""

from __future__ import annotations

import math

import numpy as np

from tellapart.audit.evidence import (
    Evidence,
    PairNoise,
    Plan,
    SideBySide,
    backward_items,
    is_the_cause,
    noise_in,
    plan_for,
)
from tellapart.audit.results import Cause, Why
from tellapart.core.comparison import PairComparison, Verdict
from tellapart.core.stats import PairedTest
from tellapart.report.comparison import Scale
from tellapart.report.numbers import capital, p_value, plain, plural, whole_percent

MOSTLY_SOURCES = 2.0
"""From this design effect on, new sources are what is lacking, not items."""

_MOSTLY_LABELS = 0.5

NEAR_END = 0.1
"""Share of the scale within which both means lie, at a ceiling or a floor."""


def explain(pair: PairComparison, evidence: Evidence) -> tuple[Why, ...]:
    """Name what keeps a pair from being separated.

    One cause, the first of these that holds:

    - no scores: one of the two has none at all;
    - missing data: the verdict is withheld; or the items that both models were given would be enough if all
      had their scores;
    - equivalent: as the verdict is, unless both models lie at an end of the scale;
    - too few labels, where people labelled some answers: half the squared error or more comes from these;
      and none of the following, which are about the judge's scores, but too few items;
    - broken items: without those that the *other* models show to rank models backwards, the pair is
      separated, see `tellapart.audit.evidence`;
    - ceiling, floor: both means lie within a tenth of the scale of its end, and both models have the very
      end on at least half the items;
    - grader noise, replicate noise: at least half the variance of the difference is luck of gradings and
      answers, without which the items that there are would settle the pair; or two thirds of it are. The
      larger part is named;
    - too few sources: no scores on so few could separate the two; or sharing a source at least doubles the
      variance;
    - too few items: all else.

    Missing data is named beside another cause where the missing scores leave more room than chance does: any
    values of them could move the difference by more than half its confidence interval.

    """
    if pair.is_separated:
        return ()
    if pair.withheld:
        return (Why(cause=Cause.NOT_INDEPENDENT, text=f"{pair.withheld[:1].upper()}{pair.withheld[1:]}."),)
    if pair.verdict is Verdict.WITHHELD:
        return (_withheld(pair, evidence),)
    without = _without_scores(pair, evidence)
    if without:
        return (without,)
    seen, plan = evidence.of(pair), plan_for(pair, evidence)
    if pair.verdict is Verdict.EQUIVALENT:
        return (_only_at_end(pair, seen, evidence.grid.limits) or _equivalent(pair, seen, evidence),)
    if evidence.grid.human is not None:
        return (_few_labels(pair, evidence) or _too_few(pair, seen, plan, evidence),)
    if not seen.n:
        return (_nothing_shared(pair, seen, evidence),)
    missing = _missing(pair, seen, plan, evidence)
    if missing:
        return (missing,)
    main = (
        _backward(pair, evidence)
        or _at_end(pair, seen, evidence.grid.limits)
        or _noise(pair, seen, plan)
        or _few_sources(pair, plan, evidence)
        or _too_few(pair, seen, plan, evidence)
    )
    wide = _wide_bounds(pair, evidence)
    return (main, wide) if wide else (main,)


def _withheld(pair: PairComparison, evidence: Evidence) -> Why:
    n_missing = sum(sum(evidence.grid.missing[model].values()) for model in (pair.a, pair.b))
    low, high = pair.bounds or (0.0, 0.0)
    what = f"with those the difference could be {_room(pair, evidence.scale)}"
    if low > 0 or high < 0:
        what = f"with the worst of them for {pair.ahead} it would be within chance"
    return Why(
        cause=Cause.MISSING_DATA,
        text=f"On the {plural(pair.n, 'item')} with scores of both models, "
        f"{_difference(pair, evidence.scale)}. But {n_missing:,} of their scores {_be(n_missing)} missing; "
        f"{what}.",
    )


def _missing(pair: PairComparison, seen: SideBySide, plan: Plan, evidence: Evidence) -> Why | None:
    if seen.n_given <= pair.n or seen.parts is None:
        return None
    needed = plan.items()
    if needed is None or not pair.n < needed <= seen.n_given:
        return None
    return Why(
        cause=Cause.MISSING_DATA,
        text=f"{plural(needed, 'item')} would be enough. Both models were given {seen.n_given:,}, but only "
        f"{pair.n:,} {'has' if pair.n == 1 else 'have'} scores of both.",
    )


def _wide_bounds(pair: PairComparison, evidence: Evidence) -> Why | None:
    if pair.interval_95 is None or not pair.misses_more_than_chance_leaves:
        return None
    chance = (pair.interval_95.high - pair.interval_95.low) / 2
    return Why(
        cause=Cause.MISSING_DATA,
        text="The missing scores matter more than chance: with them the difference could be "
        f"{_room(pair, evidence.scale)}, while chance leaves ±{evidence.scale.size(chance)}.",
    )


def _without_scores(pair: PairComparison, evidence: Evidence) -> Why | None:
    missing = evidence.grid.missing
    without = [
        model for model in (pair.a, pair.b) if np.isnan(evidence.grid.scores[evidence.rows[model]]).all()
    ]
    if not without:
        return None
    named = [
        f"{model} has no scores ({', '.join(f'{n:,} {cause}' for cause, n in missing[model].items())})"
        for model in without
    ]
    return Why(cause=Cause.NO_SCORES, text=f"{' and '.join(named)}: nothing to compare.")


def _nothing_shared(pair: PairComparison, seen: SideBySide, evidence: Evidence) -> Why:
    if seen.n_given:
        return Why(
            cause=Cause.MISSING_DATA,
            text=f"Both models were given the same {plural(seen.n_given, 'item')}, but no item has scores of "
            "both.",
        )
    return Why(cause=Cause.TOO_FEW_ITEMS, text=f"{pair.a} and {pair.b} have no item in common.")


def _equivalent(pair: PairComparison, seen: SideBySide, evidence: Evidence) -> Why:
    least = f"less than {evidence.scale.size(evidence.options.least)}, the smallest difference that matters"
    if seen.alike and not pair.difference:
        return Why(cause=Cause.EQUIVALENT, text=f"{_alike(pair)}, and the difference is shown to be {least}.")
    return Why(
        cause=Cause.EQUIVALENT,
        text=f"On {plural(pair.n, 'item')} {_difference(pair, evidence.scale)}, and the difference is shown "
        f"to be {least}.",
    )


def _backward(pair: PairComparison, evidence: Evidence) -> Why | None:
    if not (found := backward_items(pair, evidence)):
        return None
    items, left = found
    rank, them = ("rank", "them") if len(items) > 1 else ("ranks", "it")
    return Why(
        cause=Cause.BROKEN_ITEMS,
        text=f"{plural(len(items), 'item')} {rank} the other {len(evidence.grid.models) - 2:,} models "
        f"backwards; without {them} the two models differ by {evidence.scale.size(left.difference or 0.0)} "
        f"(p = {plain(left.p or 0.0)}).",
    )


def _noise(pair: PairComparison, seen: SideBySide, plan: Plan) -> Why | None:
    if seen.parts is None:
        return None
    noise = noise_in(seen.parts, plan.design_effect)
    if not is_the_cause(noise, plan, pair.n):
        return None
    share = whole_percent(noise.share)
    if noise.gradings > noise.answers:
        return Why(
            cause=Cause.GRADER_NOISE,
            text=f"{share} of the variance of their difference is luck, most of it of the grader, which "
            "gives the same answer different scores.",
        )
    graders = (
        ""
        if noise.graded_again
        else "; how much of it is the grader's is unknown, because no answer was graded twice"
    )
    return Why(
        cause=Cause.REPLICATE_NOISE,
        text=f"{share} of the variance of their difference is luck: asked the same item again, a model "
        f"scores differently{graders}.",
    )


def _too_few(pair: PairComparison, seen: SideBySide, plan: Plan, evidence: Evidence) -> Why:
    sentences = [_how_few(pair, seen, plan, evidence)]
    is_judged = evidence.grid.human is not None
    noise = None if is_judged or not seen.parts else noise_in(seen.parts, plan.design_effect)
    if noise and noise.answered_again and noise.total:
        sentences.append(_between_items(noise))
    return Why(cause=Cause.TOO_FEW_ITEMS, text=" ".join(sentences))


def _how_few(pair: PairComparison, seen: SideBySide, plan: Plan, evidence: Evidence) -> str:
    n, least = plural(pair.n, "item"), evidence.scale.size(evidence.options.least)
    if seen.parts is None:
        return f"{n} says nothing about other items."
    if pair.p is None:
        return f"All {n} come from one source, so nothing is known about other sources."
    if seen.alike:
        if pair.difference:
            return f"On each of {n} {_difference(pair, evidence.scale)}, but so few can agree by chance."
        return f"{_alike(pair)}, but so few cannot rule out a difference of {least} or more."
    needed, lead = plan.items(), _difference(pair, evidence.scale)
    if needed is None or needed <= pair.n:
        return f"On {n} {lead}, which is near {least}, the smallest difference that matters."
    if not pair.difference:
        return f"On {n} {lead}, but so few cannot rule out a difference of {least} or more."
    return f"On {n} {lead}, which is within chance."


def _few_labels(pair: PairComparison, evidence: Evidence) -> Why | None:
    labels = evidence.labels(pair)
    if labels is None:
        return Why(cause=Cause.TOO_FEW_LABELS, text=f"{capital(pair.reason)}.")
    of_labels = labels.labels / labels.labelled
    share = of_labels / labels.standard_error**2 if labels.standard_error else 0.0
    if share < _MOSTLY_LABELS:
        return None
    return Why(
        cause=Cause.TOO_FEW_LABELS,
        text=f"{whole_percent(share)} of the variance of their difference comes from labelling only "
        f"{labels.labelled:,} of {plural(labels.n, 'item')}.",
    )


def _few_sources(pair: PairComparison, plan: Plan, evidence: Evidence) -> Why | None:
    """Name the sources, where no scores on so few could separate the two, or where they vary most."""
    if pair.p is None or pair.clusters >= pair.n:
        return None
    lowest = 2.0 ** (1 - pair.clusters)
    from_ = f"{plural(pair.n, 'item')} come from {plural(pair.clusters, 'source')}"
    if pair.test is PairedTest.SIGN_FLIP and lowest > pair.planned_level:
        text = f"{from_}, so few that p is {p_value(lowest)} or more whatever the scores."
    elif plan.design_effect >= MOSTLY_SOURCES:
        alone = plural(max(1, round(pair.n / plan.design_effect)), "item")
        text = f"{from_}, and those of one source go together: they tell as much as {alone} on their own."
    else:
        return None
    return Why(cause=Cause.TOO_FEW_SOURCES, text=text)


def _alike(pair: PairComparison) -> str:
    return f"{pair.a} and {pair.b} have the same score on each of {plural(pair.n, 'item')}"


def _between_items(noise: PairNoise) -> str:
    between = f"{whole_percent(1 - noise.share)} of the variance of their difference is between items"
    if noise.share > 0.5:
        return f"{between}, so more answers per item would help, but not enough."
    return f"{between}, so more answers per item would {'not help' if noise.share < 0.1 else 'help little'}."


def _difference(pair: PairComparison, scale: Scale) -> str:
    if not pair.difference:
        return "they do not differ"
    return f"{pair.ahead} is ahead of {pair.behind} by {scale.size(pair.difference)}"


def _room(pair: PairComparison, scale: Scale) -> str:
    """The bounds of a - b, as what could be the case."""
    if pair.bounds is None or not all(math.isfinite(end) for end in pair.bounds):
        return "anything"
    unit = " points" if scale.rates else ""
    return f"anything from {scale.gap_span(pair.bounds)}{unit} ({pair.a} less {pair.b})"


def _be(n: int) -> str:
    return "is" if n == 1 else "are"


# Models at an end of the scale, and what they would do on items that are neither too easy nor too hard.


def _at_end(pair: PairComparison, seen: SideBySide, limits: tuple[float, float]) -> Why | None:
    """Check whether both models are at the ceiling or at the floor.

    They are where both means lie within ``NEAR_END`` of the end and both have the very end on half the items
    or more.
    """
    low, high = limits
    near = NEAR_END * (high - low)
    if not seen.n or not math.isfinite(near):
        return None
    means = f"{pair.a} has {plain(seen.mean_a)} and {pair.b} {plain(seen.mean_b)}"
    if min(seen.mean_a, seen.mean_b) >= high - near and 2 * seen.both_highest >= seen.n:
        cause, end, alike = Cause.CEILING, f"the highest possible score, {plain(high)}", seen.both_highest
    elif max(seen.mean_a, seen.mean_b) <= low + near and 2 * seen.both_lowest >= seen.n:
        cause, end, alike = Cause.FLOOR, f"the lowest possible score, {plain(low)}", seen.both_lowest
    else:
        return None
    left = seen.n - alike
    return Why(
        cause=cause,
        text=f"{means}: both have {end}, on {alike:,} of {plural(seen.n, 'item')}; "
        f"{f'only {left:,}' if left else 'none'} can separate them.",
    )


def _only_at_end(pair: PairComparison, seen: SideBySide, limits: tuple[float, float]) -> Why | None:
    """Say that two models which are equivalent here are both at an end of the scale."""
    why = _at_end(pair, seen, limits)
    if why is None:
        return None
    return Why(
        cause=why.cause,
        text=f"{why.text} They are equivalent here; on items where they score near the middle of the scale "
        "they might not be.",
    )

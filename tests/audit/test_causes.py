"""Each cause by a table made for it, and what comes before what."""

import math

import numpy as np
import polars as pl
import pytest

from audit.made_grids import answers, evidence_of, repeated, told
from support.planted_tables import collect_evidence
from tellapart.audit.evidence import (
    MOST_ANSWERS,
    backward_items,
    compare_closely,
    more_answers,
    more_gradings,
    noise_in,
    plan_for,
)
from tellapart.audit.options import AuditOptions
from tellapart.audit.results import Cause
from tellapart.core.comparison import Verdict
from tellapart.core.score_grid import score_grid
from tellapart.core.scores import ScoreTable
from tellapart.core.stats.paired import mcnemar_exact
from tellapart.core.stats.paired_parts import CellNoise, PairedParts
from tellapart.report.headline import about, needed


def causes(evidence) -> list[Cause]:
    return [why.cause for why in told(evidence).why]


def test_separated_pair_has_no_cause() -> None:
    pair = told(evidence_of(answers(20, 30, 5, 20)))
    assert pair.is_separated
    assert pair.why == ()


def test_too_few_items_says_how_many_settle_what_matters() -> None:
    evidence = evidence_of(answers(22, 12, 6, 20))
    pair = told(evidence)
    assert [why.cause for why in pair.why] == [Cause.TOO_FEW_ITEMS]
    # Two tests at .05 show equivalence with 90 % power each, as both must: the normal ones take
    # ((1.645 + 1.282) / .02)^2 x 17.4 / 59, those of a spread known from 60 items a little more.
    assert pair.settle_items == pytest.approx(1.035 * 6316, rel=0.01)
    assert pair.why[0].text == "On 60 items a is ahead of b by 10 points, which is within chance."
    assert f"about {about(pair.settle_items)} in all, would settle 2 points" in pair.fix[0].text


@pytest.mark.parametrize(("cause", "flip"), [(Cause.CEILING, False), (Cause.FLOOR, True)])
def test_ends_of_the_scale(cause: Cause, flip: bool) -> None:
    scores = answers(192, 5, 2, 1)
    if flip:
        scores = {model: [1 - score for score in values] for model, values in scores.items()}
    pair = told(evidence_of(scores))
    assert [why.cause for why in pair.why] == [cause]
    assert "192 of 200 items; only 8 can separate them" in pair.why[0].text


def test_no_ceiling_where_one_mean_is_a_tenth_from_the_end() -> None:
    # b has 89 %.
    assert causes(evidence_of(answers(85, 6, 4, 5))) == [Cause.TOO_FEW_ITEMS]
    # both have 90 %.
    assert causes(evidence_of(answers(85, 5, 5, 5))) == [Cause.CEILING]


def test_equivalent_away_from_the_ends_is_equivalent() -> None:
    pair = told(evidence_of(answers(1500, 11, 9, 1480)))
    assert pair.verdict is Verdict.EQUIVALENT
    assert [why.cause for why in pair.why] == [Cause.EQUIVALENT]


def test_equivalent_for_the_end_of_the_scale_alone_is_ceiling() -> None:
    # All of 500 items right: on items that half pass anything may be the case.
    pair = told(evidence_of(answers(500, 0, 0, 0)))
    assert pair.verdict is Verdict.EQUIVALENT
    assert [why.cause for why in pair.why] == [Cause.CEILING]


def test_a_withheld_verdict_says_that_missing_scores_could_undo_it() -> None:
    # 20 items only a gets right. McNemar's p is .036 with 8 that only b does, and .061 with 9.
    scores = {"a": [1.0] * 70 + [0.0] * 30, "b": [1.0] * 50 + [0.0] * 38 + ["timeout"] * 12}
    evidence = evidence_of(scores)
    (pair,) = evidence.pairs
    assert (pair.verdict, pair.p_adjusted < 0.05, pair.bounds[0] > 0) == (Verdict.WITHHELD, True, True)
    (why,) = told(evidence).why
    assert "12 of their scores are missing" in why.text
    assert why.text.endswith("; with the worst of them for a it would be within chance.")


def test_items_that_were_asked_and_would_do_are_missing_data() -> None:
    # On 60 of 10,000 items both have a score; without a missing one 7,425 such items would settle 2 points.
    scores = answers(20, 15, 6, 19)
    scores = {model: values + [0.0] * 9_940 for model, values in scores.items()}
    scores["a"][60:] = ["timeout"] * 9_940
    pair = told(evidence_of(scores))
    assert pair.verdict is Verdict.NOT_SEPARATED
    assert [why.cause for why in pair.why] == [Cause.MISSING_DATA]
    # With so many missing no number of items would.
    assert pair.settle_items is None
    assert pair.why[0].text == (
        "7,425 items would be enough. Both models were given 10,000, but only 60 have scores of both."
    )
    fewer = {model: values[:7_424] for model, values in scores.items()}
    assert causes(evidence_of(fewer))[0] is Cause.TOO_FEW_ITEMS


def test_sources_are_too_few_where_no_scores_on_them_could_separate() -> None:
    # Flips of 5 sources have no p below 2 / 2^5.
    pair = told(evidence_of(answers(20, 15, 6, 19), cluster=[str(place % 5) for place in range(60)]))
    assert [why.cause for why in pair.why] == [Cause.TOO_FEW_SOURCES]
    assert pair.why[0].text.startswith("60 items come from 5 sources, so few that p is 0.062 or more")
    six = evidence_of(answers(20, 12, 10, 18), cluster=[str(place % 6) for place in range(60)])
    assert causes(six) == [Cause.TOO_FEW_ITEMS]


def test_sources_are_too_few_where_their_items_go_together() -> None:
    # 30 sources of 10 items, of which all ten go the same way: 300 items are worth 30.
    wins = [1.0] * 10 + [0.0] * 12 + [0.5] * 8
    scores = {"a": np.repeat(wins, 10).tolist(), "b": [0.5] * 300}
    pair = told(evidence_of(scores, cluster=[str(place // 10) for place in range(300)]))
    assert [why.cause for why in pair.why] == [Cause.TOO_FEW_SOURCES]
    assert pair.why[0].text == (
        "300 items come from 30 sources, and those of one source go together: they tell as much as "
        f"{300 / pair.design_effect:.0f} items on their own."
    )
    assert pair.design_effect == pytest.approx(10, rel=0.05)
    (fix,) = pair.fix
    assert f"items like these from {about(math.ceil(fix.cost_items / 10))} new sources" in fix.text


def test_missing_scores_that_leave_more_room_than_chance_are_named_beside_the_cause() -> None:
    scores = answers(150, 60, 58, 132)
    scores = {model: values + [0.0] * 100 for model, values in scores.items()}
    scores["b"][400:] = ["provider"] * 100
    assert causes(evidence_of(scores)) == [Cause.TOO_FEW_ITEMS, Cause.MISSING_DATA]
    # A headline without an audit names missing scores in the same cases, as no number of items would do.
    assert needed(told(evidence_of(scores))) == "too many of their scores are missing"
    scores["b"][425:] = [0.0] * 75
    pair = told(evidence_of(scores))
    assert ([why.cause for why in pair.why], pair.settle_items) == ([Cause.TOO_FEW_ITEMS], None)
    assert needed(pair) == "too few items"


def test_no_common_score_is_missing_data_if_asked_and_too_few_items_if_not() -> None:
    assert causes(evidence_of({"a": ["parse", 0.0], "b": [1.0, "judge"]})) == [Cause.MISSING_DATA]
    frame = pl.DataFrame({"model": ["a", "b"], "item": ["x", "y"], "score": [1.0, 0.0]})
    evidence = collect_evidence(score_grid(ScoreTable.from_frame(frame)), AuditOptions())
    assert causes(evidence) == [Cause.TOO_FEW_ITEMS]


def noisy(luck: float, items: int = 60, gap: float = 0.2, sesoi: float = 0.02):
    table = ScoreTable.from_frame(repeated(luck, items, gap), limits=(-math.inf, math.inf))
    return collect_evidence(score_grid(table), AuditOptions(sesoi=sesoi))


def test_luck_of_answers_is_replicate_noise_and_little_of_it_is_not() -> None:
    # a - b is the gap and luck alone, so nearly all of its variance is within items.
    pair = told(noisy(1.0, gap=0.1))
    assert [why.cause for why in pair.why] == [Cause.REPLICATE_NOISE]
    assert "is unknown, because no answer was graded twice" in pair.why[0].text


def test_more_gradings_share_out_the_graders_luck_alone() -> None:
    # Of each model (.2 + .3 / 3) / 2 = .15 is luck, .05 of it the grader's; 3 more gradings halve that.
    cell = CellNoise(answer=0.2, grading=0.3, answers=2.0, gradings=3.0)
    noise = noise_in(PairedParts(50, 0.5, 0.2, cell, cell), 1.0)
    assert (noise.items, noise.answers, noise.gradings) == pytest.approx((0.2, 0.2, 0.1))
    assert noise.with_more(gradings=3) == pytest.approx(0.2 + 0.2 + 0.05)
    assert noise.with_more(answers=2) == pytest.approx(0.2 + 0.1 + 0.05)
    # Clusters double the variance, and the luck of answers has no part in that.
    assert noise_in(PairedParts(50, 0.5, 0.2, cell, cell), 2.0).items == pytest.approx(0.7)


def test_fewest_more_answers_settle_and_one_less_does_not() -> None:
    evidence = noisy(1.0, items=60, gap=0.25, sesoi=0.25)
    pair = evidence.pairs[0]
    plan, noise = plan_for(pair, evidence), noise_in(compare_closely(evidence.grid, 0, 1).parts, 1.0)
    more = more_answers(noise, plan, pair.n)
    assert more is not None
    assert 0 < more <= MOST_ANSWERS
    assert plan.items(noise.with_more(answers=more)) <= pair.n
    assert plan.items(noise.with_more(answers=more - 1)) > pair.n
    assert more_gradings(noise, plan, pair.n) is None


def backward_table(models: int, items: int = 200, backward: int = 50) -> dict[str, list[float]]:
    """Models m00 .. solve items up to their rank, and a a few more than b; some items are turned."""
    rng = np.random.default_rng(7)
    hard = rng.permutation(np.linspace(0, 1, items))
    ability = {f"m{k:02d}": (k + 0.5) / models for k in range(models)} | {"a": 0.55, "b": 0.45}
    scores = {}
    for model, able in ability.items():
        right = (hard < able).astype(float)
        right[:backward] = 1 - right[:backward]
        scores[model] = right.tolist()
    return scores


def test_items_that_rank_the_others_backwards_are_named_where_they_hide_the_difference() -> None:
    evidence = evidence_of(backward_table(12, backward=70))
    pair = told(evidence)
    assert not pair.is_separated
    assert [why.cause for why in pair.why] == [Cause.BROKEN_ITEMS]
    dropped = pair.fix[-1].items
    assert dropped
    assert set(dropped) <= {f"i{place:05d}" for place in range(70)}
    assert list(dropped) == sorted(dropped)


class OthersSay:
    """Curves by which only the models without a pair take the first items for backwards."""

    def __init__(self, items: int, first: int) -> None:
        self.items, self.first = items, first

    def backwards(self, without: tuple[int, ...] = (), items: np.ndarray | None = None) -> np.ndarray:
        assert without in ((), (0, 1))
        return (np.arange(self.items) < (self.first if without else self.items)).astype(float)


def backward_by(first: int, scores: dict[str, list[float]]):
    evidence = evidence_of(scores)
    evidence.__dict__["curves"] = OthersSay(len(scores["a"]), first)
    return backward_items(evidence.pairs[0], evidence)


def test_backward_items_are_those_that_the_models_beyond_the_pair_name() -> None:
    # 6 items for b come first; without them a is ahead by 14 to 2.
    turned, sound = answers(0, 0, 6, 0), answers(10, 14, 2, 10)
    items, left = backward_by(6, {model: turned[model] + sound[model] for model in "ab"})
    assert items == tuple(f"i{place:05d}" for place in range(6))
    assert (left.n, left.difference) == (36, pytest.approx(12 / 36))
    assert left.p == pytest.approx(mcnemar_exact(14, 2))


def test_backward_items_are_not_chosen_by_the_pair_itself() -> None:
    # The two disagree with the others' order wholly; that must flag no item for them.
    scores = backward_table(12, backward=0)
    scores["a"], scores["b"] = scores["m00"], [1 - score for score in scores["m00"]]
    evidence = evidence_of(scores)
    assert backward_items(evidence.pairs[0], evidence) == ()

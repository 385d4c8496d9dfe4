import numpy as np
import polars as pl
import pytest

from reference.variance import crossed_components
from tellapart.core.score_grid import score_grid
from tellapart.core.scores import ScoreTable
from tellapart.core.stats.paired_parts import paired_parts, variance_components

LIMITS = (-np.inf, np.inf)


def grid_of(answers):
    """Cells from ``{(model, item): [answer, ...]}``, an answer being a score or a list of gradings."""
    rows = [
        (model, item, float(score), replicate, grading)
        for (model, item), cell in answers.items()
        for replicate, gradings in enumerate(cell)
        for grading, score in enumerate(gradings if isinstance(gradings, list) else [gradings])
    ]
    columns = ["model", "item", "score", "replicate", "grading"]
    return score_grid(ScoreTable.from_frame(pl.DataFrame(rows, schema=columns, orient="row"), limits=LIMITS))


def drawn(seed, models=5, items=30, answers=2, gradings=1, parts=(1.0, 2.0, 0.5, 1.5, 0.7), kept=1.0):
    """A table with known components: model, item, interaction, answer, grading."""
    rng = np.random.default_rng(seed)
    of_model, of_item = rng.normal(size=models), rng.normal(size=items)
    table = {}
    for m in range(models):
        for i in range(items):
            cell = np.sqrt(parts[0]) * of_model[m] + np.sqrt(parts[1]) * of_item[i]
            cell += np.sqrt(parts[2]) * rng.normal()
            n = answers if isinstance(answers, int) else answers[(m + i) % len(answers)]
            drawn_answers = cell + np.sqrt(parts[3]) * rng.normal(size=n)
            graded = drawn_answers[:, None] + np.sqrt(parts[4]) * rng.normal(size=(n, gradings))
            if rng.random() < kept:
                table[f"m{m}", f"i{i:02}"] = graded.tolist()
    return table


def test_a_table_by_hand():
    # Cell means 2 6 / 2 4: grand mean 3.5, models 4 and 3, items 2 and 5, what is left +-0.5. So the mean
    # squares of cell means are 2 (0.25 + 0.25) = 1 for models, 2 (2.25 + 2.25) = 9 for items, 1 for the rest.
    # Within cells the variances are 2, 2, 0 and 8, mean 3; a mean of two answers has 3/2 of noise.
    found = variance_components(
        grid_of({("a", "x"): [1, 3], ("a", "y"): [5, 7], ("b", "x"): [2, 2], ("b", "y"): [2, 6]})
    )
    assert found.replicate == 3
    assert found.grading is None
    assert found.model_item == pytest.approx(1 - 3 / 2, abs=1e-12)
    assert found.item == pytest.approx((9 - 1) / 2)
    assert found.model == pytest.approx((1 - 1) / 2, abs=1e-12)


def test_gradings_are_taken_out_of_answers_and_of_cells():
    # Gradings (0, 2) and (4, 8): answers 1 and 6, variance between them 12.5, within them 2 and 8.
    found = variance_components(grid_of({("a", "x"): [[0, 2], [4, 8]]}))
    assert found.grading == 5
    assert found.replicate == 12.5 - 5 / 2
    assert (found.model, found.item, found.model_item) == (None, None, None)


@pytest.mark.parametrize("seed", range(3))
def test_gaps_and_unequal_answers_agree_with_dense_projections(seed):
    grid = grid_of(drawn(seed, items=14, answers=(1, 2, 4), gradings=2, kept=0.6))
    found = variance_components(grid)
    noise = (found.replicate + found.grading / 2) / np.maximum(grid.answers, 1)
    model, item, model_item = crossed_components(grid.scores, noise)
    assert found.model == pytest.approx(model, rel=1e-9)
    assert found.item == pytest.approx(item, rel=1e-9)
    assert found.model_item == pytest.approx(model_item, rel=1e-9)


def test_what_cannot_be_told_apart_is_none():
    for table in ({("a", "x"): [1], ("a", "y"): [2]}, {("a", "x"): [1], ("b", "x"): [2]}):
        found = variance_components(grid_of(table))
        assert (found.model, found.item, found.model_item, found.replicate) == (None, None, None, None)
    # Each model has items of its own.
    apart = {("a", "x"): [1], ("a", "y"): [2], ("b", "z"): [2], ("b", "w"): [0]}
    assert variance_components(grid_of(apart)).model_item is None


def test_the_parts_of_a_pair_by_hand():
    # Differences of the means: 2 - 1 = 1, 6 - 2 = 4, 0 - 7 = -7; mean -2/3, variance 31 (deviations 5/3, 14/3
    # and -19/3: squares 25 + 196 + 361 = 582 over 9 and 2). A's cells have variances 2 and 2 and, with a
    # single answer, none; B's single answers say nothing. 1/K_A: mean of 1/2, 1/2 and 1, so K_A = 3/2.
    table = {("a", "x"): [1, 3], ("a", "y"): [5, 7], ("a", "z"): [0]}
    table |= {("b", "x"): [1], ("b", "y"): [2], ("b", "z"): [7], ("b", "w"): [50]}
    parts = paired_parts(grid_of(table), 0, 1)
    assert parts.n == 3
    assert parts.variance == pytest.approx(582 / 18)
    assert (parts.a.answer, parts.a.grading, parts.a.gradings) == (2, None, 1)
    assert parts.a.answers == pytest.approx(3 / 2)
    assert (parts.b.answer, parts.b.answers) == (None, 1)
    assert parts.item == pytest.approx(582 / 18 - 2 / 1.5)
    assert parts.a.of_mean() == pytest.approx(2 / 1.5)
    assert parts.a.of_mean(answers=4) == 0.5
    assert parts.b.of_mean(answers=4) == 0


def test_the_gradings_of_a_pair_are_apart():
    table = {("a", "x"): [[0, 2], [4, 8]], ("a", "y"): [[1, 1], [1, 1]]}
    table |= {("b", "x"): [0, 0], ("b", "y"): [4, 4]}
    parts = paired_parts(grid_of(table), 0, 1)
    # A: gradings (2 + 8 + 0 + 0) / 4; answers (12.5 + 0) / 2 less half of it.
    assert parts.a.grading == 2.5
    assert parts.a.answer == 6.25 - 1.25
    assert (parts.a.answers, parts.a.gradings) == (2, 2)
    assert parts.a.of_mean() == (5 + 2.5 / 2) / 2
    assert parts.a.of_mean(gradings=5) == (5 + 0.5) / 2
    assert parts.b == type(parts.b)(0.0, None, 2.0, 1.0)
    # Differences 3.5 and -3: variance 6.5^2 / 2.
    assert parts.item == 6.5**2 / 2 - 6.25 / 2

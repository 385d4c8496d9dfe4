import polars as pl
import pytest

from tellapart.audit.analysis import cautions, check
from tellapart.core.score_grid import score_grid
from tellapart.core.scores import ScoreTable


def grid(*rows, **columns):
    """Rows of model, item and score; for a score, the cause why it is missing."""
    frame = pl.DataFrame(
        {
            "model": [model for model, _, _ in rows],
            "item": [item for _, item, _ in rows],
            "score": [None if isinstance(score, str) else float(score) for _, _, score in rows],
            "missing": [score if isinstance(score, str) else None for _, _, score in rows],
        },
        schema_overrides={"score": pl.Float64, "missing": pl.String},
    )
    return score_grid(ScoreTable.from_frame(frame.with_columns(pl.Series(n, c) for n, c in columns.items())))


def square(models, n=2, score=lambda m, i: (m + i) % 2):
    return [(name, f"i{i}", score(m, i)) for m, name in enumerate(models) for i in range(n)]


def told(made):
    return {caution.kind: caution.text for caution in cautions(made)}


def test_nothing_to_say_of_a_full_table():
    made = grid(*square("ab"))
    check(made)
    assert cautions(made) == ()


def test_models_that_were_not_asked_the_same():
    rows = [row for row in square("abc", 4) if row[:2] not in {("b", "i0"), ("c", "i0"), ("c", "i3")}]
    text = told(grid(*rows))["not_asked"]
    assert "Of 4 items, not given: c 2, b 1." in text
    # A score that is missing was asked for.
    assert "not_asked" not in told(grid(*square("ab", 2, lambda m, i: "parse" if m and i else i)))


def test_models_without_a_common_item():
    made = grid(("a", "1", 1), ("b", "1", 0), ("b", "2", 1), ("c", "2", 0), ("d", "1", "parse"))
    text = told(made)["no_common_items"]
    assert text == "No item in common, so they cannot be compared: a and c."


def test_models_without_a_score():
    made = grid(*square("ab"), ("c", "i0", "refusal"), ("c", "i1", "budget"))
    found = told(made)
    assert found["no_scores"] == "No scores: c (1 budget, 1 refusal)."
    assert "missing" not in found


@pytest.mark.parametrize(("n_missing", "is_told"), [(3, False), (4, True)])
def test_missing_scores_above_three_in_a_hundred(n_missing, is_told):
    made = grid(*square("ab", 100, lambda m, i: "parse" if m and i < n_missing else i % 2))
    assert ("missing" in told(made)) is is_told
    if is_told:
        assert told(made)["missing"] == "Scores are missing: b 4 % (4 parse)."


def test_replicates_that_differ():
    rows = [*square("ab"), ("a", "i0", 1), ("b", "i0", 0), ("b", "i1", 0)]
    text = told(grid(*rows, replicate=[0, 0, 0, 0, 1, 1, 1]))["uneven_replicates"]
    assert text.startswith("The number of scored answers per item differs: a 1 to 2, b 2. ")
    text = told(grid(*rows[:4], ("a", "i0", 1), ("b", "i0", 0), replicate=[0, 0, 0, 0, 1, 1]))[
        "uneven_replicates"
    ]
    assert text.startswith("The number of scored answers per item differs: a 1 to 2, b 1 to 2. ")
    even = [*square("ab"), *square("ab")]
    assert "uneven_replicates" not in told(grid(*even, replicate=[0] * 4 + [1] * 4))


def test_columns_that_sort_no_items():
    text = told(grid(*square("ab"), outcome=list("wxyz"), tier=list("stst")))["sorts_no_items"]
    assert text == ("Not used to group items, because it differs between answers to the same item: outcome.")

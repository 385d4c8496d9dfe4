import numpy as np
import polars as pl
import pytest

from contrastive.fakes import as_json
from tellapart.contrastive.methods import selection_bias
from tellapart.contrastive.page.methods import bias_tables
from tellapart.errors import InputError

MODELS = {"bm25": 0.05, "lsa": -0.1, "st": 0.2}
SELECTORS = {"fusion": 0.0, "lsa": -0.08, "st": 0.04}
SELF = {"lsa": -0.15, "st": 0.03}


def cell(selector, model, noise=None):
    """Rows of one model under one selector: forty targets in ten files, all as right as planted."""
    accuracy = 0.5 + MODELS[model] + SELECTORS[selector] + SELF.get(model, 0) * (selector == model)
    spread = np.zeros(10) if noise is None else noise[model, selector]
    return [
        {"model": model, "target": f"t{i:02}", "path": f"{i % 10}.py", "correct": accuracy + spread[i % 10]}
        for i in range(40)
    ]


def table(models=MODELS, selectors=SELECTORS, noise=None):
    return {
        selector: pl.DataFrame([row for model in models for row in cell(selector, model, noise)])
        for selector in selectors
    }


def bias(accuracy, seed=1, **options):
    return as_json(selection_bias(accuracy, rng=np.random.default_rng(seed), **options))


def test_a_planted_effect_is_recovered():
    found = bias(table())
    assert list(found["self"]) == ["lsa", "st"]
    assert {name: row["effect"] for name, row in found["self"].items()} == pytest.approx(SELF)
    # Without noise every resample is the sample.
    assert {row["reason"] for row in found["self"].values()} != {None}
    assert {row["ci"] for row in found["self"].values()} == {None}


@pytest.mark.parametrize(
    ("models", "selectors"),
    [(("lsa",), ("fusion", "lsa")), (MODELS, ("lsa",)), (("lsa", "st"), ("lsa", "st"))],
)
def test_an_effect_that_the_design_cannot_tell_is_none(models, selectors):
    found = bias(table(models, selectors))
    for row in found["self"].values():
        assert (row["effect"], row["ci"]) == (None, None)
        assert "add a model or a selector" in row["reason"]
    assert list(found["accuracy"]) == list(selectors)


def test_no_common_target_is_an_error():
    accuracy = table()
    accuracy["st"] = accuracy["st"].with_columns(pl.col("target") + "x")
    with pytest.raises(InputError, match="no target has enough distractors under each of the selectors"):
        bias(accuracy)


@pytest.mark.parametrize(("sources", "title"), [(1, "(40 targets)"), (2, "(80 items of 40 targets)")])
def test_items_of_several_sources_are_no_more_targets(sources, title):
    rows = {selector: pl.concat([frame] * sources) for selector, frame in table().items()}
    result = selection_bias(rows, rng=np.random.default_rng(1))
    assert (result.n, result.targets) == (40 * sources, 40)
    assert bias_tables(result)[1].title == f"Accuracy by selector, % {title}"

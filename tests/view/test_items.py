import numpy as np
import polars as pl
import pytest

from tellapart.errors import UsageError
from tellapart.view.folder import entries
from tellapart.view.items import OUTCOMES, ItemQuery, find_items
from tellapart.view.loaded import load

ITEMS, MODELS = 60, ("ash", "birch", "cedar")


@pytest.fixture(scope="module", params=["binary", "graded"])
def table(request, tmp_path_factory):
    rng = np.random.default_rng(5)
    rows = []
    for place in range(ITEMS):
        for model in MODELS:
            is_missing = rng.random() < 0.15
            score = float(rng.integers(0, 2)) if request.param == "binary" else round(float(rng.random()), 1)
            rows.append(
                {
                    "model": model,
                    "item": f"item-{place:02d}",
                    "score": None if is_missing else score,
                    "missing": ["timeout", "refusal"][place % 2] if is_missing else None,
                    "tier": ["easy", "hard"][place % 2],
                    "area": ["north", "south", "west"][place % 3],
                }
            )
    directory = tmp_path_factory.mktemp(request.param)
    pl.DataFrame(rows, infer_schema_length=None).write_parquet(directory / "scores.parquet")
    return load(entries(directory)), rows


def expected(rows, query):
    """Ids that fit, in order, from the rows one by one."""
    score = {(row["model"], row["item"]): row["score"] for row in rows}
    why = {(row["model"], row["item"]): row["missing"] for row in rows}
    about = {row["item"]: row for row in rows}
    fitting = []
    for item in sorted(about):
        a, b = score[query.a, item], score[query.b, item]
        standing = {
            "any": True,
            "differ": None not in (a, b) and a != b,
            "a": None not in (a, b) and a > b,
            "b": None not in (a, b) and a < b,
            "same": None not in (a, b) and a == b,
            "right": None not in (a, b) and a == b and a >= 1,
            "wrong": None not in (a, b) and a == b and a < 1,
            "missing": None in (a, b),
        }
        if (
            standing[query.outcome]
            and all(about[item][column] == value for column, value in (query.strata or {}).items())
            and query.text.lower() in item
            and (not query.cause or query.cause in (why[query.a, item], why[query.b, item]))
        ):
            fitting.append(item)
    pairs = {item: (score[query.a, item], score[query.b, item]) for item in fitting}
    gap = {item: -1 if None in pair else round(abs(pair[0] - pair[1]), 12) for item, pair in pairs.items()}
    means = {
        item: np.mean([score[model, item] for model in MODELS if score[model, item] is not None] or [np.nan])
        for item in fitting
    }
    keys = {
        "id": lambda item: 0,
        "gap": lambda item: -gap[item],
        "hard": lambda item: (np.isnan(means[item]), round(means[item], 12)),
        "easy": lambda item: (np.isnan(means[item]), -round(means[item], 12)),
    }
    return sorted(fitting, key=keys[query.order])


@pytest.mark.parametrize("order", ["gap", "id", "hard", "easy"])
@pytest.mark.parametrize(
    "filters",
    [{}, {"strata": {"tier": "hard"}}, {"strata": {"tier": "easy", "area": "west"}}, {"text": "ITEM-1"}],
    ids=str,
)
def test_items_are_those_of_a_loop_over_rows(table, filters, order):
    loaded, rows = table
    for outcome in OUTCOMES:
        query = ItemQuery("ash", "cedar", outcome, order=order, limit=ITEMS, **filters)
        found = find_items(loaded, loaded.grid, query)
        wanted = expected(rows, query)
        assert [row["item"] for row in found["items"]] == wanted
        assert found["total"] == found["counts"][outcome] == len(wanted)


def test_what_is_missing_has_its_cause_and_pages_follow_one_another(table):
    loaded, rows = table
    query = ItemQuery("ash", "birch", "missing", cause="timeout", order="id", limit=ITEMS)
    found = find_items(loaded, loaded.grid, query)
    assert [row["item"] for row in found["items"]] == expected(rows, query)
    for row in found["items"]:
        assert "timeout" in (row["a"].get("missing"), row["b"].get("missing"))
    pages = [
        find_items(loaded, loaded.grid, ItemQuery("ash", "birch", offset=offset, limit=25))["items"]
        for offset in (0, 25, 50)
    ]
    assert list(map(len, pages)) == [25, 25, 10]
    assert len({row["item"] for page in pages for row in page}) == ITEMS


@pytest.mark.parametrize(
    ("query", "what"),
    [
        (ItemQuery("oak"), "there is no model 'oak'"),
        (ItemQuery("ash", outcome="better"), "there is no outcome 'better'"),
        (ItemQuery("ash", strata={"colour": "red"}), "there is no column 'colour'"),
        (ItemQuery("ash", strata={"tier": "harder"}), "there is no value of tier 'harder'"),
    ],
)
def test_what_is_not_there_is_named(table, query, what):
    loaded, _ = table
    with pytest.raises(UsageError, match=what):
        find_items(loaded, loaded.grid, query)

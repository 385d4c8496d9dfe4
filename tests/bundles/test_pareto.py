import dataclasses
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from bundles.stored import write_board
from reference import pareto as reference
from tellapart.bundles.page.frontier import tables as shown_tables
from tellapart.bundles.pareto import Metric, Points, frontier, metrics_named
from tellapart.bundles.points import read_points
from tellapart.bundles.scoreboards import load_boards
from tellapart.core.comparison import compare
from tellapart.errors import InputError, UsageError


def points_of(results, metrics):
    """Rows of a file as points."""
    values = np.array([[row[name] for name in metrics] for row in results]).reshape(-1, len(metrics))
    none = [np.nan, np.nan]
    intervals = np.array([[row.get(f"{name}_ci") or none for name in metrics] for row in results])
    return Points(
        tuple(row["name"] for row in results),
        tuple(Metric(name=name, direction=way) for name, way in metrics.items()),
        values.astype(float),
        intervals.reshape(-1, len(metrics), 2).astype(float),
    )


def figures(points):
    return frontier(points).model_dump(mode="json")


def found_in(results, metrics):
    return figures(points_of(results, metrics))


BOTH = {"frozen_tier3": "max", "organic_holdout": "max"}


def rows(*pairs):
    return [
        {"name": name, "frozen_tier3": x, "organic_holdout": y}
        for name, (x, y) in zip("abcdefgh", pairs, strict=False)
    ]


def test_a_frontier_by_hand():
    # a and b trade; c is below b alone; d is below a and b and takes a, which is best in the first metric;
    # e equals a and stays beside it.
    found = found_in(rows((0.9, 0.5), (0.7, 0.8), (0.6, 0.7), (0.7, 0.5), (0.9, 0.5)), BOTH)
    assert found["frontier"] == ["a", "e", "b"]
    assert found["dominated"] == {"d": "a", "c": "b"}
    assert (found["within_noise"], found["reason"]) == (None, "no point has an interval")
    assert found["metrics"] == [
        {"name": "frozen_tier3", "direction": "max"},
        {"name": "organic_holdout", "direction": "max"},
    ]


# Few values, so that ties and equal points are common.
coarse = st.integers(0, 4).map(lambda n: n / 4)
ways = st.sampled_from(["max", "min"])


@st.composite
def tables(draw, intervals=False):
    metrics = {f"m{i}": draw(ways) for i in range(draw(st.integers(2, 4)))}
    results = []
    for i in range(draw(st.integers(0, 14))):
        row = {"name": f"c{i:02d}"} | {name: draw(coarse) for name in metrics}
        if intervals:
            for name in metrics:
                if draw(st.booleans()):
                    row[f"{name}_ci"] = [row[name] - draw(coarse), row[name] + draw(coarse)]
        results.append(row)
    return results, metrics


@given(tables())
def test_it_is_the_documented_frontier(table):
    results, metrics = table
    on, by = reference.pareto(results, metrics)
    found = found_in(results, metrics)
    assert set(found["frontier"]) == on
    assert found["dominated"].keys() == by.keys()
    # Of the frontier points that dominate it, the best by the first metric, then by the next, then by name.
    rank = {
        row["name"]: (
            *(-row[name] if way == "max" else row[name] for name, way in metrics.items()),
            row["name"],
        )
        for row in results
    }
    assert found["dominated"] == {name: min(others, key=rank.get) for name, others in by.items()}
    assert found["frontier"] == sorted(on, key=rank.get)


@given(tables(intervals=True))
def test_noise_is_as_it_is_defined(table):
    results, metrics = table
    found = found_in(results, metrics)
    if not any(f"{name}_ci" in row for row in results for name in metrics):
        assert found["within_noise"] is None
    else:
        assert set(found["within_noise"]) == reference.within_noise(results, metrics)


def test_noise_by_hand():
    noisy = rows((0.9, 0.8), (0.85, 0.7), (0.8, 0.79))
    for row, (x, y) in zip(noisy, [((0.86, 0.94), (0.76, 0.84)), ((0.82, 0.88), (0.66, 0.74)),
                                   ((0.77, 0.83), (0.75, 0.83))], strict=True):  # fmt: skip
        row |= {"frozen_tier3_ci": x, "organic_holdout_ci": y}
    # b in the second metric: .1 over √(.04² + .04²) / 1.96, z = 3.465, p = .00053, and 6 differences in all.
    found = found_in(noisy, BOTH)
    assert found["within_noise"] == []
    assert (found["looks"], found["alpha"]) == (6, 0.05)
    assert found["dominance"]["b"] == {
        "by": "a",
        "metric": "organic_holdout",
        "p": pytest.approx(0.00053, abs=1e-5),
        "p_adjusted": pytest.approx(6 * 0.00053, abs=1e-4),
        "verdict": "better",
    }
    noisy[1]["organic_holdout_ci"] = (0.62, 0.78)
    found = found_in(noisy, BOTH)
    assert found["within_noise"] == ["b"]
    assert found["dominance"]["b"]["verdict"] == "not_separated"


def test_scoreboards_with_their_scores_are_held_against_each_other_bundle_by_bundle(tmp_path):
    rng = np.random.default_rng(3)
    plain = rng.normal(0, 1, 80)
    close = plain + rng.choice([0.0, 1.5], 80, p=[0.3, 0.7])
    paths = [write_board(tmp_path, name, of.tolist()) for name, of in (("plain", plain), ("close", close))]
    points = points_in(paths, metrics_named(["pass_rate", "mean_rank", "q10_margin"]))
    found = figures(points)
    assert found["dominated"] == {"plain": "close"}
    assert sorted(points.z) == [0, 1]
    # The same p as the comparison of the two score tables.
    (pair,) = compare(load_boards(paths).table).primary.pairs
    assert 2 * norm.sf(abs(points.z[0][0, 1])) == pytest.approx(pair.p, rel=1e-9)
    assert found["dominance"]["plain"]["verdict"] == "better"
    heads = [column.title for column in shown_tables(frontier(points), points.frame())[0].columns]
    assert heads[1:] == ["pass rate, %", "mean rank", "q10 margin"]
    # Alone, the intervals claim less.
    bare = figures(dataclasses.replace(points, z={}))
    assert bare["dominance"]["plain"]["p"] >= found["dominance"]["plain"]["p"]


def points_in(paths, metrics=()):
    return read_points([("", path) for path in paths], metrics)


@pytest.fixture
def written(tmp_path):
    def write(value, name="points.json"):
        path = tmp_path / name
        path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
        return path

    return write


GOOD = {"name": "a", "frozen_tier3": 0.5, "organic_holdout": 0.5}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("[1, 2", r"points.json:1:6: this is not JSON"),
        ([GOOD, {**GOOD, "name": 4}], r"points.json: entry 2: 'name' is 4, expected a name"),
        ([GOOD, GOOD], r"entry 2: 'a' without a seed is that of .*points.json: entry 1 as well"),
        ([{**GOOD, "frozen_tier3_n": 2**63}], "expected a number of items"),
        ([{**GOOD, "frozen_tier3": "1"}], r"'frozen_tier3' of 'a' is '1', expected a number"),
        ([{**GOOD, "frozen_tier3_ci": [0.6, 0.7]}],
         r"'frozen_tier3_ci' of 'a' is \[0.6, 0.7\], expected an interval around 0.5"),
        ([{**GOOD, "frozen_tier3_ci": 0.1}], r"'frozen_tier3_ci' of 'a' is 0.1, expected \[low, high\]"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_named(written, value, message):
    with pytest.raises(InputError, match=message):
        points_in([written(value)])


def test_a_rate_outside_its_limits_names_its_place(written):
    other = written([{**GOOD, "name": "b", "organic_holdout": 62.5}], "other.json")
    with pytest.raises(
        InputError, match=r"other.json: entry 1: 'organic_holdout' of 'b' is 62.5, expected a"
    ):
        points_in([written([GOOD]), other])


def test_a_metric_that_no_entry_has_is_refused_and_one_that_some_lack_leaves_these_out(written):
    with pytest.raises(UsageError, match="no run has the metric 'organic_holdout'.* mean 'organic_hold'"):
        points_in([written([{"name": "a", "frozen_tier3": 1, "organic_hold": 1}])])
    points = points_in([written([GOOD, {"name": "b", "frozen_tier3": 1}])])
    assert (points.names, points.left_out) == (("a",), {"b": "no organic_holdout"})

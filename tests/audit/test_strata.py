import numpy as np
import polars as pl
import pytest

from reference.pairs import items_needed
from tellapart.audit.analysis import by_stratum, strata_families
from tellapart.audit.options import AuditOptions
from tellapart.core.comparison.compare import MOST_VALUES, sorting_columns
from tellapart.core.score_grid import score_grid
from tellapart.core.scores import ScoreTable

OPTIONS = AuditOptions()
N = 60


def frame(**strata):
    """Model ``a``, like ``c``, beats ``b`` 25 to 5 on the first half of the items; on the second they tie."""
    a = [1.0] * 25 + [0.0] * 5 + [1.0, 0.0] * 15
    b = [0.0] * 25 + [1.0] * 5 + [0.0, 1.0] * 15
    rows = [
        {"model": model, "item": f"q{i:02d}", "score": of_model[i]} | {k: v[i] for k, v in strata.items()}
        for model, of_model in {"a": a, "b": b, "c": a}.items()
        for i in range(N)
    ]
    return pl.DataFrame(rows, schema_overrides=dict.fromkeys(strata, pl.String))


def separations(table, options=OPTIONS):
    grid = score_grid(ScoreTable.from_frame(table))
    return by_stratum(grid, strata_families(grid, options))


def kinds_of(table, options=OPTIONS):
    """What each kind separates, without its column and value."""
    return [kind for column in separations(table, options).values() for kind in column.values()]


HALVES = ["easy"] * 30 + ["hard"] * 30


def test_each_kind_of_items_separates_by_itself():
    found = separations(frame(level=HALVES))
    assert [(column, list(kinds)) for column, kinds in found.items()] == [("level", ["easy", "hard"])]
    easy, hard = found["level"].values()
    assert (easy.items, hard.items) == (30, 30)
    assert easy.means == pytest.approx({"a": 25 / 30, "b": 5 / 30, "c": 25 / 30})
    assert hard.means == {"a": 0.5, "b": 0.5, "c": 0.5}
    assert easy.separated_paired == pytest.approx(2 / 3)
    assert hard.separated_paired == 0.0


def test_items_needed_of_all_kinds_are_planned_at_one_level():
    # Of 6 looks, a > b and c > b on the easy half are separated: four are left, at .05 / 4.
    easy, hard = kinds_of(frame(level=HALVES))
    # 25 of 30 against 5: each difference is 2/3 or -4/3 from the mean.
    sd = np.std([1.0] * 25 + [-1.0] * 5, ddof=1)
    needed = items_needed(2 / 3, sd, 30, exact=True, alpha=0.05 / 4)
    values = [{pair: needed.value for pair, needed in kind.items_needed.items()} for kind in (easy, hard)]
    assert values[0] == {"a|b": needed, "a|c": None, "b|c": needed}
    assert values[1] == {"a|b": None, "a|c": None, "b|c": None}
    # At a level of .001 nothing is separated, and each of six pairs is planned at a sixth of it.
    strict = kinds_of(frame(level=HALVES), AuditOptions(alpha=0.001))[0]
    assert strict.items_needed["a|b"].value == items_needed(2 / 3, sd, 30, exact=True, alpha=0.001 / 6)


def test_only_columns_that_sort_items_are_looked_into():
    labels = [str(i) for i in range(N)]
    table = frame(level=HALVES, same=["x"] * N, none=[None] * N, label=labels, other=["p", "q"] * 30)
    grid = score_grid(ScoreTable.from_frame(table))
    assert sorting_columns(grid) == ["level", "other"]
    found = separations(table)
    assert {name: [*of] for name, of in found.items()} == {"level": ["easy", "hard"], "other": ["p", "q"]}
    assert N > MOST_VALUES
    assert len(kinds_of(table, AuditOptions(by="label"))) == N
    assert [kind.items for kind in kinds_of(table, AuditOptions(by="same"))] == [N]

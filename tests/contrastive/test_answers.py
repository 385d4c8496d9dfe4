import pytest

from contrastive.fakes import ScriptedMatcher, make_benchmark, make_unit, make_units
from tellapart.contrastive.item_table import score_rows
from tellapart.contrastive.matching import answer
from tellapart.core.score_grid import score_grid
from tellapart.core.scores import ScoreTable


@pytest.fixture
def benchmark():
    units = [*make_units("a", "b", "c"), make_unit("d", path="b.py")]
    texts = [
        ("a", "gpt", "first a"),
        ("d", "gpt", "about d"),
        ("a", "llama", "about 2 a"),
        ("b", "llama", "b"),
    ]
    return make_benchmark(units, texts, [("easy", "a", ["b", "c"]), ("hard", "d", ["b"])])


@pytest.fixture
def matcher():
    return ScriptedMatcher(lambda query, document: float(query.split()[-1] == document[4]))


@pytest.mark.parametrize(
    ("several", "labels"), [(True, ["gpt | scripted", "llama | scripted"]), (False, ["gpt", "llama"])]
)
def test_several_sources_are_compared(benchmark, matcher, several, labels):
    items, swaps = answer(benchmark, matcher, several_matchers=several)
    assert items["model"].unique(maintain_order=True).to_list() == labels
    assert items["source"].unique(maintain_order=True).to_list() == ["gpt", "llama"]
    assert swaps.select("model", "true").rows() == [(labels[0], "first a"), (labels[1], "about 2 a")]


def test_what_a_source_did_not_summarise_is_missing(benchmark, matcher):
    items, _ = answer(benchmark, matcher)
    real = items.filter(condition="summary")
    assert real.select("source", "level", "correct", "missing").rows() == [
        ("gpt", "easy", 1.0, None),
        ("gpt", "hard", 1.0, None),
        ("llama", "easy", 1.0, None),
        ("llama", "hard", None, "infeasible"),
    ]


def test_scores_are_a_score_table_clustered_on_the_file(benchmark, matcher):
    items, _ = answer(benchmark, matcher)
    table = ScoreTable.from_frame(score_rows(items.filter(condition="summary")))
    assert table.models == ["gpt | scripted", "llama | scripted"]
    assert table.strata == ["difficulty", "language", "unit_type"]
    columns = ["item", "score", "missing", "replicate", "cluster", "difficulty"]
    assert table.frame.filter(model="llama | scripted").select(columns).rows() == [
        ("easy/a.py::a#00000000", 1.0, None, 0, "a.py", "easy"),
        ("hard/b.py::d#00000000", None, "infeasible", 0, "b.py", "hard"),
    ]
    grid = score_grid(table)
    assert grid.missing == {"gpt | scripted": {}, "llama | scripted": {"infeasible": 1}}
    assert grid.low.mean(axis=1).tolist() == [1.0, 0.5]
    assert grid.high.mean(axis=1).tolist() == [1.0, 1.0]

from collections import Counter

from contrastive.fakes import make_benchmark, make_units
from tellapart.contrastive.controls import SHUFFLES, queries


def hand_made(*sets, texts=None, seed=7):
    units = make_units("readAll", "write_row", "c", "d", "e")
    given = texts or {unit.name: f"text about {unit.name}" for unit in units}
    return make_benchmark(units, [(name, "docstring", text) for name, text in given.items()], sets, seed=seed)


def test_summaries_are_those_of_the_targets():
    benchmark = hand_made(("easy", "c", ["d"]), ("easy", "readAll", ["c"]))
    assert queries(benchmark, "summary", "docstring") == ["text about c", "text about readAll"]


def test_a_target_without_a_summary_has_no_query():
    benchmark = hand_made(("easy", "c", ["d"]), ("easy", "d", ["c"]), texts={"d": "text about d"})
    assert queries(benchmark, "summary", "docstring") == [None, "text about d"]
    assert queries(benchmark, "summary", "somebody else") == [None, None]


def test_identifiers_are_the_words_of_the_targets_name():
    benchmark = hand_made(("easy", "readAll", ["c"]), ("easy", "write_row", ["c"]), texts={"d": "text"})
    assert queries(benchmark, "identifier", "docstring") == ["read all", "write row"]


def shuffled(benchmark):
    """The shuffled queries, one list of replicates an item."""
    asked = queries(benchmark, "shuffled", "docstring")
    assert len(asked) == SHUFFLES * benchmark.sets.height
    return [asked[item :: benchmark.sets.height] for item in range(benchmark.sets.height)]


def test_a_shuffled_query_describes_none_of_the_options(draft):
    texts = draft.texts("docstring")
    drawn = Counter()
    for row, replicates in zip(draft.sets.iter_rows(named=True), shuffled(draft), strict=True):
        assert set(replicates) <= set(texts.values())
        assert not {texts[option] for option in (row["target"], *row["distractors"])} & set(replicates)
        drawn.update(replicates)
    # 1,560 draws among 52 texts, 30 each on average: all of them come up, none dominates.
    assert len(drawn) == 52
    assert max(drawn.values()) < 60

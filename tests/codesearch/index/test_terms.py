from collections import Counter

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from reference.bm25 import bm25
from tellapart.codesearch.index.terms import PATH_WEIGHT, WordCounter, index_terms
from tellapart.embed.identifiers import split_identifiers
from tellapart.embed.models.lexical import Bm25

CONTENTS = {
    "r/pins.py": "def show pins: pins pins feed",
    "r/feed.py": "feed of community",
    "q/empty.py": "",
    "q/pinBoard.py": "board = pins",
}


def index(contents, **options):
    return index_terms(list(contents), contents.values(), **options)


def test_scores_are_those_of_the_formula_with_words_of_paths_repeated():
    built = index(CONTENTS)
    assert built.paths == ("q/empty.py", "q/pinBoard.py", "r/feed.py", "r/pins.py")
    cut = [split_identifiers(path) * PATH_WEIGHT + split_identifiers(CONTENTS[path]) for path in built.paths]
    for query in (["pins"], ["feed", "pins", "pins"], ["board", "unknown", "py", "q"]):
        expected = [bm25(query, document, cut) for document in cut]
        np.testing.assert_allclose(built.scores(query), expected, rtol=1e-12)


def test_without_paths_scores_are_those_of_the_model_bm25():
    texts = [f"{'alpha ' * (i % 4)}{'beta ' * (i % 3)}gamma{i % 7} {'delta ' * (i % 11)}" for i in range(40)]
    built = index({f"r/{i:02}": text for i, text in enumerate(texts)}, path_weight=0)
    query = "alpha gamma3 delta alpha"
    expected = Bm25(sorted(set(texts))).score_all([query], texts)[0] if len(set(texts)) == 40 else None
    assert expected is not None
    np.testing.assert_allclose(built.scores(split_identifiers(query)), expected, rtol=1e-12)


def test_ranking_leaves_out_what_holds_no_term_and_ties_go_by_path():
    built = index({"b/z": "x", "b-a/z": "x", "a/z": "y", "c/z": "x x"}, path_weight=0)
    assert [path for path, _ in built.ranked(["x"])] == ["c/z", "b-a/z", "b/z"]
    scores = dict(built.ranked(["x"]))
    assert scores["b/z"] == scores["b-a/z"] < scores["c/z"]
    assert built.ranked(["nothing"]) == [] == built.ranked([])


@given(st.text(max_size=60))
@example("HTTPServer2 my_var __x__ URLs naïve cafe\u0301 ΣΑΣ İx ß 变量 ١٢")
@example("fooBar fooBar foobar")
def test_words_are_those_of_split_identifiers(text):
    counter = WordCounter()
    counts = counter.rows([text]).toarray()[0]
    counted = {word: int(counts[column]) for word, column in counter.columns.items() if counts[column]}
    assert counted == Counter(split_identifiers(text))

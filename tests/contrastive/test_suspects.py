"""Which options of an item look like second right answers."""

from dataclasses import replace

import polars as pl
import pytest

from contrastive.fakes import complete, make_benchmark, make_units
from tellapart.contrastive.answers import ITEM_SCHEMA
from tellapart.contrastive.likeness import contrast, rarity
from tellapart.contrastive.suspects import find_suspects, missed_alike


def test_what_tells_two_units_apart_is_words_that_one_summary_lacks_their_order_and_the_code():
    weights = rarity(["return the first name", "return the last name", "return the name of a node"])
    # "return" and "name" are in all three summaries, every other word in one of them, which is the rarest.
    assert weights == {
        "return": 0.35, "name": 0.35, "first": 1, "last": 1, "node": 1
    }  # fmt: skip
    first, last = (replace(unit, content="return names[0]") for unit in make_units("first", "last"))

    def apart(one, other, units=(first, last)):
        return contrast(*units, (one, other), weights)

    opposite = apart("Return the first name", "Return the last name")
    assert (opposite.missing, opposite.added, opposite.reordered, opposite.evidence) == (1, 1, 0, 1)
    more = apart("Return the name", "Return the name of a node")
    assert (more.missing, more.added, more.evidence) == (0, 1, 0)
    plural = apart("Return the node", "Return nodes")
    assert (plural.missing, plural.added) == (0.5, 0.5)
    # Of the three words that both have, one is the longest common order.
    assert apart("name -> node", "node -> name").reordered == pytest.approx(2 / 3)
    assert apart("self * node", "self / node").missing == 1
    assert more.score > plural.score > opposite.score
    assert replace(more, same_name=True, agreed=1, code=0.9).score > more.score


CODES = {
    "extractName": "def extractName(node):\n    return node.child('name').text",
    "extractNameFromNode": "def extractNameFromNode(n):\n    return [c for c in n.children if c.named]",
    "writeLog": "def writeLog(line):\n    with open(LOG, 'a') as log:\n        log.write(line + NEWLINE)",
    "readLog": "def readLog():\n    return sum(1 for r in requests if r.status >= 500 and r.day == today())",
}
UNITS = [replace(unit, content=CODES[unit.name]) for unit in make_units(*CODES)]
SUMMARIES = [
    ("extractName", "docstring", "Extract name from AST node"),
    ("extractNameFromNode", "docstring", "Extract a name from the AST node"),
    ("writeLog", "docstring", "Append a line to the log of the server"),
    ("readLog", "docstring", "Count requests that failed since midnight"),
]


def test_a_distractor_whose_summary_says_the_same_is_suspected_once_with_all_its_items():
    others = ["extractNameFromNode", "writeLog", "readLog"]
    bench = make_benchmark(UNITS, SUMMARIES, [(level, "extractName", others) for level in ("easy", "hard")])
    found = find_suspects(bench)
    (suspect,) = found.suspects
    assert found.pairs == 3
    assert suspect.distractor == UNITS[1].id
    assert suspect.items == (f"easy/{UNITS[0].id}", f"hard/{UNITS[0].id}")
    assert suspect.reasons[0] == "both summaries have the same words"
    assert (suspect.summary, suspect.distractor_summary) == (SUMMARIES[0][2], SUMMARIES[1][2])


def test_what_all_models_take_for_the_target_is_found_where_they_agree():
    def row(model, item, best, rank=2):
        return complete(0, model=model, item=item, target=0, best_distractor="txy".index(best), rank=rank)

    rows = [
        row("a", "hard/1", "x"),
        row("b", "hard/1", "x"),
        row("a", "hard/2", "x"),
        row("b", "hard/2", "y"),
    ]
    # In the third item one of them is right, in the fourth one gave no answer.
    rows += [row("a", "hard/3", "x"), row("b", "hard/3", "x", rank=1), row("a", "hard/4", "x")]
    frame = pl.DataFrame(rows, schema=ITEM_SCHEMA)
    assert missed_alike(frame) == {(0, 1): (1, 2)}
    assert missed_alike(frame.filter(model="a")) == {}

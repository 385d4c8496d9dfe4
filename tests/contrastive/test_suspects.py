"""Which options of an item look like second right answers."""

import polars as pl
import pytest

from contrastive.fakes import complete, make_benchmark, make_units
from tellapart.contrastive.answers import ITEM_SCHEMA
from tellapart.contrastive.suspects import describes, find_suspects


@pytest.mark.parametrize(
    ("summary", "other", "expected"),
    [
        ("Extract name from AST node", "Extract a name from the AST node", True),
        ("Return the name", "Return the name of a node", True),
        ("Return the node", "Return nodes", True),
        ("Return the node", "Return the nodeName", True),
        # What tells two units apart is a word, its place, or an operator.
        ("Return the first name", "Return the last name", False),
        ("Return the name of a node", "Return the name", False),
        ("name -> node", "node -> name", False),
        ("self * node", "self / node", False),
    ],
)
def test_a_summary_describes_another_unit_where_that_ones_has_all_its_words(summary, other, expected):
    assert describes(summary, other) is expected


def row(model, item, best, rank=2):
    return complete(0, model=model, item=item, target=0, best_distractor=best, rank=rank)


def test_a_suspect_has_its_items_and_how_often_all_models_took_it():
    units = make_units("name", "fromNode", "write", "read")
    summaries = [
        ("name", "docstring", "Extract name from AST node"),
        ("fromNode", "docstring", "Extract a name from the AST node"),
        ("write", "docstring", "Append a line to the log of the server"),
        ("read", "docstring", "Count requests that failed since midnight"),
    ]
    others = ["fromNode", "write", "read"]
    bench = make_benchmark(
        units, summaries, [(level, "name", others) for level in ("easy", "hard", "ladder")]
    )
    easy, hard, ladder = bench.sets["item"]
    rows = [row("a", easy, 1), row("b", easy, 1), row("a", hard, 1), row("b", hard, 2)]
    # In the third item one of them is right.
    rows += [row("a", ladder, 1), row("b", ladder, 1, rank=1)]
    frame = pl.DataFrame(rows, schema=ITEM_SCHEMA)
    (suspect,) = find_suspects(bench, frame)
    assert (suspect.target, suspect.distractor) == (units[0].id, units[1].id)
    assert (suspect.items, suspect.agreed) == ((easy, hard, ladder), 1)
    assert (suspect.summary, suspect.distractor_summary) == (summaries[0][2], summaries[1][2])
    assert find_suspects(bench, frame.filter(model="a"))[0].agreed == 0

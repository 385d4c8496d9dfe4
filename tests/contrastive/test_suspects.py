"""Which options of an item look like second right answers."""

import pytest

from contrastive.fakes import make_benchmark, make_units
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


def test_a_suspect_has_its_items_and_both_summaries():
    units = make_units("name", "fromNode", "write", "read")
    summaries = [
        ("name", "docstring", "Extract name from AST node"),
        ("fromNode", "docstring", "Extract a name from the AST node"),
        ("write", "docstring", "Append a line to the log of the server"),
        ("read", "docstring", "Count requests that failed since midnight"),
    ]
    sets = [(level, "name", ["fromNode", "write", "read"]) for level in ("easy", "hard", "ladder")]
    bench = make_benchmark(units, summaries, sets)
    (suspect,) = find_suspects(bench)
    assert (suspect.target, suspect.distractor) == (units[0].id, units[1].id)
    assert suspect.items == tuple(bench.sets["item"])
    assert (suspect.summary, suspect.distractor_summary) == (summaries[0][2], summaries[1][2])

import re
from dataclasses import replace

import pytest

from contrastive.fakes import make_benchmark, make_unit
from tellapart.contrastive import building, running
from tellapart.contrastive.build_options import BuildOptions
from tellapart.contrastive.page import json_figures, load
from tellapart.contrastive.renaming import rename
from tellapart.errors import UsageError

CODE = "def split_bill(guests, n):\n    return Bill(guests).round(n)  # by guests"


@pytest.fixture
def original():
    units = [
        make_unit("split_bill", content=CODE, parameters=("guests", "n")),
        make_unit("Bill", 11, kind="class", content="class Bill: ..."),
        make_unit("__init__", 21, content="def __init__(self): split_bill(guests)"),
    ]
    summaries = [("split_bill", "docstring", "Split_bill by split_bill among guests.")]
    return make_benchmark(units, summaries, [("easy", "split_bill", ["Bill"])])


def test_a_name_is_replaced_by_the_same_word_everywhere(original):
    renamed = rename(original)
    code, bill, init = (unit.content for unit in renamed.units)
    split, guests, cart = re.fullmatch(
        r"def (\w+)\((\w+), n\):\n    return (\w+)\(\2\)\.round\(n\)  # by \2", code
    ).groups()
    assert bill == f"class {cart}: ..."
    assert init == f"def __init__(self): {split}({guests})"
    assert (cart[0].isupper(), len({split, guests, cart.lower()})) == (True, 3)
    # In prose only what is spelled as a name is one.
    assert renamed.summaries[0].text == f"Split_bill by {split} among guests."
    assert [parameter.name for parameter in renamed.units[0].parameters] == [guests, "n"]
    assert [unit.id for unit in renamed.units] == [unit.id for unit in original.units]
    assert renamed.sets.equals(original.sets)


def test_names_depend_on_the_seed_alone(original):
    assert rename(original).units == rename(original).units
    other = replace(original, header=original.header.model_copy(update={"seed": 8}))
    assert rename(other).units[0].content != rename(original).units[0].content


@pytest.fixture(scope="module")
def runs(package, tmp_path_factory):
    """Runs on one benchmark, with its own names and with others."""
    root, found = tmp_path_factory.mktemp("renamed"), []
    for name, options in (("original", {}), ("renamed", {"rename": True})):
        building.build([package], BuildOptions(targets=40, levels="easy,hard", **options), root / name)
        found.append(running.run(root / name, ["bm25", "hashing"], out=root / f"run-{name}"))
    return found


def test_a_report_says_whether_the_order_holds(runs):
    original, renamed = runs
    view = load(renamed, original=original)
    (before,) = load(original).comparison.primary.pairs
    (after,) = view.comparison.primary.pairs
    assert before.is_separated
    assert json_figures(view)["renamed"] == [
        {
            "ahead": before.ahead,
            "behind": before.behind,
            "before": abs(before.difference),
            "after": after.of(before.ahead)[0],
            "holds": "yes" if after.is_separated else "cannot tell",
        }
    ]
    assert "renamed" not in json_figures(load(renamed))


def test_other_runs_are_refused(runs):
    original, renamed = runs
    with pytest.raises(UsageError, match="takes the run before renaming"):
        load(original, original=renamed)

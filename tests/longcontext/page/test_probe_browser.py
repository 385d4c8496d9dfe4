"""What the browser of probes is given."""

import pytest

from longcontext.page.graded_record import (
    FORGED,
    three,
    view_of,
)
from tellapart.longcontext.page.browser import MISSING, PART, RIGHT, WRONG, browser_data


@pytest.fixture
def data():
    return browser_data(view_of(three()))


def one(data, step):
    return next(found for found in data["probes"] if found["step"] == step)


def test_names_and_texts_stand_once(data):
    for name in ("models", "cases", "modes", "categories", "texts"):
        assert len(data[name]) == len({*data[name]}), name
    assert data["cases"] == ["case_1_short", "case_2_long", "case_3_overflow"]
    assert len(data["probes"]) == 27


def test_a_probe_has_everything_that_is_known_of_it(data):
    found = one(data, "V2-1")
    assert data["texts"][found["actual"]] == FORGED
    assert [data["modes"][mode] for mode in found["modes"]] == ["Confabulation", "Lost in the Middle"]
    assert data["categories"][found["category"]] == found["shown"] == "HALLUCINATED"
    assert ["Key detail", "| forged | row |"] in found["more"]
    assert one(data, "C2-1")["tokens"] == [
        ["context, intended", "~4K"], ["context, measured", 4100], ["since the nearest evidence", 3000],
        ["depth of that evidence", 0.268],
    ]  # fmt: skip
    assert data["texts"][one(data, "C3-6")["expected"]] == "(no answer is known)"


@pytest.mark.parametrize(
    ("step", "mark"), [("V1-1", RIGHT), ("V1-4", RIGHT), ("C3-1", PART), ("V2-7", WRONG), ("V3-4", MISSING)]
)
def test_marks(data, step, mark):
    assert one(data, step)["mark"] == mark

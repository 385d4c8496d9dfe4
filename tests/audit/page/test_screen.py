from pathlib import Path

import pytest
from rich.console import Console

from audit.page.stored_figures import HOSTILE, figures, load, many_models, pair, two_models
from tellapart.audit.page.screen import LINES, terminal

GOLDEN = Path(__file__).parents[2] / "golden"


def printed(found, width=100):
    console = Console(width=width, highlight=False)
    with console.capture() as capture:
        for renderable in terminal(load(found)):
            console.print(renderable)
    return [line.rstrip() for line in capture.get().splitlines()]


@pytest.mark.parametrize("width", [80, 100])
def test_the_terminal_is_as_recorded(width):
    lines = printed(figures(), width)
    assert lines == (GOLDEN / f"audit_terminal_{width}.txt").read_text(encoding="utf-8").splitlines()
    assert max(map(len, lines)) <= width


@pytest.mark.parametrize("number", [3, 6, 20, 60])
def test_it_fits_a_screen_and_says_what_it_leaves_out(number):
    lines = printed(many_models(number))
    assert len(lines) <= LINES
    pairs = number * (number - 1) // 2
    shown = sum(" ? " in line or (" > " in line and "p = " in line) for line in lines)
    rest = next((line for line in lines if "more pairs" in line), "… and 0 more pairs")
    assert shown + int(rest.split()[2].replace(",", "")) == pairs
    if number == 60:
        assert rest == f"… and {pairs - shown:,} more pairs, 1,540 of them separated: --json or --html"


def test_a_pair_that_was_not_tested_says_why():
    lines = printed(two_models() | {"pairs": [pair("a", "b", "not_separated", reason="No common item.")]})
    assert "a ? b  No common item" in lines


def test_a_model_without_a_score_has_no_rank():
    found = two_models()
    found["ranking"][1] |= dict.fromkeys(("mean", "ci", "rank", "rank_ci", "bounds"))
    # Scores without enough labels of people have no mean either.
    assert " –         b  too few labels" in printed(found)
    found["ranking"][1]["n"] = 0
    assert " –         b  no score" in printed(found)


def test_nothing_steers_the_terminal():
    found = figures()
    found["pairs"][0]["a"] = found["ranking"][0]["model"] = HOSTILE
    found["pairs"][5]["why"][0]["text"] = "red\x1b[31m \u202e turned\nround"
    # Few pairs, so that what is known of them is shown in full.
    found["pairs"] = [found["pairs"][0], found["pairs"][5]]
    text = "\n".join(printed(found))
    assert "\x1b" not in text
    assert "red�[31m � turned round" in text

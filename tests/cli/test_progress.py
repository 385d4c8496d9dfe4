import io
import sys

import pytest

from tellapart.cli.progress import Bars, Lines, reporter
from tellapart.core.progress import SILENT


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def test_a_line_at_most_every_ten_seconds():
    lines, clock = [], Clock()
    progress = Lines(lines.append, clock=clock)
    progress("minilm answers 360 items")
    with progress.step("minilm embeds", 1000, unit="texts", done=200) as step:
        for second in range(1, 31):
            clock.now = float(second)
            step.update(200 + 20 * second, note=", 1 failed")
        step.update(1000)
    assert lines == [
        "minilm answers 360 items",
        "minilm embeds: 400 of 1,000 texts, 1 failed",
        "minilm embeds: 600 of 1,000 texts, 1 failed",
        "minilm embeds: 800 of 1,000 texts, 1 failed",
        "minilm embeds: 1,000 of 1,000 texts",
    ]


@pytest.mark.parametrize(("summary", "lines"), [(False, []), (True, ["explored: 3 of 3"])])
def test_what_is_quick_has_a_line_only_where_it_wants_a_summary(summary, lines):
    written = []
    with Lines(written.append, clock=Clock()).step("explored", 3, summary=summary) as step:
        step.update(3)
    assert written == lines


def test_a_total_may_grow_or_not_be_there(monkeypatch):
    monkeypatch.setattr("tellapart.cli.progress.LINE_EVERY_S", 0.0)
    lines = []
    with Lines(lines.append, clock=Clock()).step("played", None, unit="steps") as step:
        step.update(1)
        step.update(2, total=5)
    assert lines == ["played: 1 steps", "played: 2 of 5 steps"]


def test_work_that_fails_has_no_summary():
    lines = []
    with pytest.raises(ZeroDivisionError), Lines(lines.append).step("x", 1, summary=True):
        raise ZeroDivisionError
    assert lines == []


def terminal(monkeypatch):
    """A stderr that is a terminal; no fixture, since pytest gives each phase a stderr of its own."""
    screen = io.StringIO()
    screen.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    return screen


def test_a_terminal_gets_bars_a_pipe_lines_and_quiet_nothing(monkeypatch):
    assert isinstance(reporter(), Lines)
    assert reporter(lines=False) is SILENT
    assert reporter(quiet=True) is SILENT
    terminal(monkeypatch)
    assert isinstance(reporter(lines=False), Bars)
    monkeypatch.setenv("TERM", "dumb")
    assert isinstance(reporter(), Lines)


def test_on_a_terminal_bars_nest_show_counts_and_leave_only_lines(monkeypatch):
    screen, bars = terminal(monkeypatch), Bars()
    with bars.step("lsa answers", 4, unit="items", summary=True) as outer:
        outer.update(2, note=", 1 failed")
        with bars.step("lsa embeds", 100, unit="texts"):
            bars("a line [with brackets]")
        outer.update(4)
    bars("after")
    shown = screen.getvalue()
    assert "a line [with brackets]" in shown
    assert "2 of 4 items, 1 failed" in shown
    assert "0 of 100 texts" in shown
    assert "lsa answers: 4 of 4 items\n" in shown
    assert shown.endswith("after\n")

import io
import sys

import pytest

from tellapart.cli.progress import Bars, Lines, duration, reporter
from tellapart.core.progress import SILENT


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def test_a_line_at_most_every_ten_seconds_with_the_time_left():
    lines, clock = [], Clock()
    progress = Lines(lines.append, clock=clock)
    progress("minilm answers 360 items")
    with progress.step("minilm embeds", 1000, unit="texts", done=200) as step:
        for second in range(1, 41):
            clock.now = float(second)
            step.update(200 + 20 * second, note=", 1 failed")
    # 20 a second: of 1,000 there are 600, 400, 200 and none left.
    assert lines == [
        "minilm answers 360 items",
        "minilm embeds: 400 of 1,000 texts, 1 failed, about 30 s left",
        "minilm embeds: 600 of 1,000 texts, 1 failed, about 20 s left",
        "minilm embeds: 800 of 1,000 texts, 1 failed, about 10 s left",
        "minilm embeds: 1,000 of 1,000 texts, 1 failed",
    ]


def test_no_time_left_is_estimated_from_one_slow_item():
    lines, clock = [], Clock()
    with Lines(lines.append, clock=clock).step("asked", 100) as step:
        for done in range(1, 7):
            clock.now = 10.0 * done
            step.update(done)
    assert [line.partition(", ")[2] for line in lines] == [
        "",
        "",
        "",
        "",
        "about 16 min left",
        "about 16 min left",
    ]


@pytest.mark.parametrize(("summary", "lines"), [(False, []), (True, ["explored: 3 of 3"])])
def test_what_is_quick_has_a_line_only_where_it_wants_a_summary(summary, lines):
    written = []
    with Lines(written.append, clock=Clock()).step("explored", 3, summary=summary) as step:
        step.update(3)
    assert written == lines


def test_a_total_may_grow_or_not_be_there():
    lines = []
    with Lines(lines.append, every_s=0.0, clock=Clock()).step("played", None, unit="steps") as step:
        step.update(1)
        step.update(2, total=5)
    assert lines == ["played: 1 steps", "played: 2 of 5 steps"]


def test_work_that_fails_has_no_summary():
    lines = []
    with pytest.raises(ZeroDivisionError), Lines(lines.append).step("x", 1, summary=True):
        raise ZeroDivisionError
    assert lines == []


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.2, "1 s"), (89.4, "89 s"), (90, "2 min"), (5000, "83 min"), (12000, "3 h 20 min")],
)
def test_durations(seconds, text):
    assert duration(seconds) == text


def terminal(monkeypatch):
    """A stderr that is a terminal; no fixture, since pytest gives each phase a stderr of its own."""
    screen = io.StringIO()
    screen.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    return screen


class AtOnce:
    """A timer whose time is over when it starts."""

    def __init__(self, after_s, call):
        self.start = call

    def cancel(self):
        pass

    def join(self):
        pass


def test_a_pipe_gets_lines_and_quiet_nothing():
    assert isinstance(reporter(), Lines)
    assert reporter(lines=False) is SILENT
    assert reporter(quiet=True) is SILENT


def test_a_terminal_gets_bars_unless_it_is_dumb(monkeypatch):
    terminal(monkeypatch)
    assert isinstance(reporter(), Bars)
    assert isinstance(reporter(lines=False), Bars)
    monkeypatch.setenv("TERM", "dumb")
    assert isinstance(reporter(), Lines)


def test_on_a_terminal_bars_nest_show_counts_and_leave_only_lines(monkeypatch):
    monkeypatch.setattr("tellapart.cli.progress.Timer", AtOnce)
    screen, bars = terminal(monkeypatch), Bars()
    with bars.step("lsa answers", 4, unit="items", summary=True) as outer:
        outer.update(2, note=", 1 failed")
        with bars.step("lsa embeds", 100, unit="texts"):
            bars("a line [with brackets]")
        outer.update(4)
    bars("after")
    shown = screen.getvalue()
    assert "a line [with brackets]" in shown
    assert "2/4" in shown
    assert "0/100" in shown
    assert "lsa answers: 4 of 4 items\n" in shown
    assert shown.endswith("after\n")


def test_on_a_terminal_work_without_an_end_shows_how_long_it_has_taken(monkeypatch):
    monkeypatch.setattr("tellapart.cli.progress.Timer", AtOnce)
    screen = terminal(monkeypatch)
    with Bars().step("writing audit.html", None):
        pass
    assert "writing audit.html" in screen.getvalue()
    assert "1 s" in screen.getvalue()
    assert "left" not in screen.getvalue()

"""What a person sees of work that takes time: bars on a terminal, now and then a plain line elsewhere.

Everything goes to stderr. ``reporter`` chooses; what is reported comes through ``tellapart.core.progress``.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING

from tellapart.cli.output import say
from tellapart.report.plain_text import visible

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import ProgressColumn, Task, TaskID

    from tellapart.core.progress import Progress

LINE_EVERY_S = 10.0
"""Between two lines about one step where there is no terminal."""

BARS_AFTER_S = 0.5
"""How long work goes on before a terminal shows bars, so that quick commands show none."""


def reporter(*, quiet: bool = False, lines: bool = True) -> Progress:
    """Choose how to report."""
    from tellapart.core.progress import SILENT

    if quiet:
        return SILENT
    if sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        return Bars()
    return Lines(say) if lines else SILENT


class Lines:
    """Plain lines, for pipes and files: one about a step every ten seconds, with the time left."""

    def __init__(
        self,
        write: Callable[[str], None],
        *,
        every_s: float = LINE_EVERY_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Report lines to ``write``; ``clock`` gives seconds since some moment."""
        self.write, self.every_s, self.clock = write, every_s, clock

    def __call__(self, message: str, /) -> None:
        """See ``Progress``."""
        self.write(message)

    @contextmanager
    def step(
        self, what: str, total: int | None, *, unit: str = "", done: int = 0, summary: bool = False
    ) -> Iterator[_LinesStep]:
        """See ``Progress``; a step that had a line of its own, or wants a summary, ends with one."""
        step = _LinesStep(self, what, total, unit, done)
        yield step
        if (summary or step.reported is not None) and step.reported != step.done:
            self.write(step.state())


class _LinesStep:
    def __init__(self, lines: Lines, what: str, total: int | None, unit: str, done: int) -> None:
        self.done = done
        self.reported: int | None = None
        self._lines, self._what, self._total, self._unit, self._note = lines, what, total, unit, ""
        self._written_s = self._began_s = lines.clock()
        self._first = done

    def update(self, done: int, *, note: str = "", total: int | None = None) -> None:
        self.done, self._note = done, note
        self._total = self._total if total is None else total
        now = self._lines.clock()
        if now - self._written_s >= self._lines.every_s:
            self._lines.write(self.state() + self._left(now))
            self._written_s, self.reported = now, done

    def state(self) -> str:
        return f"{self._what}: {_counted(self.done, self._total, self._unit)}{self._note}"

    def _left(self, now: float) -> str:
        """The time left at the pace so far, once enough is done to show one."""
        done = self.done - self._first
        if self._total is None or self.done >= self._total or not _shows_its_pace(done, self._total):
            return ""
        return f", about {duration((self._total - self.done) * (now - self._began_s) / done)} left"


def _shows_its_pace(done: float, total: float) -> bool:
    """Whether so much is done that the time left can be estimated: 10, or one in twenty but 3 at least."""
    return done >= min(10, max(3, total / 20))


def _counted(done: float, total: float | None, unit: str) -> str:
    of = "" if total is None else f" of {total:,.0f}"
    return f"{done:,.0f}{of}{' ' * bool(unit)}{unit}"


class Bars:
    """Bars on a terminal, with counts and the time left; they vanish with the step, lines stay.

    Work whose end nobody knows has the time since it began instead.
    """

    def __init__(self, *, after_s: float = BARS_AFTER_S) -> None:
        """Show nothing yet, and bars only for work that goes on for longer than ``after_s``."""
        self._bars: RichProgress | None = None
        self._after_s = after_s

    def __call__(self, message: str, /) -> None:
        """See ``Progress``."""
        if self._bars is None:
            say(message)
        else:
            self._bars.console.print(visible(message), markup=False, highlight=False, soft_wrap=True)

    @contextmanager
    def step(
        self, what: str, total: int | None, *, unit: str = "", done: int = 0, summary: bool = False
    ) -> Iterator[_BarsStep]:
        """See ``Progress``; a step inside another has a bar below it."""
        outermost = None
        if self._bars is None:
            self._bars = _rich_progress()
            # A thread of its own, since work that is one long call reports nothing on the way.
            outermost = Timer(self._after_s, self._bars.start)
            outermost.daemon = True
            outermost.start()
        task = self._bars.add_task(visible(what), total=total, completed=done, unit=unit, note="")
        step = _BarsStep(self._bars, task)
        try:
            yield step
            if summary:
                state = self._bars.tasks[self._bars.task_ids.index(task)]
                self(f"{what}: {_counted(state.completed, state.total, unit)}{state.fields['note']}")
        finally:
            self._bars.remove_task(task)
            if outermost is not None:
                outermost.cancel()
                outermost.join()
                self._bars.stop()
                self._bars = None


class _BarsStep:
    def __init__(self, bars: RichProgress, task: TaskID) -> None:
        self._bars, self._task = bars, task

    def update(self, done: int, *, note: str = "", total: int | None = None) -> None:
        if total is not None:
            self._bars.update(self._task, total=total)
        self._bars.update(self._task, completed=done, note=visible(note))


def _rich_progress() -> RichProgress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        _column(_count),
        _column(_time),
        console=Console(stderr=True),
        transient=True,
    )


def _column(text: Callable[[Task], str]) -> ProgressColumn:
    from rich.progress import ProgressColumn
    from rich.text import Text

    class Column(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(text(task))

    return Column()


def _count(task: Task) -> str:
    of = "" if task.total is None else f"/{task.total:,.0f}"
    count = f"{task.completed:,.0f}{of} {task.fields['unit']}" if of or task.completed else ""
    return f"{count}{task.fields['note']}".strip()


def _time(task: Task) -> str:
    known = task.total is not None and _shows_its_pace(task.completed, task.total)
    left = task.time_remaining if known else None
    return duration(task.elapsed or 0) if left is None else f"{duration(left)} left"


def duration(seconds: float) -> str:
    """A time that need not be exact: ``40 s``, ``12 min``, ``3 h 20 min``."""
    if seconds < 90:
        return f"{max(round(seconds), 1)} s"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"

"""What a person sees of work that takes time: bars on a terminal, now and then a plain line elsewhere.

Everything goes to stderr. ``reporter`` chooses; what is reported comes through ``tellapart.core.progress``.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tellapart.cli.output import say
from tellapart.report.plain_text import visible

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

    from tellapart.core.progress import Progress

LINE_EVERY_S = 10.0
"""Between two lines about one step where there is no terminal."""


def reporter(*, quiet: bool = False, lines: bool = True) -> Progress:
    """Choose how to report."""
    from tellapart.core.progress import SILENT

    if quiet:
        return SILENT
    if sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        return Bars()
    return Lines(say) if lines else SILENT


@dataclass
class _Step:
    """How far a step is; ``show`` is called with it at each update."""

    what: str
    total: int | None
    unit: str
    done: int
    show: Callable[[_Step], None]
    note: str = ""

    def update(self, done: int, *, note: str = "", total: int | None = None) -> None:
        self.done, self.note = done, note
        self.total = self.total if total is None else total
        self.show(self)

    @property
    def count(self) -> str:
        total = "" if self.total is None else f" of {self.total:,}"
        return f"{self.done:,}{total}{' ' * bool(self.unit)}{self.unit}{self.note}"


class Lines:
    """Plain lines, for pipes and files: one about a step every ten seconds."""

    def __init__(self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        """Report lines to ``write``; ``clock`` gives seconds since some moment."""
        self.write, self.clock = write, clock

    def __call__(self, message: str, /) -> None:
        """See ``Progress``."""
        self.write(message)

    @contextmanager
    def step(
        self, what: str, total: int | None, *, unit: str = "", done: int = 0, summary: bool = False
    ) -> Iterator[_Step]:
        """See ``Progress``; a step that had a line of its own, or wants a summary, ends with one."""
        written, written_s = "", self.clock()

        def show(step: _Step) -> None:
            nonlocal written, written_s
            if self.clock() - written_s >= LINE_EVERY_S:
                written, written_s = step.count, self.clock()
                self.write(f"{what}: {written}")

        step = _Step(what, total, unit, done, show)
        yield step
        if (summary or written) and written != step.count:
            self.write(f"{what}: {step.count}")


class Bars:
    """Bars on a terminal, with counts and times; they vanish with the step, lines stay."""

    def __init__(self) -> None:
        """Show nothing yet."""
        self._bars: RichProgress | None = None

    def __call__(self, message: str, /) -> None:
        """See ``Progress``."""
        if self._bars is None:
            say(message)
        else:
            self._bars.console.print(visible(message), markup=False, highlight=False, soft_wrap=True)

    @contextmanager
    def step(
        self, what: str, total: int | None, *, unit: str = "", done: int = 0, summary: bool = False
    ) -> Iterator[_Step]:
        """See ``Progress``; a step inside another has a bar below it."""
        is_outermost = self._bars is None
        bars = self._bars = self._bars or _rich_progress()
        bars.start()

        def show(step: _Step) -> None:
            bars.update(task, completed=step.done, total=step.total, count=visible(step.count))

        step = _Step(what, total, unit, done, show)
        task = bars.add_task(visible(what), total=total, completed=done, count=visible(step.count))
        try:
            yield step
            if summary:
                self(f"{what}: {step.count}")
        finally:
            bars.remove_task(task)
            if is_outermost:
                bars.stop()
                self._bars = None


def _rich_progress() -> RichProgress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[count]}", markup=False),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )

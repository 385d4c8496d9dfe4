"""A job whose tasks fail, or take their worker with them, as planned; workers import it from here."""

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tellapart.errors import InputError


class Planned(NamedTuple):
    """A number to square.

    Attributes:
        kills: How often it takes its worker with it.
        waits_s: How long it takes, every time.
        fails: How, if it does.
    """

    number: int
    kills: int = 0
    waits_s: float = 0.0
    fails: str = ""


class PickyError(Exception):
    """Can be sent, and not be received."""

    def __init__(self, *, code: int) -> None:
        super().__init__(f"code {code}")


@dataclass(frozen=True)
class Squares:
    """Notes in a journal what it does, so that tests see how often a task was begun."""

    journal: Path
    name: str = "squares"

    def open(self) -> str:
        self.note(f"open {os.getpid()}")
        return os.environ["OMP_NUM_THREADS"]

    def do(self, threads: str, task: Planned) -> tuple[int, str]:
        earlier = self.noted("begin").count(task.number)
        self.note(f"begin {task.number}")
        time.sleep(task.waits_s)
        if earlier < task.kills:
            os.kill(os.getpid(), signal.SIGKILL)
        if task.fails == "input":
            raise InputError(f"task {task.number} is bad", where="rows.jsonl", next_step="Mend it")
        if task.fails == "picky":
            raise PickyError(code=task.number)
        return task.number**2, threads

    def describe(self, task: Planned) -> str:
        return f"number {task.number}"

    def noted(self, what: str) -> list[int]:
        """Numbers of the journal's lines that begin with a word."""
        text = self.journal.read_text() if self.journal.exists() else ""
        return [int(line.split()[1]) for line in text.splitlines() if line.split()[0] == what]

    def note(self, line: str) -> None:
        with self.journal.open("a") as file:
            file.write(f"{line}\n")

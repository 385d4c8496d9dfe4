"""A stage whose tasks fail, or take their worker with them, as planned; workers import it from here."""

import os
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, NamedTuple

from tellapart.engine import Folder
from tellapart.errors import InputError


class Planned(NamedTuple):
    """A number to square.

    Attributes:
        number: Which.
        kills: How often it takes its worker with it.
        waits_s: How long it takes, every time.
        awaits: Words of the journal, such as ``begin 3``, before which it does not go on.
        fails: How, if it does.
    """

    number: int
    kills: int = 0
    waits_s: float = 0.0
    awaits: str = ""
    fails: str = ""


class PickyError(Exception):
    """Can be sent, and not be received."""

    def __init__(self, *, code: int) -> None:
        super().__init__(f"code {code}")


@dataclass(frozen=True)
class Squares:
    """Notes each beginning and end in a journal, so that tests see how often a task was done."""

    journal: Path
    work: Folder
    counts: ClassVar[str] = "tasks"

    name: str = field(default="squares")

    def open(self) -> str:
        self.note("open")
        return "state"

    def do(self, state: str, task: Planned) -> dict[str, object]:
        earlier = self.begun(task.number)
        self.note(f"begin {task.number} {os.getpid()}")
        time.sleep(task.waits_s)
        awaited = task.awaits.split()
        while not any(words[: len(awaited)] == awaited for words in self.noted()):
            time.sleep(0.01)
        if earlier < task.kills:
            os.kill(os.getpid(), signal.SIGKILL)
        if task.fails == "input":
            raise InputError(
                f"task {task.number} is bad", where=f"rows.jsonl:{task.number}", next_step="Mend it"
            )
        if task.fails == "picky":
            raise PickyError(code=task.number)
        self.work.write(f"squares/{task.number}", str(task.number**2).encode())
        self.note(f"end {task.number}")
        return {"square": task.number**2, "state": state}

    def describe(self, task: Planned) -> str:
        return f"number {task.number}"

    def begun(self, number: int) -> int:
        """How often a task was begun so far."""
        return sum(words[:2] == ["begin", str(number)] for words in self.noted())

    def noted(self) -> list[list[str]]:
        """The journal, word by word."""
        text = self.journal.read_text() if self.journal.exists() else ""
        return [line.split() for line in text.splitlines()]

    def note(self, line: str) -> None:
        with self.journal.open("a") as file:
            file.write(f"{line}\n")


@dataclass(frozen=True)
class Additions:
    """Adds up numbers."""

    journal: Path
    name: str = "additions"

    def open(self) -> None:
        with self.journal.open("a") as file:
            file.write("open\n")

    def do(self, _: None, numbers: tuple[int, ...]) -> int:
        return sum(numbers)

    def describe(self, numbers: tuple[int, ...]) -> str:
        return f"numbers {numbers}"

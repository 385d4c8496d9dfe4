"""Every write of a command as its last: a crash or a disk that refuses it, and the same command again."""

import atexit
import contextlib
import gc
import importlib
import os
import pickle
import random
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from faults.crashing import (
    BROKEN,
    CUTS,
    FULL,
    KILL,
    LOST,
    REAL,
    ZEROED,
    Disk,
    Seen,
    Tree,
    read_tree,
    write_tree,
)
from faults.recipes import Recipe, settled_tree

TIMEOUT_S = 120
END = "the end"
CALLS = "/calls.jsonl"
GROWING = ("create", "write", "mkdir", "truncate", "pwrite", "writev", "sendfile", "copy_file_range")
"""Operations that a full disk refuses; it still removes."""


@dataclass(frozen=True)
class Outcome:
    """What a command came to: its exit code, its stderr, the questions to models, and seconds."""

    code: int
    err: str
    asked: tuple[str, ...]
    seconds: float


@dataclass(frozen=True)
class Point:
    """The moment before an operation.

    Attributes:
        number: Of the operation, from 1; the last point is the moment after the end.
        operation: Name and path.
        left: What lies there after a kill and after each kind of power cut.
        answered: Questions whose replies are certainly in the journals then.
    """

    number: int
    operation: str
    left: dict[str, Tree]
    answered: dict[str, Counter]


@dataclass(frozen=True)
class Failure:
    """What is not as it should be after a crash at a point."""

    recipe: str
    how: str
    point: Point
    what: str

    def __str__(self) -> str:
        return f"{self.recipe}: {self.how} at {self.point.number} ({self.point.operation}): {self.what}"


@dataclass
class Tally:
    """Of one command: how many writes it has, how often what was tried, and what came of it.

    Attributes:
        writes: Operations that change something.
        tried: Points, by what was done there.
        runs: How often the command was run again: crashes that leave the same are one.
        failures: What was not as it should be.
        longest_s: The longest run after a crash.
        seconds: All of it.
    """

    writes: int = 0
    tried: Counter = field(default_factory=Counter)
    runs: int = 0
    failures: list[Failure] = field(default_factory=list)
    longest_s: float = 0.0
    seconds: float = 0.0


class Stage:
    """A directory where one command is run again and again, each time in a process forked from this one.

    ``in`` holds what it reads, and ``world`` all that it may write: outputs, temporary files, caches, home.
    """

    def __init__(self, recipe: Recipe, base: Path):
        self.recipe, self.base, self.world = recipe, base, base / "world"
        for name in ("in", "world/out", "world/tmp", "world/home"):
            (base / name).mkdir(parents=True)
        recipe.prepare(base)
        self.empty = read_tree(self.world)

    def run(
        self,
        seen: Seen | None = None,
        finish: Callable[[Disk], None] = lambda _: None,
        *,
        kill_after_s: float = TIMEOUT_S,
    ) -> Outcome:
        """Run the command; ``seen`` is told of each operation, and ``finish`` is called after the end."""
        for name in ("asked", "stdout", "stderr"):
            (self.base / name).write_bytes(b"")
        began = time.monotonic()
        pid = os.fork()
        if not pid:
            self._be_the_command(seen, finish)
        code, seconds = _exit_code(pid, kill_after_s), time.monotonic() - began
        asked = (self.base / "asked").read_text().splitlines()
        return Outcome(code, (self.base / "stderr").read_text(), tuple(asked), seconds)

    def points(
        self, looking_at: Callable[[int, str], bool]
    ) -> tuple[list[Point], list[tuple[str, str]], Outcome]:
        """Run the command undisturbed; what each crash would leave, and what it changed outside."""
        points: list[Point] = []
        trees: dict[frozenset, Tree] = {}

        def look(disk: Disk, number: int, operation: str, path: str) -> None:
            if operation != END and not looking_at(number, operation):
                return
            left = {how: disk.after(how) for how in (KILL, *CUTS)}
            left = {how: trees.setdefault(key_of(tree), tree) for how, tree in left.items()}
            journals = [node.data for name, node in left[KILL].items() if name.endswith(CALLS)]
            answered = dict.fromkeys(CUTS, self.recipe.answered(disk.synced("calls.jsonl")))
            answered[KILL] = self.recipe.answered(journals)
            points.append(Point(number, f"{operation} {path}".strip(), left, answered))

        def finish(disk: Disk) -> None:
            look(disk, disk.operations + 1, END, "")
            kept.write_bytes(pickle.dumps((points, disk.outside, list(sys.modules))))

        kept = self.base / "points"
        outcome = self.run(look, finish)
        if outcome.code != self.recipe.code:
            raise AssertionError(f"{self.recipe.name}: exit code {outcome.code}\n{outcome.err}")
        points, outside, modules = pickle.loads(kept.read_bytes())
        kept.unlink()
        # What a command imports late need not be imported by each of the next ones.
        warm(modules)
        return points, outside, outcome

    def _be_the_command(self, seen: Seen | None, finish: Callable[[Disk], None]) -> None:
        code = 70
        try:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            asked, out, err = (
                os.open(self.base / name, os.O_WRONLY | os.O_APPEND) for name in ("asked", "stdout", "stderr")
            )
            os.dup2(out, 1)
            os.dup2(err, 2)
            os.environ.update(self.recipe.environment(self.base))
            os.chdir(self.base)
            tempfile.tempdir = None
            self.recipe.listen(lambda question: REAL["write"](asked, question.encode() + b"\n"))
            sys.argv = ["tellapart", *self.recipe.words]
            disk = Disk(self.world, seen or (lambda *_: None))
            with disk.watching() if seen else contextlib.nullcontext():
                code = _main()
            finish(disk)
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
        finally:
            os._exit(code)


def _main() -> int:
    from tellapart.cli.main import main

    code: int | str | None = 0
    try:
        main()
    except SystemExit as stop:
        code = stop.code
    # What the end of an interpreter does.
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    return code if isinstance(code, int) else int(code is not None)


def _exit_code(pid: int, kill_after_s: float) -> int:
    until = time.monotonic() + kill_after_s
    while time.monotonic() < until:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.kill(pid, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


class Trial:
    """A command whose crashes are tried."""

    def __init__(
        self, recipe: Recipe, base: Path, *, looking_at: Callable[[int, str], bool] = lambda *_: True
    ):
        """Run it undisturbed, looking at operations by their numbers and names."""
        self.stage, self.recipe, self.tally = Stage(recipe, base), recipe, Tally()
        self.points, outside, self.undisturbed = self.stage.points(looking_at)
        self.final_tree = read_tree(self.stage.world)
        self.final = settled_tree(self.final_tree)
        self.tally.writes = self.points[-1].number - 1
        self._runs: dict[frozenset, tuple[Outcome, dict]] = {}
        for operation in outside:
            self._fail("outside", self.points[-1], f"changed outside of its places: {operation}")

    def crash(self, point: Point, how: str) -> None:
        """The same command again on what a crash left."""
        self.tally.tried[how] += 1
        key = key_of(point.left[how])
        if key not in self._runs:
            write_tree(point.left[how], self.stage.world)
            self._runs[key] = self._run_again()
        outcome, world = self._runs[key]
        for what in self._wrong(outcome, world):
            self._fail(how, point, what)
        expected = Counter(self.undisturbed.asked) - point.answered[how]
        if twice := Counter(outcome.asked) - expected:
            self._fail(how, point, f"asked again: {twice.total()} whose replies were on the disk")

    def refuse(self, point: Point, code: int) -> None:
        """An operation fails, on a full disk later ones that need room too; then the same command again."""
        how = {FULL: "full", BROKEN: "broken"}[code]
        self.tally.tried[how] += 1
        write_tree(self.stage.empty, self.stage.world)
        (hit := self.stage.base / "hit").write_text("nothing")

        def refusing(disk: Disk, number: int, operation: str, path: str) -> None:
            if number == point.number:
                fd = REAL["open"](hit, os.O_WRONLY | os.O_TRUNC)
                REAL["write"](fd, f"{operation} {path}".encode())
                os.close(fd)
            if number == point.number or (code == FULL and number > point.number and operation in GROWING):
                named = () if operation in ("write", "truncate", "fsync", "fdatasync") else (f"world/{path}",)
                raise OSError(code, os.strerror(code), *named)

        refused = self.stage.run(refusing)
        # Where things are done at the same time, their order varies a little.
        point = replace(point, operation=hit.read_text())
        if "Traceback" in refused.err or refused.code not in (self.recipe.code, 2):
            self._fail(how, point, f"exit code {refused.code}: {refused.err.strip()[-300:]!r}")
        elif refused.code == 2 and "world/" not in refused.err:
            self._fail(how, point, f"names no file: {refused.err.strip()[-200:]!r}")
        outcome, world = self._run_again()
        if code == BROKEN and point.operation.startswith("remove "):
            # What cannot be removed stays.
            world = {name: data for name, data in world.items() if name in self.final}
        for what in self._wrong(outcome, world):
            self._fail(how, point, what)

    def kill(self, rng: random.Random) -> None:
        """Kill the command at a random moment, in half of all cases its next life too, and let it end."""
        write_tree(self.stage.empty, self.stage.world)
        asked: list[str] = []
        for _ in range(rng.choice((1, 2))):
            life = self.stage.run(kill_after_s=rng.uniform(0, 1.1) * self.undisturbed.seconds)
            self.tally.tried[KILL] += life.code == -signal.SIGKILL
            asked += life.asked
        journals = [node.data for name, node in read_tree(self.stage.world).items() if name.endswith(CALLS)]
        answered = self.recipe.answered(journals)
        outcome, world = self._run_again()
        point = Point(0, "a random moment", {}, {})
        for what in self._wrong(outcome, world):
            self._fail(KILL, point, what)
        if twice := Counter(outcome.asked) - (Counter(self.undisturbed.asked) - answered):
            # Of an agent's exploration there is no reply but at its end.
            questions = [question for question in twice if question in answered]
            if questions:
                self._fail(KILL, point, f"asked again: {len(questions)} whose replies were on the disk")

    def _run_again(self) -> tuple[Outcome, dict]:
        outcome = self.stage.run()
        self.tally.runs += 1
        self.tally.longest_s = max(self.tally.longest_s, outcome.seconds)
        return outcome, self._world()

    def _world(self) -> dict:
        return settled_tree(read_tree(self.stage.world))

    def _wrong(self, outcome: Outcome, world: dict) -> Iterator[str]:
        """In what a run differs from the undisturbed one, or, if it was complete, from one after that."""
        difference = differing(world, self.final)
        if (outcome.code == self.undisturbed.code and not difference) or (
            outcome.code,
            world,
        ) == self._once_more:
            return
        if outcome.code != self.undisturbed.code or "Traceback" in outcome.err:
            yield f"exit code {outcome.code}: {outcome.err.strip()[-300:]!r}"
        else:
            yield difference

    @cached_property
    def _once_more(self) -> tuple[int, dict]:
        """Exit code and files where the command is run again after its end."""
        write_tree(self.final_tree, self.stage.world)
        return self.stage.run().code, self._world()

    def _fail(self, how: str, point: Point, what: str) -> None:
        self.tally.failures.append(Failure(self.recipe.name, how, point, what))


def key_of(tree: Tree) -> frozenset:
    """What makes trees the same."""
    return frozenset((name, node.mode, node.data) for name, node in tree.items())


def differing(world: dict, expected: dict) -> str:
    """Files that are too many, missing or other; empty where there are none. A cache may miss some."""
    missing = [name for name in expected.keys() - world.keys() if not name.startswith("index/")]
    names = {
        "left over": sorted(world.keys() - expected.keys()),
        "missing": sorted(missing),
        "other": sorted(name for name in world.keys() & expected.keys() if world[name] != expected[name]),
    }
    return "; ".join(f"{what}: {', '.join(places)}" for what, places in names.items() if places)


def error_at(point: Point) -> int | None:
    """How a disk refuses this operation; None for the end, which is none."""
    if point.operation == END:
        return None
    return FULL if point.operation.partition(" ")[0] in GROWING else BROKEN


def try_all(trial: Trial, points: Iterable[Point], *, errors: bool = True) -> Tally:
    """Kills, power cuts and errors of the disk at each of these points of a command."""
    began = time.monotonic()
    for point in points:
        for how in (KILL, *CUTS):
            trial.crash(point, how)
        if errors and (code := error_at(point)):
            trial.refuse(point, code)
    trial.tally.seconds = time.monotonic() - began
    return trial.tally


def is_sampled(number: int, operation: str) -> bool:
    """Whether a few crashes of a command may be at this operation."""
    return operation == "rename" or number % 10 == 0


def try_some(trial: Trial, *, errors: bool) -> Tally:
    """A kill just before the last file has its name, a power cut at the end, and one in the middle."""
    began = time.monotonic()
    renames = [point for point in trial.points if point.operation.startswith("rename ")]
    trial.crash(renames[-1], KILL)
    trial.crash(trial.points[-1], LOST)
    middle = trial.points[len(trial.points) // 2]
    trial.crash(middle, ZEROED)
    if errors and (code := error_at(middle)):
        trial.refuse(middle, code)
    trial.tally.seconds = time.monotonic() - began
    return trial.tally


def warm(modules: Iterable[str]) -> None:
    """Import once what children need."""
    for name in modules:
        if name not in sys.modules:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
    gc.collect()
    gc.freeze()

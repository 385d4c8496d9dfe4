"""Cases: a form, a number and a seed; how they are drawn, run and counted."""

import hashlib
import shlex
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Protocol

import numpy as np

from damage import archives, tables, texts, trees  # noqa: F401
from damage.forms import FORMS, Form
from damage.oracle import Observed, Outcome, Verdict, judge, normalised
from damage.registry import (
    ANY,
    BY_KIND,
    DANGLING,
    INSTEAD,
    MISSING,
    REFUSED,
    SAME,
    changed,
    draw,
    kind_of,
    pick,
    put_instead,
)

_SHARE_INSTEAD = 0.02
_SHARE_QUIET = 0.35
"""Of cases of frozen and journalled files, those whose files still read well: the hash alone can tell."""
QUIET = ("bits_flipped", "letter_changed")
_HOW_MANY = (1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 5)


@dataclass(frozen=True)
class Case:
    """``number`` counts the cases of a form from 0; ``seed`` is that of all cases of a run."""

    form: str
    number: int
    seed: int

    def __str__(self):
        return f"{self.form}:{self.number}"

    def rng(self) -> np.random.Generator:
        """The same for a case, whatever else is run."""
        digest = hashlib.sha256(f"{self.seed}/{self.form}/{self.number}".encode()).digest()
        return np.random.default_rng(int.from_bytes(digest[:8]))


@dataclass(frozen=True)
class Result:
    """What came of a case whose files, of ``size`` bytes, had these ``changes``."""

    case: Case
    verdict: Verdict
    changes: tuple[str, ...]
    size: int
    outcome: Outcome


@dataclass
class Tally:
    """What all cases came to."""

    counts: Counter = field(default_factory=Counter)
    failures: dict[tuple[str, str], list[Result]] = field(default_factory=dict)
    cpu_s: float = 0

    def add(self, result: Result) -> None:
        self.counts[result.case.form, result.verdict.name] += 1
        self.cpu_s += result.outcome.cpu_s
        if result.verdict.failed:
            self.failures.setdefault((result.verdict.name, result.verdict.detail), []).append(result)


def drawn(number: int, seed: int, forms: Iterable[Form]) -> list[Case]:
    """So many cases, of each form by its weight and at least one; all forms come early."""
    forms = list(forms)
    weights = np.array([form.weight for form in forms], float)
    cases = [
        (at / share, Case(form.name, at, seed))
        for form, share in zip(forms, number * weights / weights.sum(), strict=True)
        for at in range(max(1, round(share)))
    ]
    return [case for _, case in sorted(cases, key=lambda pair: pair[0])]


class Runner(Protocol):
    """Runs command lines, ``count`` at a time."""

    count: int

    def run(self, directory: Path, command: str, plant: str = "") -> tuple[Outcome, list[str]]:
        """What became of a command line in a directory, and what it left among temporary files."""


class Bench:
    """Where cases are run, on copies of unharmed files (``material``), and what commands answer to those."""

    def __init__(self, root: Path, runner: Runner):
        self.material = root / "material"
        self.material.mkdir()
        self._root, self._runner = root, runner
        self.controls: dict[str, Observed] = {}

    def control(self, form: Form) -> tuple[Verdict, Observed]:
        """Run a form's command on its unharmed files."""
        directory = self._lay_out(form)
        try:
            observed = self._observe(form, directory)
        finally:
            shutil.rmtree(directory)
        verdict = judge(form, ANY, set(), observed, None)
        outcome = observed.outcome
        shown = "".join([outcome.out.decode(), outcome.err.decode(), *observed.shown.values()])
        if not verdict.failed and form.answer not in shown:
            verdict = Verdict("not the right answer", True, form.answer)
        self.controls[form.name] = observed
        return verdict, observed

    def all_controls(self, forms: Iterable[Form]) -> Iterator[tuple[Form, Verdict, Observed]]:
        forms = list(forms)
        with ThreadPoolExecutor(self._runner.count) as pool:
            for form, (verdict, observed) in zip(forms, pool.map(self.control, forms), strict=True):
                yield form, verdict, observed

    def run(self, cases: Iterable[Case]) -> Iterator[Result]:
        with ThreadPoolExecutor(self._runner.count) as pool:
            yield from pool.map(self.result, cases)

    def result(self, case: Case, keep: Path | None = None, plant: str = "") -> Result:
        """Run a case; ``keep`` is where its files stay, ``plant`` a bug that the program is to have."""
        form = FORMS[case.form]
        if form.name not in self.controls:
            self.control(form)
        directory = self._lay_out(form)
        try:
            targets, effect, changes = mutate(form, directory, case.rng())
            size = sum(path.stat().st_size for path in targets if path.is_file())
            if keep:
                shutil.copytree(directory, keep, symlinks=True)
            of_files = {part for path in targets for part in path.relative_to(directory).parts}
            names = (set(shlex.split(form.run)) | of_files) - _NO_NAMES
            observed = self._observe(form, directory, plant)
        finally:
            shutil.rmtree(directory)
        verdict = judge(form, effect, names, observed, self.controls[form.name])
        return Result(case, verdict, changes, size, observed.outcome)

    def _lay_out(self, form):
        directory = Path(tempfile.mkdtemp(dir=self._root))
        for need in form.needs:
            source, _, target = need.partition(">")
            for path in sorted(self.material.glob(source)):
                to = directory / (target or path.relative_to(self.material))
                to.parent.mkdir(parents=True, exist_ok=True)
                if path.is_dir():
                    shutil.copytree(path, to, symlinks=True)
                else:
                    shutil.copyfile(path, to)
        return directory

    def _observe(self, form, directory, plant=""):
        before = set(directory.rglob("*"))
        outcome, temporary = self._runner.run(directory, form.run, plant)
        new = [path.relative_to(directory) for path in sorted(set(directory.rglob("*")) - before)]
        # Who reads a database that was left as one that is written to may leave two files of SQLite.
        left = [
            str(path) for path in new if not path.name.endswith(("-wal", "-shm")) and _is_left(path, form)
        ]
        shown = {
            str(path.relative_to(directory)): normalised(path.read_bytes())
            for pattern in form.shows
            for path in sorted(directory.glob(pattern))
            if path.is_file()
        }
        return Observed(outcome, shown, (*left, *temporary))


_NO_NAMES = {".", "-", "--json", "code", "runs", "data", "1", "2", "a", "b"}


def _is_left(path, form):
    below = (pattern[:-1] for pattern in form.writes if pattern.endswith("/*"))
    allowed = any(map(path.match, form.writes)) or str(path).startswith(tuple(below))
    return path.name.startswith(".tellapart-") or not allowed


def mutate(form: Form, directory: Path, rng: np.random.Generator) -> tuple[list[Path], str, tuple[str, ...]]:
    """Change files of a case; which, what must come of it, and how."""
    files = sorted(
        path
        for path in directory.rglob("*")
        if path.is_file() and path.name != "lock" and form.is_target(str(path.relative_to(directory)))
    )
    path = pick(rng, files)
    name = str(path.relative_to(directory))
    if rng.random() < _SHARE_INSTEAD:
        what = pick(rng, INSTEAD)
        if what == MISSING and fnmatch(name, form.optional):
            what = DANGLING
        put_instead(path, what)
        return [path], ANY, (f"{name}: {what} in its place",)
    quiet = form.kept and rng.random() < _SHARE_QUIET
    files_changed, changes, effects = [], [], []
    for _ in range(1 if quiet else pick(rng, _HOW_MANY)):
        if changes and rng.random() < 0.2:
            path = pick(rng, files)
        data = path.read_bytes()
        for _ in range(20):
            mutation = _quiet(path, rng) if quiet else draw(kind_of(path), rng)
            new = changed(mutation, data, rng)
            if new is not None:
                path.write_bytes(new)
                files_changed.append(path)
                changes.append(f"{path.relative_to(directory)}: {mutation.name}")
                effects.append(mutation.effect)
                break
    effect = ANY
    if effects and set(effects) == {SAME} and not form.exact:
        effect = SAME
    elif effects == [REFUSED]:
        effect = REFUSED
    return files_changed or [path], effect, tuple(changes)


def _quiet(path, rng):
    fitting = {one.name: one for one in BY_KIND[kind_of(path)]}
    return fitting.get(pick(rng, QUIET), fitting["bits_flipped"])

"""Every write of every command as its last: kills, power cuts and errors of the disk.

    .venv/bin/python benchmarks/crashes.py [--only NAME] [--each N] [--kills N] [--sample] [--dir DIRECTORY]

After each, the same command is run again and must end as if nothing had been: the same exit code, the same
bytes of every file (times aside), no file more, and no question asked again whose reply was on the disk.
``--kills`` kills at random moments instead. Prints a table of what was tried, and below each command its
failures.
"""

import argparse
import os
import random
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

os.environ.update(OMP_NUM_THREADS="1", POLARS_MAX_THREADS="1", NUMBA_DISABLE_JIT="1")
# In place of this directory, where another module is called as that package.
sys.path[0] = str(Path(__file__).parents[1] / "tests")

from faults.every_write import Failure, Tally, Trial, is_sampled, try_all, try_some, warm  # noqa: E402
from faults.recipes import KILLED, MODULES, RECIPES, SAMPLED  # noqa: E402

TRIED = ("kill", "lost", "emptied", "zeroed", "full", "broken")
HEAD = ("command", "writes", *TRIED, "runs", "failures", "longest s", "s")


def alike(failures: list[Failure]) -> list[list[Failure]]:
    """Failures in groups, by how they came about and the first words about them."""
    groups: dict[tuple[str, str], list[Failure]] = {}
    for failure in failures:
        what = re.sub(r"[^a-z ]", "", failure.what.partition(":")[0][:60])
        groups.setdefault((failure.how, what), []).append(failure)
    return list(groups.values())


def tallies(asked: argparse.Namespace, base: Path) -> Iterable[tuple[str, Tally]]:
    """What came of each command, by its name."""
    for place, (name, recipe) in enumerate((KILLED if asked.kills else RECIPES).items()):
        if name not in (asked.only or (SAMPLED if asked.sample else (name,))):
            continue
        few = asked.sample or asked.kills
        trial = Trial(recipe, base / str(place), looking_at=is_sampled if few else lambda *_: True)
        rng = random.Random(name)
        if asked.kills:
            began = time.monotonic()
            while trial.tally.tried["kill"] < asked.kills:
                trial.kill(rng)
            trial.tally.seconds = time.monotonic() - began
        elif asked.sample:
            try_some(trial, errors=place % 3 == 0)
        else:
            points = [point for point in trial.points if asked.each == 1 or not rng.randrange(asked.each)]
            try_all(trial, points)
        yield name, trial.tally


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", action="append", help="a command of the table; may be repeated")
    parser.add_argument("--each", type=int, default=1, help="try one write in N, drawn with a fixed seed")
    parser.add_argument("--kills", type=int, default=0, help="so many kills at random moments a command")
    parser.add_argument("--sample", action="store_true", help="three crashes a command, as in the tests")
    parser.add_argument("--dir", type=Path, help="where it is done; by default a temporary directory")
    asked = parser.parse_args()
    base = Path(tempfile.mkdtemp(prefix="crashes-", dir=asked.dir))
    failed = 0
    try:
        warm(MODULES)
        print(*HEAD, sep=" | ", flush=True)
        for name, tally in tallies(asked, base):
            cells = [name, tally.writes, *(tally.tried[how] for how in TRIED), tally.runs]
            print(*cells, len(tally.failures), f"{tally.longest_s:.1f}", f"{tally.seconds:.0f}", sep=" | ")
            for group in alike(tally.failures):
                print(f"    {len(group)} times, such as {group[0]}")
            sys.stdout.flush()
            failed += len(tally.failures)
    finally:
        shutil.rmtree(base)
    print(f"{failed} failures")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

"""Every write of every command as its last: kills, power cuts and errors of the disk.

    .venv/bin/python benchmarks/crashes.py [--only NAME] [--each N] [--dir DIRECTORY]

Prints a table, and each failure. `tests/faults` says what is tried and what must hold.
"""

import argparse
import os
import random
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path

os.environ.update(OMP_NUM_THREADS="1", POLARS_MAX_THREADS="1", NUMBA_DISABLE_JIT="1")
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from faults.every_write import Failure, Trial, try_all, warm
from faults.recipes import MODULES, RECIPES

HEAD = (
    "command",
    "writes",
    "kill",
    "lost",
    "emptied",
    "zeroed",
    "full",
    "broken",
    "different",
    "failures",
    "longest s",
    "s",
)


def alike(failures: list[Failure]) -> list[list[Failure]]:
    """Failures in groups, by how they came about and the words before names and numbers."""
    groups: dict[tuple[str, str], list[Failure]] = {}
    for failure in failures:
        what = re.sub(r"\.[a-z0-9_]{8}(?=[/'])", ".TEMPORARY", failure.what.partition(":")[0][:60])
        groups.setdefault((failure.how, what), []).append(failure)
    return list(groups.values())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", action="append", help="a command of the table; may be repeated")
    parser.add_argument("--each", type=int, default=1, help="try one write in N, drawn with a fixed seed")
    parser.add_argument("--dir", type=Path, help="where it is done; by default a temporary directory")
    parser.add_argument("--no-errors", action="store_true", help="kills and power cuts alone")
    parser.add_argument("--all", action="store_true", help="every failure, on stderr")
    asked = parser.parse_args()
    base = Path(tempfile.mkdtemp(prefix="crashes-", dir=asked.dir))
    warm(MODULES)
    print(*HEAD, sep=" | ", flush=True)
    failures: list[Failure] = []
    for name in asked.only or RECIPES:
        rng = random.Random(name)
        trial = Trial(RECIPES[name], base / name.replace(" ", "-"))
        points = [point for point in trial.points if asked.each == 1 or not rng.randrange(asked.each)]
        tally = try_all(trial, points, errors=not asked.no_errors)
        tried = [tally.tried[how] for how in HEAD[2:8]]
        cells = [name, tally.writes, *tried, tally.different, len(tally.failures)]
        print(*cells, f"{tally.longest_s:.1f}", f"{tally.seconds:.0f}", sep=" | ", flush=True)
        for failures_alike in alike(tally.failures):
            print(f"    {len(failures_alike)} times such as {failures_alike[0]}", flush=True)
        for failure in tally.failures if asked.all else ():
            print(failure, file=sys.stderr, flush=True)
        failures += tally.failures
    shutil.rmtree(base)
    print(f"{len(failures)} failures in {time.process_time():.0f} s of this process")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

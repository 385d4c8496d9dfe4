"""Install a wheel into an environment of its own, away from the repository, and use it as a stranger does.

Reports how long the install takes, how many packages it brings and how large they are. The exit code is 1
where a step fails.

Usage: python benchmarks/installed.py WHEEL
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

SCORES = "item,small,large\n" + "".join(f"{i},{int(i % 3 > 0)},{int(i % 9 > 0)}\n" for i in range(90))
PROGRAM = """
import tellapart as ta
audited = ta.audit("scores.csv")
print(ta.__version__, audited.verdict)
assert audited.pairs.height == 1, audited.pairs
assert ta.compare("scores.csv", baseline="small", max_drop=0.02).passed
"""


def main(wheel: str) -> int:
    """Install, measure, use."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "scores.csv").write_text(SCORES, encoding="utf-8")
        venv.create(place / "venv", with_pip=True)
        programs = place / "venv" / ("Scripts" if os.name == "nt" else "bin")
        begin, before = time.perf_counter(), os.times()
        subprocess.run(
            [programs / "python", "-m", "pip", "install", "--quiet", Path(wheel).resolve()], check=True
        )
        wall_s, user_s = time.perf_counter() - begin, os.times().children_user - before.children_user
        (packages,) = (place / "venv").rglob("site-packages")
        size = sum(file.stat().st_size for file in packages.rglob("*") if file.is_file())
        count = len(list(packages.glob("*.dist-info")))
        print(
            f"installed {count} packages, {size / 1e6:,.0f} MB, in {wall_s:.0f} s ({user_s:.0f} s of CPU)",
            flush=True,
        )
        for command in (
            [programs / "tellapart", "--version"],
            [programs / "tellapart", "audit", "scores.csv", "--html", "audit.html"],
            [programs / "tellapart", "compare", "scores.csv", "--baseline", "small", "--max-drop", "0.02"],
            [programs / "python", "-c", PROGRAM],
        ):
            done = subprocess.run(command, cwd=place, check=False)
            if done.returncode:
                print(f"failed with {done.returncode}: {' '.join(map(str, command))}")
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

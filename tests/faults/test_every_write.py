"""A few crashes of most commands that write; `make crashes` tries each write of all that `recipes.py` has."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CRASHES = Path(__file__).parents[2] / "benchmarks" / "crashes.py"


@pytest.mark.slow
@pytest.mark.process
def test_after_a_crash_the_same_command_ends_as_if_nothing_had_been(tmp_path):
    command = [sys.executable, str(CRASHES), "--sample", "--dir", str(tmp_path)]
    tried = subprocess.run(command, env=os.environ, capture_output=True, text=True, check=False)
    assert tried.returncode == 0, tried.stdout + tried.stderr
    assert tried.stdout.endswith("\n0 failures\n")

import os
import subprocess
import sys

import pytest

# A process of its own for each case: what goes wrong here ends the process and not only the call.
THREADS = """
from threading import Thread
import numpy as np
from tellapart.embed.vector_pairs import vector_pairs

rows = np.random.default_rng(0).normal(size=(2000, 96)).astype(np.float32)
left, right = np.repeat(np.arange(2000), 21), np.random.default_rng(1).integers(0, 2000, 42000)
expected = vector_pairs(rows, rows, left, right, "cosine")
equal = []
def work():
    for _ in range(40):
        equal.append(np.array_equal(vector_pairs(rows, rows, left, right, "cosine"), expected))
threads = [Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(equal), all(equal))
"""

LOOP = """
import numpy as np
from numba import prange
from tellapart.core.compiled import compiled

@compiled(parallel=True)
def double(values, doubled):
    for i in prange(len(values)):
        doubled[i] = 2 * values[i]
"""


def run(*arguments, **environment):
    kept = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    return subprocess.run(
        [sys.executable, *arguments], env=kept | environment, capture_output=True, text=True, timeout=120
    )


@pytest.mark.slow
@pytest.mark.process
def test_threads_may_call_a_parallel_loop_at_the_same_time():
    result = run("-c", THREADS, NUMBA_THREADING_LAYER="workqueue", NUMBA_NUM_THREADS="2")
    assert (result.returncode, result.stdout) == (0, "160 True\n"), result.stderr


@pytest.mark.slow
@pytest.mark.process
def test_loops_run_where_no_directory_can_be_written(tmp_path):
    (tmp_path / "loop.py").write_text(LOOP)
    # A file where the directory would be made stops the superuser too, whom permissions do not.
    (tmp_path / "__pycache__").write_text("")
    (tmp_path / "main.py").write_text(
        "import numpy as np\n"
        "from loop import double\n"
        "doubled = np.empty(3)\n"
        "double(np.array([1.0, 2.0, 4.0]), doubled)\n"
        "print(doubled.tolist())\n"
    )
    nowhere = {"HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null"}
    result = run(str(tmp_path / "main.py"), **nowhere)
    assert (result.returncode, result.stdout) == (0, "[2.0, 4.0, 8.0]\n"), result.stderr

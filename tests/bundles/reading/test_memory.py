import json
import subprocess
import sys

import pytest

MEASURE = """
import resource, sys
from pathlib import Path
from tellapart.files import RowFaults
from tellapart.bundles.reading import read_batches
path = Path(sys.argv[1])
problems = RowFaults(path)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(sum(frame.height for frame in read_batches(path, problems)), problems.counts.total())
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def grown(path):
    done = subprocess.run([sys.executable, "-c", MEASURE, path], capture_output=True, text=True, check=True)
    counts, kilobytes = done.stdout.splitlines()
    return counts, int(kilobytes) * 1024


@pytest.mark.slow
@pytest.mark.process
def test_a_file_of_json_lines_is_never_whole_in_memory(tmp_path):
    path = tmp_path / "e.jsonl"
    row = {"anchor": "x", "positive": "y" * 50_000, "negatives": ["z" * 50_000, "w"]}
    line = (json.dumps(row) + "\n").encode()
    with path.open("wb") as file:
        for _ in range(30):
            file.write(line * 100)
    assert path.stat().st_size > 300e6
    counts, memory = grown(path)
    assert counts == "3000 0"
    assert memory < 150e6

import json
import shutil

import pytest

from pinned.terminal import tellapart
from support.made_runs import make_runs


@pytest.fixture(scope="session")
def stored(tmp_path_factory):
    """A folder with runs of all suites, finished and growing; to be read only."""
    directory = tmp_path_factory.mktemp("view")
    make_runs(directory, tellapart)
    folder = directory / "folder"
    for suite in ("bundles", "codesearch", "contrastive", "longcontext"):
        shutil.copytree(
            directory / suite, folder / suite, ignore=shutil.ignore_patterns("inspect", "index", "*.eval")
        )
    killed = folder / "longcontext/runs/killed.partial"
    shutil.copytree(folder / "longcontext/runs/played", killed)
    record = json.loads((killed / "run.json").read_text())
    (killed / "run.json").write_text(json.dumps(record | {"status": "running"}))
    calls = (killed / "calls.jsonl").read_bytes().splitlines(keepends=True)
    (killed / "calls.jsonl").write_bytes(b"".join(calls[:9]))
    return folder

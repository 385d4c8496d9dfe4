import shutil
from pathlib import Path

import pytest

STORED = Path(__file__).parents[1] / "pinned" / "stored"


@pytest.fixture(scope="session")
def stored(tmp_path_factory):
    """A folder with runs of all suites, finished, killed and growing; to be read only."""
    folder = tmp_path_factory.mktemp("view") / "folder"
    shutil.copytree(STORED, folder)
    return folder

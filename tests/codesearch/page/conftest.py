import copy

import pytest

from codesearch.page.recorded_search import recorded, rescored, write
from tellapart.codesearch.page import load


@pytest.fixture
def view(tmp_path):
    return load(write(rescored(recorded()), tmp_path / "stored"))


@pytest.fixture
def viewed(tmp_path):
    """Read what a record says when it lies on the disk."""
    return lambda record: load(write(copy.deepcopy(record), tmp_path / "viewed"))

import pytest

from bundles.page.stored_boards import ALPHA, BETA, GAMMA, load, write_board, write_mined
from tellapart.bundles.page.mined import load_mined


@pytest.fixture
def paths(tmp_path):
    """Three scoreboards of one eval."""
    return [
        write_board(tmp_path, "alpha", ALPHA),
        write_board(tmp_path, "beta", BETA),
        write_board(tmp_path, "gamma", GAMMA, similarity="bm25"),
    ]


@pytest.fixture
def boards(paths):
    return load(paths)


@pytest.fixture
def mined(tmp_path):
    return load_mined(*write_mined(tmp_path))

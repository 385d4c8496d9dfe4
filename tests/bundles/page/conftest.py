import pytest

from bundles.page.stored_boards import ALPHA, BETA, GAMMA, load, write_board


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

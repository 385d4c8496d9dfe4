import pytest

from report.bundles.stored_boards import ALPHA, BETA, GAMMA, write_board, write_mined
from tellapart.report.bundles.mined import load_mined
from tellapart.report.bundles.record import load


@pytest.fixture
def paths(tmp_path):
    """Three scoreboards of one eval."""
    margins = {"alpha": ALPHA, "beta": BETA, "gamma": GAMMA}
    return [write_board(tmp_path, model, values) for model, values in margins.items()]


@pytest.fixture
def boards(paths):
    return load(paths)


@pytest.fixture
def mined(tmp_path):
    return load_mined(*write_mined(tmp_path))

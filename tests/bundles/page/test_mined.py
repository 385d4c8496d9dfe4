import pytest

from bundles.page.stored_boards import write_mined
from tellapart.bundles.page.mined import load_mined
from tellapart.errors import InputError


def test_figures_of_another_run_are_refused(tmp_path):
    path, stats = write_mined(tmp_path)
    path.write_text(path.read_text(encoding="utf-8").splitlines()[0], encoding="utf-8")
    with pytest.raises(InputError, match=r"3 bundles were accepted, but .*mined.jsonl has 1"):
        load_mined(path, stats)

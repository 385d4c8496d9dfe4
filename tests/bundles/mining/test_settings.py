import pytest

from tellapart.bundles.mining.settings import Settings, strength
from tellapart.errors import UsageError


def test_strength_of_ten_lineups_is_the_documented_one():
    found = [strength(passes, 10) for passes in range(11)]
    assert found == [None, None, "low", "low", "low", "mid", "mid", "mid", "ultra", "ultra", "ultra"]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"lineups": 2}, "3 passes are required, but there are 2 lineups"),
        ({"lineups": 0}, "lineups is 0"),
        ({"min_passes": 0}, "min_passes is 0"),
        ({"across_lemmas": -1}, "across_lemmas is -1"),
        ({"negatives_per_lineup": 36}, "36 negatives cannot be drawn from a pool of 35"),
    ],
)
def test_what_cannot_work_is_refused(changes, told):
    with pytest.raises(UsageError, match=told):
        Settings(**changes).check()

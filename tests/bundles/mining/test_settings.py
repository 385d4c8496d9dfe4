from tellapart.bundles.mining.settings import strength


def test_strength_of_ten_lineups_is_the_documented_one():
    found = [strength(passes, 10) for passes in range(11)]
    assert found == [None, None, "low", "low", "low", "mid", "mid", "mid", "ultra", "ultra", "ultra"]

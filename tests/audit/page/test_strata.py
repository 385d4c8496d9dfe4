from audit.page.stored_figures import figures, load, pair
from tellapart.audit.page.strata import kinds


def stratum(share, **needed):
    return {"separated_paired": share, "items": 10, "means": {}, "items_needed": needed}


def test_the_kind_that_separates_most_comes_first_then_the_one_with_fewest_items():
    keys = {"alpha|beta": 1}
    found = {
        "none": stratum(None),
        "late": stratum(0.5, **{"alpha|beta": None}),
        "slow": stratum(0.5, **{"alpha|beta": 90}),
        "quick": stratum(0.5, **keys),
        "best": stratum(0.75, **{"alpha|beta": 90}),
    }
    order = [kind.value for kind in kinds(load({**figures(), "by_stratum": {"d": found}}))["d"]]
    assert order == ["best", "quick", "slow", "late", "none"]


def test_the_pair_that_nothing_separates_is_the_hardest():
    easy = next(kind for kind in kinds(load(figures()))["difficulty"] if kind.value == "easy")
    hardest, needed = easy.hardest
    assert (hardest.a, hardest.b, needed) == ("beta", "gamma", None)
    assert [number for _, number in easy.needed] == [40, 80, 90, 900, 1200, None]


def test_bars_in_names_part_no_pair():
    odd = [pair("a|b", "c", "a>b", 0.1), pair("a", "b|c", "a>b", 0.1)]
    found = {"x": stratum(1.0, **{r"a\|b|c": 7, r"a|b\|c": 9})}
    kind = kinds(load({**figures(), "pairs": odd, "by_stratum": {"d": found}}))["d"][0]
    assert [(one.a, one.b, needed) for one, needed in kind.needed] == [("a|b", "c", 7), ("a", "b|c", 9)]

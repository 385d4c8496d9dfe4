from audit.page.stored_figures import figures, load
from tellapart.audit.page.strata import kinds


def test_the_kind_that_separates_most_comes_first():
    shares = {"none": None, "b": 0.5, "a": 0.5, "best": 0.75}
    found = {
        value: {"separated_paired": share, "items": 10, "means": {}, "items_needed": {}}
        for value, share in shares.items()
    }
    view = load({**figures(), "by_stratum": {"d": found, "empty": {}}})
    assert {column: [kind.value for kind in of] for column, of in kinds(view).items()} == {
        "d": ["best", "a", "b", "none"]
    }

from audit.page.stored_figures import figures, fix, load, pair


def test_pairs_come_by_the_answers_that_their_cheapest_fix_takes():
    # 0 answers again for beta and delta, 40 items for gamma and delta; equivalent ones need nothing.
    view = load(figures())
    assert [one.names for one in view.unseparated] == ["beta and delta", "gamma and delta", "beta and gamma"]
    assert view.cheapest.names == "beta and delta"
    assert [one.names for one in view.separated] == ["alpha and delta", "alpha and gamma", "alpha and beta"]


def test_answers_again_cost_one_for_each_item():
    # Two answers of two models to each of 100 items are 400, more than those to 150 new items.
    again = pair("a", "b", "not_separated", 0.1, fix=[fix("add_replicates", "", 0, 2)])
    more = pair("a", "c", "not_separated", 0.1, fix=[fix("add_items", "", 150)])
    view = load({**figures(), "pairs": [again, more]})
    assert [one.b for one in view.unseparated] == ["c", "b"]

from audit.page.stored_figures import figures, fix, load, pair, two_models


def test_the_one_ahead_comes_first_with_its_lead():
    view = load(figures())
    one = next(one for one in view.pairs if (one.a, one.b) == ("delta", "gamma"))
    assert (one.names, one.of(one.ahead)) == ("gamma and delta", (0.09, (-0.0, 0.18)))


def test_a_verdict_for_b_puts_b_ahead_whatever_the_mean_says():
    one = load({**two_models(), "pairs": [pair("a", "b", "b>a", -0.1, [-0.2, -0.05], 0.01)]}).pairs[0]
    assert (one.ahead, one.of("b")) == ("b", (0.1, (0.05, 0.2)))


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

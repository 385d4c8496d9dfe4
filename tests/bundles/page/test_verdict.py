from bundles.page.stored_boards import ALPHA, BETA, OWN, TIER_OF, TIERS, load, write_board
from tellapart.bundles.page.view import headline_sentences, units_differ, verdict


def test_a_model_whose_margins_made_the_tiers_is_marked(tmp_path, paths):
    view = load([*paths[:2], write_board(tmp_path, "own", OWN)])
    beware = (
        "the tiers were cut by the margins of own itself, so its pass rates by tier follow from the cut and "
        "say nothing about it"
    )
    assert ". ".join(headline_sentences(view)).endswith(f"Beware: {beware}")
    assert "own 0.0 % (by its own cut)" in verdict(view)[1]


def test_tiers_that_differ_are_not_compared(tmp_path):
    moved = TIER_OF[:-2] + [TIERS[0]] * 2
    view = load([write_board(tmp_path, "alpha", ALPHA), write_board(tmp_path, "beta", BETA, tiers=moved)])
    assert view.comparison.secondary is None
    assert "Beware: 2 of 40 bundles are in different tiers on different scoreboards" in ". ".join(
        headline_sentences(view)
    )
    assert len([line for line in verdict(view) if line.startswith("Pass rate")]) == 1


def test_different_units_are_named(boards, paths):
    # Of alpha's 40 sizes the 20th and 21st are both 0.2 (2 × −0.1, 16 × 0.1, 8 × 0.2, then 0.3 and 0.5).
    assert verdict(boards)[2] == (
        "Margins are in different units: alpha cosine (median size 0.2), beta cosine (median size 0.2), "
        "gamma bm25 (median size 8). Compare their signs and shares, not their sizes."
    )
    assert units_differ(load(paths[:2])) == ""

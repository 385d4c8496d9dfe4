from pathlib import Path

import pytest

from bundles.made_scores import scores
from bundles.page.stored_boards import OWN, load, write_board
from tellapart.bundles.boards import eval_header, scoreboard
from tellapart.bundles.page import tables
from tellapart.bundles.page.charts import ranks_chart
from tellapart.bundles.page.view import Board, View
from tellapart.bundles.scoreboards import Scored
from tellapart.core.score_notes import ScoreNotes
from tellapart.report.charts import inline_svg


def shown(table, *columns):
    at = [[column.title for column in table.columns].index(name) for name in columns]
    return [tuple(table.shown(row[i]) for i in at) for row in table.rows]


def test_every_tier_has_a_row_for_every_model(boards):
    table = tables.pass_rates(boards)
    rates = shown(table, "Tier", "Model", "n", "Pass rate, %")
    assert len(rates) == 4 * 3
    assert rates[:3] == [
        ("overall", "alpha", "40", "85.0"),
        ("overall", "beta", "40", "45.0"),
        ("overall", "gamma", "40", "50.0"),
    ]
    assert rates[-3:] == [
        ("tier3_adversarial", "alpha", "20", "80.0"),
        ("tier3_adversarial", "beta", "20", "20.0"),
        ("tier3_adversarial", "gamma", "20", "25.0"),
    ]
    assert table.rows[-3][3].detail == "58.4–91.9"


def test_margins_have_three_decimals_as_cosines_and_two_in_larger_units(boards):
    rows = shown(tables.pass_rates(boards), "Margin Q10", "Q90")
    assert rows[-3:] == [("−0.300", "0.100"), ("−0.200", "0.200"), ("−8.00", "2.00")]


def test_ranks_hold_the_expectation_and_ties(boards):
    table = tables.ranks(boards)
    # gamma: 5 of 20 rank 1, 15 rank 4: mean 3.25, MRR (5 + 15/4)/20 = .4375, 5 among the first 3.
    found = shown(table, "Mean rank", "Expected rank", "MRR", "Top 3, %", "Top 5, %", "Ties")
    assert found[-1] == ("3.25", "3.25", "0.438", "25.0", "100.0", "0")
    assert found[1][-1] == "1"


def test_an_empty_tier_has_dashes_and_no_zeros(tmp_path):
    view = load([write_board(tmp_path, "alpha", [0.5] * 4, items=list("abcd"), tiers=["tier1_easy"] * 4)])
    assert shown(tables.pass_rates(view), "n", "Pass rate, %", "Median")[-1] == ("0", "–¹", "–¹")
    assert tables.pass_rates(view).notes()[-1] == "–¹ no bundles"


def test_a_rate_that_follows_from_the_cut_says_so(tmp_path):
    table = tables.pass_rates(load([write_board(tmp_path, "own", OWN)]))
    assert [row[3].detail for row in table.rows] == ["14.2–40.2", *["by its own cut"] * 3]


def test_chart_and_table_have_one_top_3():
    # Of ranks 1, 3 tied with one and 3 tied with three: 1, 1/2 and 1/4 are the chances of the first 3 places.
    frame = scores([0.5, -0.1, -0.1], ["tier1_easy"] * 3, ranks=[1, 3, 3], ties=[0, 1, 3])
    header = eval_header("eval.jsonl", "0" * 16, frame, 42)
    stored = scoreboard(frame, header, model="m", similarity="cosine")
    board = Board("m", Scored(Path("m.json"), stored, frame, ScoreNotes()))
    assert board.within("overall", [1, 2, 3, 6]).tolist() == pytest.approx([1 / 3, 1 / 3, 1.75 / 3, 1.0])
    assert board.tiers["overall"].top3 == pytest.approx(1.75 / 3)
    assert board.last_rank == 6
    chart = ranks_chart(View((board,)))
    assert chart.title == "The positive is among the first 3 in 58.3 % of all bundles for m"
    assert "58.3" in "".join(inline_svg(chart, 600))


def test_ties_share_their_places_in_every_share(boards):
    for board in boards.boards:
        for tier in ("overall", "tier3_adversarial"):
            shares = board.within(tier, [3, 5]).tolist()
            assert shares == pytest.approx([board.tiers[tier].top3, board.tiers[tier].top5], abs=1e-12)


def test_the_hardest_are_lowest_in_all_models_margins(boards):
    found = tables.hardest(boards)
    assert found.height == 20
    # Places of b36: with alpha the mean of 1–4, with beta that of 1–16, with gamma that of 1–15: 19 in all;
    # b25: 14.5 + 8.5 + 8 = 31; b39, which ties with beta: 2.5 + 22 + 8 = 32.5; b18: 5.5 + 19 + 18 = 42.5.
    items = found["item"].to_list()
    assert items[:3] == ["b36", "b37", "b38"]
    assert items[3:14] == [f"b{i}" for i in range(25, 36)]
    assert items[14:18] == ["b39", "b18", "b19", "b24"]


def test_a_model_with_larger_margins_has_no_larger_say(tmp_path, paths):
    large = [1000 * margin for margin in (0.5,) * 10 + (0.2,) * 10 + (0.1,) * 20]
    one = load([paths[1], write_board(tmp_path, "small", [margin / 1e6 for margin in large])])
    other = load([paths[1], write_board(tmp_path, "large", large)])
    assert tables.hardest(one)["item"].to_list() == tables.hardest(other)["item"].to_list()


def test_the_hardest_show_every_models_margin_and_the_tier(boards):
    row = tables.hardest_table(boards).rows[14]
    assert [cell.text for cell in row] == ["b39", "−0.300", "0.000", "−8.00"]
    assert row[0].detail == "tier3_adversarial"


@pytest.mark.parametrize("several", [False, True])
def test_the_order_of_the_hardest_is_said(paths, several):
    table = tables.hardest_table(load(paths if several else paths[:1]))
    assert ("mean place" in table.title) == several

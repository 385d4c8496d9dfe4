"""What a reader sees first: the ranking from 0, and who is better in each pair."""

from typing import NamedTuple

from support.score_tables import table_of
from tellapart.core.comparison import compare
from tellapart.report.comparison import Scale
from tellapart.report.screen import differences, ranking


class Place(NamedTuple):
    model: str
    rank_ci: tuple[int, int] | None
    mean: float | None
    ci: tuple[float, float] | None


def test_the_axis_of_rates_begins_at_0_with_at_most_four_labels():
    for best in (0.04, 0.3, 0.6, 0.97):
        places = [Place("a", (1, 1), best, (best - 0.02, best + 0.02)), Place("b", (2, 2), 0.03, None)]
        labels = [text for _, text in ranking(places, Scale()).ticks]
        assert labels[0] == "0" and 2 <= len(labels) <= 4
    scores = [Place("a", (1, 1), 1200.0, (1190.0, 1210.0)), Place("b", (2, 2), 1100.0, (1090.0, 1110.0))]
    assert ranking(scores, Scale(rates=False)).ticks[0][1] != "0"
    assert ranking([Place("a", None, None, None)], Scale()) is None


def test_each_difference_names_who_is_better():
    right = {"good": 90, "same": 89, "bad": 40}
    scores = {model: [1.0] * n + [0.0] * (100 - n) for model, n in right.items()}
    shown = differences(compare(table_of(scores)))
    # Each pair has the level at which Holm tested it.
    assert shown.columns[2].title == "Interval"
    verdicts = {row.cells[0].text: row.cells[-1].text for row in shown.rows}
    assert verdicts["good − bad"] == "good is better"
    assert verdicts["good − same"] == "cannot tell"


def test_a_difference_without_an_interval_says_why():
    shown = differences(compare(table_of({"a": [1.0], "b": [0.0]})))
    assert shown.columns[2].title == "95 % interval"
    (row,) = shown.rows
    assert row.ends is None
    assert row.cells[2].reason.startswith("no interval: ")
    assert shown.table().notes() == [f"–¹ {row.cells[2].reason}"]

from tellapart.bundles.page import tables


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


def test_the_hardest_are_lowest_in_all_models_margins(boards):
    found = tables.hardest(boards)
    assert found.height == 20
    # Places of b36: with alpha the mean of 1–4, with beta that of 1–16, with gamma that of 1–15: 19 in all;
    # b25: 14.5 + 8.5 + 8 = 31; b39, which ties with beta: 2.5 + 22 + 8 = 32.5; b18: 5.5 + 19 + 18 = 42.5.
    items = found["item"].to_list()
    assert items[:3] == ["b36", "b37", "b38"]
    assert items[3:14] == [f"b{i}" for i in range(25, 36)]
    assert items[14:18] == ["b39", "b18", "b19", "b24"]

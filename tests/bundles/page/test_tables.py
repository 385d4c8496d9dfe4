def test_the_hardest_are_lowest_in_all_models_margins(boards):
    found = boards.hardest
    assert found.height == 20
    # Places of b36: with alpha the mean of 1–4, with beta that of 1–16, with gamma that of 1–15: 19 in all;
    # b25: 14.5 + 8.5 + 8 = 31; b39, which ties with beta: 2.5 + 22 + 8 = 32.5; b18: 5.5 + 19 + 18 = 42.5.
    items = found["item"].to_list()
    assert items[:3] == ["b36", "b37", "b38"]
    assert items[3:14] == [f"b{i}" for i in range(25, 36)]
    assert items[14:18] == ["b39", "b18", "b19", "b24"]

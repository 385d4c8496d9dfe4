from contrastive.page.stored_record import UNITS
from tellapart.contrastive.page.browser import items_data


def test_every_item_has_one_answer_of_each_model(view):
    data = items_data(view)
    assert data["models"] == ["beta", "alpha", "gamma"]
    assert [item[0] for item in data["items"]] == view.sets["item"].to_list()
    assert [len(answers) for answers in data["answers"]] == [8, 8, 8]
    beta, _, gamma = data["answers"]
    # beta has the first two of four right at easy; the best distractor of the first item is unit 1.
    assert beta[0] == [1.0, 1, 0, 0.25, 0.25, data["units"].index(UNITS[1])]
    assert beta[2] == [0.0, 3, 0, 0.05, -0.125, data["units"].index(UNITS[0])]
    assert gamma[4:] == ["timeout"] * 4


def test_items_name_target_level_and_distractors_by_position(view):
    data = items_data(view)
    item, level, target, score, label, distractors = data["items"][5]
    assert (item, data["levels"][level], data["units"][target]) == (f"hard/{UNITS[1]}", "hard", UNITS[1])
    assert (score, label) == (41.0, "medium")
    assert [data["units"][unit] for unit, _, _ in distractors] == [UNITS[0], *UNITS[2:10]]
    assert {(data["strategies"][strategy], similarity) for _, strategy, similarity in distractors} == {
        ("semantic", 0.125)
    }


def test_code_is_there_for_targets_and_best_distractors_only(view):
    data = items_data(view)
    named = {data["units"][unit] for unit in data["code"]}
    assert named == {*UNITS[:4]}
    first = data["units"].index(UNITS[2])
    assert data["code"][first] == ["def unit_2():\n    return 2", 0, "a.py", 21, 22, "python"]
    assert data["summaries"]["docstring"][first] == "Return the number 2."

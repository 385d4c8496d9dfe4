import pytest

from contrastive.page.stored_record import run_record, write_record
from tellapart.contrastive.page import load
from tellapart.errors import InputError
from tellapart.store import RunDirectory


def test_models_come_in_the_order_asked_for_and_then_by_name(view):
    assert view.models == ("beta", "alpha", "gamma")


def test_levels_keep_their_order(view):
    assert view.levels == ("easy", "hard")


def test_what_a_level_asked_comes_from_its_items(view):
    assert view.item_counts == {"easy": 4, "hard": 4}
    assert view.distractors == {"easy": 4, "hard": 9}
    assert view.chance == {"easy": pytest.approx(1 / 5), "hard": pytest.approx(1 / 10)}


def test_a_run_of_another_suite_is_refused(tmp_path):
    run = RunDirectory.open(write_record(tmp_path / "run", record=run_record("bundles")))
    with pytest.raises(InputError, match="this is a run of 'bundles', expected one of 'contrastive'"):
        load(run)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda path: path.unlink(), "cannot read this part of a run: No such file or directory"),
        (lambda path: path.write_text("{"), "report.json:1:2: this is not JSON: "),
        (lambda path: path.write_text("[]"), r"not a valid part of a run: found \[\], expected an object"),
    ],
)
def test_a_damaged_part_is_named(tmp_path, damage, message):
    run = RunDirectory.open(write_record(tmp_path / "run"))
    damage(run.artifacts / "report.json")
    with pytest.raises(InputError, match=message) as caught:
        load(run)
    assert caught.value.where.startswith(str(run.artifacts / "report.json"))

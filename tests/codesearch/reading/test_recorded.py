import json
from pathlib import Path

import pytest

from tellapart.codesearch.reading import Figures, RecordedFigures, read_evaluation, recorded_figures
from tellapart.errors import InputError

FIXTURE = (Path(__file__).parent / "fixtures" / "evaluation.json").read_text()


def notes_with(place, **fields):
    """What is told of the fixture with other fields of one conversation, and is not told without them."""
    record = json.loads(FIXTURE)
    record["conversations"][place] |= fields
    usual = read_evaluation(FIXTURE).notes
    return [note for note in read_evaluation(json.dumps(record)).notes if note not in usual]


def test_figures_as_they_were_recorded():
    assert recorded_figures(FIXTURE) == RecordedFigures(
        Figures(0.283, 0.311, 0.75),
        {
            # Run A found nothing; one of its two; both of them.
            "conv-1": Figures(0.25, 0.333, None),
            "conv-2": Figures(0.0, 0.0, 0.5),
            "conv-3": Figures(0.6, 0.6, 1.0),
        },
        {"uncertain": Figures(0.283, 0.311, None)},
    )


def test_figures_that_are_not_there_are_none():
    record = json.loads(FIXTURE)
    del record["metrics"]
    record["conversations"][0] |= {"precision": None, "recall": "0.1", "calibration_data": None}
    found = recorded_figures(json.dumps(record))
    assert found.whole == Figures()
    assert found.by_area == {}
    assert found.by_conversation["conv-1"] == Figures()
    with pytest.raises(InputError, match="evaluation.json: is empty"):
        recorded_figures("", where="evaluation.json")


@pytest.mark.parametrize(
    ("name", "meaning"),
    [
        ("ground_truth_files", "the union of its runs"),
        ("intersection", "our files that a run found"),
        ("our_unique", "our files that no run found"),
        ("ground_truth_unique", "the runs' files that we did not find"),
    ],
)
def test_each_list_that_contradicts_the_runs_is_named_once(name, meaning):
    right = json.loads(FIXTURE)["conversations"][0][name]
    wrong = [*right[1:], "aero/one.rb", "aero/two.rb"]
    assert notes_with(0, **{name: wrong}) == [
        f"conversation 'conv-1': its {name!r} are not {meaning}: 2 too many, 1 missing, such as 'aero/one.rb'"
    ]


def test_lists_are_sets_however_they_are_written():
    right = json.loads(FIXTURE)["conversations"][0]["ground_truth_files"]
    again = [f"./{file}" for file in reversed(right)] + [{"repo": "tack", "path": right[-1]}]
    assert notes_with(0, ground_truth_files=again) == []
    assert notes_with(0, ground_truth_files=None) == []


def test_calibration_lists_are_held_against_the_runs():
    lists = {"opus_only": ["aero/app/billing.rb"], "sonnet_only": [], "both_models": []}
    assert [note.split(": ")[1] for note in notes_with(1, calibration_data=lists)] == [
        "its 'opus_only' are not the files that only run A found",
        "its 'sonnet_only' are not the files that only run B found",
        "its 'both_models' are not the files that both runs found",
    ]


def test_figures_that_do_not_follow_are_named_with_those_that_do():
    # conv-1: 1 of 4 files, and 1 of 1 + 2; 0.333 and 0.3333 both agree to the third decimal, 0.334 does not.
    assert notes_with(0, recall=1 / 3) == []
    (note,) = notes_with(0, recall=0.334)
    assert note == "conversation 'conv-1': recorded are recall 0.334, its lists and verdicts give 0.333"
    # (0.5 + 0 + 0.6) / 3 and (0.9 + 0 + 0.6) / 3.
    assert notes_with(0, precision=0.5, recall=0.9) == [
        "its precision is 0.283, the mean of its conversations is 0.367",
        "its recall is 0.311, the mean of its conversations is 0.500",
        "conversation 'conv-1': recorded are precision 0.5 and recall 0.9, its lists and verdicts give 0.250 "
        "and 0.333",
    ]


def test_a_verdict_on_a_file_that_nobody_found_is_not_told_as_one_that_counts_twice():
    # conv-1: recorded as (1 + 1) / 4, with a verdict on a file of no list; without it 1 / 4.
    judged = [{"file": "aero/nowhere.rb", "relevant": True, "reasoning": "r"}]
    notes = notes_with(0, our_unique_judgments=judged, precision=0.5, recall=0.5)
    assert notes[-1] == (
        "conversation 'conv-1': recorded are precision 0.5 and recall 0.5, its lists and verdicts give 0.250 "
        "and 0.333"
    )


def test_nothing_found_is_recorded_as_zero_or_not_at_all():
    nothing = {"our_files": [], "our_unique": [], "intersection": [], "our_unique_judgments": []}
    truth = json.loads(FIXTURE)["conversations"][1]["ground_truth_files"]
    assert notes_with(1, **nothing, ground_truth_unique=truth, precision=0.0, recall=0.0) == []
    assert notes_with(1, **nothing, ground_truth_unique=truth, precision=None, recall=None) == []


def test_the_whole_is_held_against_its_conversations():
    record = json.loads(FIXTURE)
    record["metrics"]["aggregate"]["precision"] = 0.285
    record["metrics"]["calibration"]["overlap_rate"] = 0.8
    notes = read_evaluation(json.dumps(record)).notes
    # (0.25 + 0 + 0.6) / 3; run A found 0 + 2 + 2 files, of which run B found 0 + 1 + 2.
    assert notes[:2] == (
        "its precision is 0.285, the mean of its conversations is 0.283",
        "its overlap rate is 0.8, its runs give 3 / 4 = 0.750",
    )
    # Where a conversation cannot be used, the runs are not all there.
    record["conversations"][0]["run_b"] = None
    assert not any("overlap" in note for note in read_evaluation(json.dumps(record)).notes)

import pytest

from longcontext.importing.data_sets import locomo, written
from tellapart.longcontext.importing import ImportSettings, form_of, import_cases
from tellapart.longcontext.reading import read_cases


def imported(tmp_path, *samples, seed=None):
    path = written(tmp_path / "locomo10.json", list(samples))
    record = import_cases(path, form_of(path), tmp_path / f"cases{seed}", ImportSettings(seed=seed))
    return record, read_cases([tmp_path / f"cases{seed}"])


def test_questions_that_cannot_be_used_are_counted(tmp_path):
    good, *_ = locomo()["qa"]
    bad = [
        {"question": "Who?", "category": 4, "evidence": []},
        {"question": "Who?", "category": 5, "answer": "Ada", "evidence": []},
        {"question": "Who?", "category": 6, "answer": "Ada"},
        {"question": " ", "category": 4, "answer": "Ada"},
        {"category": 4, "answer": "Ada"},
    ]
    record, (case,) = imported(tmp_path, locomo([good, *bad]))
    assert len(case.probes) == 1
    assert {name: n for name, n in record.changes.items() if "questions" in name} == {
        "questions left out: 'answer' is missing": 1,
        "questions left out: 'adversarial_answer' is missing": 1,
        "questions left out: 'question' is missing": 2,
        "questions left out: there is no category 6": 1,
    }


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        ({"conversation": {"speaker_a": "Ada"}}, "'conversation' has no session"),
        ({"qa": []}, "'qa' has no question that can be used"),
        ({"qa": None}, "'qa' is null, expected a list"),
        ({"conversation": {"session_1": [{"text": "Hi."}]}}, "not a valid session_1: "),
    ],
)
def test_a_sample_that_cannot_be_used_is_left_out_and_counted(tmp_path, change, cause):
    record, cases = imported(tmp_path, locomo(), locomo(sample_id="conv-2") | change)
    (group,) = record.left_out
    assert group.cause.startswith(cause)
    assert (group.first, len(cases)) == (("conv-2",), 1)

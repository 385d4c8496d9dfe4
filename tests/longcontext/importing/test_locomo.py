import pytest

from longcontext.importing.data_sets import locomo, written
from tellapart.longcontext.importing import ImportSettings, form_of, import_cases
from tellapart.longcontext.reading import read_cases


def imported(tmp_path, *samples, seed=None):
    path = written(tmp_path / "locomo10.json", list(samples))
    record = import_cases(path, form_of(path), tmp_path / f"cases{seed}", ImportSettings(seed=seed))
    return record, read_cases([tmp_path / f"cases{seed}"])


def test_a_session_is_a_message_and_a_picture_its_caption(tmp_path):
    record, (case,) = imported(tmp_path, locomo())
    assert [(step.text, step.reply, step.session, step.date) for step in case.messages] == [
        (
            "[1:56 pm on 8 May, 2022]\n\nAda: I planted peas. [shows a picture: a green bed]\n"
            "Ben: I moved last year.",
            *("OK.", "session_1", "1:56 pm on 8 May, 2022"),
        ),
        (
            "[9:00 am on 9 June, 2022]\n\nBen: I play the oboe now, on stage!\nAda: And I planted beans.",
            *("OK.", "session_2", "9:00 am on 9 June, 2022"),
        ),
    ]
    assert "conversations of Ada and Ben" in case.system
    assert (case.name, case.origin.licence) == ("conv-1", "CC BY-NC 4.0")
    assert record.changes == {
        "evidence ids that no turn has, left out": 1,
        "pictures: their captions are shown instead": 1,
    }


def test_each_category_has_its_published_metric(tmp_path):
    record, (case,) = imported(tmp_path, locomo())
    assert [(p.id, p.failure_mode, p.expected.rule, p.expected.answer) for p in case.probes] == [
        ("V1", "multi-hop", "token-f1-parts", "Peas, beans"),
        ("V2", "temporal", "token-f1", "2021"),
        ("V3", "open-domain", "token-f1", "Likely no"),
        ("V4", "single-hop", "token-f1", "The oboe"),
        ("V5", "adversarial", "not-mentioned", "Not mentioned in the conversation"),
    ]
    assert record.questions == {
        **{"multi-hop": 1, "temporal": 1, "open-domain": 1},
        **{"single-hop": 1, "adversarial": 1},
    }
    assert case.probes[0].expected.evidence == (
        "Ada: I planted peas. [shows a picture: a green bed]",
        "Ada: And I planted beans.",
    )
    assert case.probes[4].expected.evidence == ()


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

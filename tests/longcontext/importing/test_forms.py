"""Data sets become cases: what is read, left out and changed; whole cases are held by golden files."""

import json

import pytest

from longcontext.importing.data_sets import locomo, longmemeval, mrcr, nolima, parquet, turns, written
from tellapart.errors import InputError
from tellapart.longcontext.design import ImportSettings, wrong_keys_of
from tellapart.longcontext.importing import form_of, import_cases
from tellapart.longcontext.reading import read_cases

BOOK = "".join(f"Sentence {n} is here. " for n in range(1000))


@pytest.fixture
def imported(tmp_path):
    def run(form, *records, out="cases", **settings):
        if form == "mrcr":
            path = parquet(tmp_path / "2needle_0.parquet", records)
        else:
            path = written(tmp_path / f"{form}.json", list(records))
        if form == "nolima":
            (tmp_path / "book.txt").write_text(BOOK)
            settings = {"lengths": (500,), "depths": (0.5,), **settings, "haystack": (tmp_path / "book.txt",)}
        record = import_cases(path, form_of(path), tmp_path / out, ImportSettings(**settings))
        return record, {case.name: case for case in read_cases([tmp_path / out])}

    return run


def test_kinds_of_questions_of_longmemeval_are_kinds_of_probes(imported):
    _, cases = imported(
        "longmemeval",
        longmemeval(question_id="a", question_type="single-session-preference", answer="They like blue."),
        longmemeval(question_id="b_abs", question_type="multi-session", answer="Never mentioned."),
        longmemeval(question_id="c", question_type="temporal-reasoning", answer=3),
    )
    probes = {name: case.probes[0] for name, case in cases.items()}
    rules = {name: probe.expected.rule for name, probe in probes.items()}
    assert rules == {"a": "rubric", "b_abs": "abstention", "c": "facts"}
    assert probes["b_abs"].failure_mode == "multi-session, abstention"
    assert probes["b_abs"].expected.evidence == ()
    assert probes["c"].expected.answer == "3" and "off by one" in probes["c"].expected.test


def test_a_limit_takes_the_first_ones_and_a_seed_draws(imported):
    records = [longmemeval(question_id=f"q{n}") for n in range(20)]
    record, cases = imported("longmemeval", *records, limit=3)
    assert list(cases) == ["q0", "q1", "q2"]
    assert (record.records, record.cases, record.over_the_limit) == (20, 3, 17)
    drawn = [
        {*imported("longmemeval", *records, out=f"drawn{i}", limit=3, seed=seed)[1]}
        for i, seed in enumerate((7, 7, 8))
    ]
    assert drawn[0] == drawn[1] != drawn[2] and {*map(len, drawn)} == {3}


def test_questions_of_locomo_that_cannot_be_used_are_counted(imported):
    good, *_ = locomo()["qa"]
    bad = [
        {"question": "Who?", "category": 4, "evidence": []},
        {"question": "Who?", "category": 5, "answer": "Ada", "evidence": []},
        {"question": "Who?", "category": 6, "answer": "Ada"},
        {"question": " ", "category": 4, "answer": "Ada"},
        {"category": 4, "answer": "Ada"},
    ]
    record, cases = imported("locomo", locomo([good, *bad]))
    assert len(cases["conv-1"].probes) == 1
    assert {name: n for name, n in record.changes.items() if "questions" in name} == {
        "questions left out: 'answer' is missing": 1,
        "questions left out: 'adversarial_answer' is missing": 1,
        "questions left out: 'question' is missing": 2,
        "questions left out: there is no category 6": 1,
    }


def test_questions_whose_answer_key_is_wrong_are_left_out_and_unknown_ids_counted(imported, tmp_path):
    (tmp_path / "wrong.txt").write_text("# audit\nconv-1/V2\nconv-1/V4  # wrong date\nconv-9/V1\n")
    record, cases = imported("locomo", locomo(), wrong_keys=wrong_keys_of(tmp_path / "wrong.txt"))
    assert [probe.id for probe in cases["conv-1"].probes] == ["V1", "V3", "V5"]
    assert record.changes["questions left out: their answer key is known to be wrong"] == 2
    assert record.changes["wrong keys that belong to no question that was read"] == 1


GOOD = {
    "longmemeval": longmemeval(question_id="good"),
    "locomo": locomo(sample_id="good"),
    "mrcr": mrcr(),
    "nolima": nolima(id="good"),
}


@pytest.mark.parametrize(
    ("form", "bad", "cause"),
    [
        ("longmemeval", longmemeval(answer=None), "'answer' is missing"),
        ("longmemeval", longmemeval(haystack_dates=["2023"]), "'haystack_sessions', 'haystack_dates' and "),
        ("longmemeval", longmemeval(answer_session_ids=["x"]), "'answer_session_ids' names a session that"),
        ("longmemeval", longmemeval(haystack_sessions=[[], []]), "its history is empty"),
        ("longmemeval", longmemeval(question_id="good"), "another record of this name comes before, good"),
        ("locomo", locomo(conversation={"speaker_a": "Ada"}), "'conversation' has no session"),
        ("locomo", locomo(conversation={"session_1": [{"text": "Hi."}]}), "not a valid session_1: "),
        ("mrcr", mrcr(answer="By night it swims."), "'answer' does not begin with 'random_string"),
        ("mrcr", mrcr(prompt='[{"role": "user"}]'), "'messages[0].content' is missing"),
        ("mrcr", mrcr(prompt=json.dumps(turns("a", "b") * 3)), "its prompt does not end with a question"),
        ("nolima", nolima(task_template="{question} {haystack}"), "'task_template' does not have"),
        ("nolima", nolima(distractors={"onehop": "x"}), "it has distractors, which cannot be placed"),
    ],
)
def test_a_record_that_cannot_be_used_is_left_out_and_counted(imported, form, bad, cause):
    record, cases = imported(form, GOOD[form], bad)
    ((why, labels),) = record.left_out.items()
    assert why.startswith(cause)
    assert len(labels) == record.records - record.cases
    assert len(cases) == (4 if form == "nolima" else 1)


def test_needles_that_cannot_be_read_are_refused_with_their_file(imported):
    with pytest.raises(InputError, match=r"nolima\.json: not a valid needle 2: 'tests' is missing"):
        imported("nolima", nolima(), nolima(tests=None))

import pytest

from longcontext.importing.data_sets import longmemeval, written
from tellapart.longcontext.importing import ImportSettings, form_called, form_of, import_cases
from tellapart.longcontext.reading import read_cases


def imported(tmp_path, *records, **settings):
    path = written(tmp_path / "longmemeval_oracle.json", list(records))
    record = import_cases(path, form_of(path), tmp_path / "cases", ImportSettings(**settings))
    return record, {case.name: case for case in read_cases([tmp_path / "cases"])}


def test_kinds_of_questions_are_kinds_of_probes(tmp_path):
    _, cases = imported(
        tmp_path,
        longmemeval(question_id="a", question_type="single-session-preference", answer="They like blue."),
        longmemeval(question_id="b_abs", question_type="multi-session", answer="Never mentioned."),
        longmemeval(question_id="c", question_type="temporal-reasoning", answer=3),
    )
    probes = {name: case.probes[0] for name, case in cases.items()}
    assert {name: probe.expected.rule for name, probe in probes.items()} == {
        **{"a": "rubric", "b_abs": "abstention"},
        "c": "facts",
    }
    assert probes["b_abs"].failure_mode == "multi-session, abstention"
    assert probes["b_abs"].expected.evidence == ()
    assert probes["c"].expected.answer == "3" and "off by one" in probes["c"].expected.test


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        ({"answer": None}, "'answer' is missing"),
        ({"answer": " "}, "'answer' is empty"),
        ({"question": ""}, "'question' is empty"),
        ({"haystack_dates": ["2023/05/20 (Sat) 02:21"]}, "'haystack_sessions', 'haystack_dates' and "),
        ({"answer_session_ids": ["nowhere"]}, "'answer_session_ids' names a session that the history does"),
        ({"haystack_sessions": [[], []]}, "its history is empty"),
        (
            {"haystack_sessions": [[{"role": "bot", "content": "x"}], []]},
            "'haystack_sessions[0][0].role' is ",
        ),
        ({"question_id": "q-1"}, "another record of this name comes before, q-1"),
    ],
)
def test_a_record_that_cannot_be_used_is_left_out_and_counted(tmp_path, change, cause):
    record, cases = imported(tmp_path, longmemeval(), longmemeval(**{"question_id": "q-2"} | change))
    (group,) = record.left_out
    assert group.cause.startswith(cause)
    assert (group.count, group.first) == (1, (change.get("question_id", "q-2"),))
    assert (record.records, record.cases, list(cases)) == (2, 1, ["q-1"])


def test_a_limit_takes_the_first_ones_and_a_seed_draws(tmp_path):
    records = [longmemeval(question_id=f"q{n}") for n in range(20)]
    record, cases = imported(tmp_path, *records, limit=3)
    assert list(cases) == ["q0", "q1", "q2"]
    assert (record.records, record.cases, record.over_the_limit) == (20, 3, 17)
    drawn = []
    for seed in (7, 7, 8):
        out = tmp_path / f"drawn{len(drawn)}"
        import_cases(
            tmp_path / "longmemeval_oracle.json", form_called("longmemeval"), out, ImportSettings(3, seed)
        )
        drawn.append({path.name for path in out.iterdir()})
    assert drawn[0] == drawn[1] != drawn[2]
    assert all(len(names) == 3 for names in drawn)

import pytest

from llm.asked import ask, calls, right, said
from support.recorded import entries_of
from tellapart.errors import UsageError
from tellapart.llm.journal import CallJournal, replayed
from tellapart.llm.models import LanguageModel
from tellapart.llm.questions import Failure
from tellapart.offline import respond

respond("right")(right)


@respond("half")
def half(prompt):
    """Right about even numbers; nothing that could be read about odd ones, even when asked again."""
    return "no idea" if "?" not in prompt or said(prompt) % 2 else right(prompt)


@pytest.fixture
def run(tmp_path):
    """The directory of a run in which two models answered six questions."""
    ask(tmp_path / "run", 6, LanguageModel("offline/half", temperature=0.5, seed=7))
    ask(tmp_path / "run", 6, "offline/right")
    return tmp_path / "run"


def facts(directory):
    names = ("question", "messages", "reply", "usage")
    return {call["key"]: [call[name] for name in names] for call in calls(directory)}


def test_the_models_of_a_run_are_asked_as_they_were(run):
    half_, right_ = replayed(f"replay:{run}")
    assert (half_.name, half_.temperature, half_.seed) == ("offline/half", 0.5, 7)
    assert half_.recording == run / "calls.db"
    assert right_.requested() == LanguageModel("offline/right").requested()
    assert replayed(str(run / "calls.db")) == [half_, right_]


def test_one_of_several_is_chosen_by_its_name(run):
    assert [model.name for model in replayed(f"replay:{run}#offline/right")] == ["offline/right"]
    assert [model.name for model in replayed(f"{run}#offline/half")] == ["offline/half"]
    with pytest.raises(UsageError, match="Did you mean 'offline/half'"):
        replayed(f"replay:{run}#offline/hal")


def test_a_recording_answers_as_the_model_did_without_a_model(run, tmp_path, monkeypatch):
    monkeypatch.setattr("tellapart.llm.plays.connect", None)
    before = calls(run)
    for model in replayed(str(run)):
        then = ask(run, 6, LanguageModel(model.name, temperature=model.temperature, seed=model.seed))
        now = ask(tmp_path / "again", 6, model)
        assert now[1] == then[1]
        assert now[0].record["requested"] == then[0].record["requested"]
        assert now[0].record["effective"] == then[0].record["effective"]
        assert now[0].record["effective"]["temperature"] == model.temperature
        assert now[0].record["reused_calls"] == now[0].record["calls"]
    assert calls(run) == before
    assert not (tmp_path / "again" / "logs").exists()
    assert facts(run) == facts(tmp_path / "again")


def test_a_question_that_is_not_in_the_recording_is_told_as_such(run, tmp_path):
    _, answers = ask(tmp_path / "more", 8, replayed(f"{run}#offline/right")[0])
    assert answers["q5"].value.number == 5
    assert answers["q6"].failure == Failure("provider", "not_recorded", "no such call is in the recording")
    assert [answers[f"q{i}"].failure is None for i in range(8)] == [True] * 6 + [False] * 2


def test_a_call_that_failed_then_fails_with_the_same_cause(run, tmp_path):
    with CallJournal(run / "calls.db") as journal:
        last = calls(run)[-1]
        failure = {"cause": "provider", "kind": "overloaded", "detail": "529"}
        kept = {name: last[name] for name in ("model", "question", "replica", "messages")}
        journal.append(last["key"], {**kept, "failure": failure})
    _, answers = ask(tmp_path / "again", 6, replayed(f"{run}#offline/right")[0])
    assert answers[last["question"]].failure == Failure("provider", "overloaded", "529")


def test_a_first_reply_that_was_never_repaired_is_what_is_known(run, tmp_path):
    whole = [c for c in calls(run) if len(c["messages"]) == 1]
    with CallJournal(tmp_path / "calls.db") as journal:
        journal.note_requested("offline/half", entries_of(run / "calls.db", "requested")[0])
        for call in whole:
            if call["model"] == "offline/half":
                journal.append(call.pop("key"), call)
    _, answers = ask(tmp_path / "again", 6, replayed(str(tmp_path))[0])
    assert [answers[f"q{i}"].failure and answers[f"q{i}"].failure.kind for i in range(3)] == [
        None,
        "not_json",
        None,
    ]


def test_replies_of_an_earlier_run_are_not_paid_for_twice_usable_or_not(run, tmp_path):
    found, _ = ask(tmp_path / "new", 6, LanguageModel("offline/half", temperature=0.5, seed=7), reuse=run)
    assert found.record["calls"] == found.record["reused_calls"] == 9

import sys

import pytest

from llm.asked import Numbers, right
from tellapart.errors import MissingExtra, UsageError
from tellapart.llm.asking import call_key
from tellapart.llm.journal import CallJournal
from tellapart.llm.models import LanguageModel
from tellapart.llm.run_models import RunCalls

MODEL = LanguageModel("anthropic/claude-x")


@pytest.fixture(autouse=True)
def without_key(monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.delenv("ANTHROPIC_AUTH_TOKEN", raising=False)


def keep(path, count, model=MODEL, **call):
    """Write the calls for the first questions into a journal."""
    with CallJournal(path) as journal:
        for question in Numbers(count):
            messages = [{"role": "user", "content": question.prompt}]
            found = {"reply": right(question.prompt), "stop_reason": "stop", **call}
            journal.append(call_key(question, model, messages), {"model": model.name, **found})
    return path


def check(directory, reuse=None, *, questions=4, model=MODEL):
    RunCalls(directory, reuse=reuse).check(model, None if questions is None else Numbers(questions))


def test_a_model_that_cannot_be_asked_is_told_where_it_has_to_be(tmp_path):
    for questions in (None, 4):
        with pytest.raises(UsageError, match="ANTHROPIC_API_KEY is not set"):
            check(tmp_path / "none", questions=questions)
        with pytest.raises(UsageError, match="Did you mean 'anthropic'?"):
            check(tmp_path, questions=questions, model=LanguageModel("antropic/claude-x"))
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_can_be_asked_needs_no_journal(monkeypatch, tmp_path):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not-a-key")
    check(tmp_path)


def test_nothing_is_needed_where_nothing_is_left_to_ask(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "inspect_ai.model", None)
    own = keep(tmp_path / "own" / "calls.db", 3).parent
    earlier = keep(tmp_path / "earlier.db", 4)
    check(own, questions=3)
    check(tmp_path / "none", earlier)
    check(own, earlier)
    with pytest.raises(MissingExtra):
        check(own)
    check(tmp_path, model=LanguageModel("anthropic/claude-x", recording=tmp_path / "none.db"))


def test_what_failed_or_was_asked_otherwise_is_left_to_ask(tmp_path):
    failed = keep(tmp_path / "failed.db", 4, failure={"cause": "timeout", "kind": "timeout", "detail": ""})
    warm = keep(tmp_path / "warm.db", 4, LanguageModel("anthropic/claude-x", temperature=1.0))
    for journal in (failed, warm):
        with pytest.raises(UsageError, match="ANTHROPIC_API_KEY is not set"):
            check(tmp_path, journal)

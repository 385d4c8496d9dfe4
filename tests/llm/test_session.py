import asyncio
import json
from dataclasses import replace
from zipfile import ZipFile

import pytest

from llm.asked import Numbers, ask, calls, lines, right, said
from llm.calls import at
from support.loopback import LoopbackServer, Reply, Status
from tellapart.cli.progress import Lines
from tellapart.errors import OverBudget, ProviderError, StorageError, UsageError
from tellapart.files.journal_lines import sealed_line
from tellapart.llm import session as module
from tellapart.llm.budget import Limits
from tellapart.llm.journal import CallJournal
from tellapart.llm.models import LanguageModel
from tellapart.llm.questions import Answer, Failure
from tellapart.llm.session import ask_all
from tellapart.offline import respond

asked = []


def noted(prompt):
    asked.append(prompt)
    return right(prompt)


@pytest.fixture(autouse=True)
def none_asked(keys):
    # Other tests have a model of this name too.
    respond("right")(noted)
    asked.clear()


def numbers(answers):
    return [answer.value and answer.value.number for answer in answers.values()]


@pytest.mark.slow
def test_every_question_is_answered_once_in_their_order_with_as_many_at_once_as_allowed(tmp_path):
    with LoopbackServer(lambda request: right(request.prompt), latency_s=0.02) as server:
        found, answers = ask(
            tmp_path, 90, at(server, "anthropic/m"), limits=Limits(max_connections=7, price=(1.0, 2.0))
        )
        assert len(server.requests) == 90
        assert server.most_at_once == 7
    assert list(answers) == [f"q{i}" for i in range(90)]
    assert numbers(answers) == list(range(90))
    record = found.record
    sent = sum(call["usage"]["input_tokens"] for call in calls(tmp_path))
    back = sum(call["usage"]["output_tokens"] for call in calls(tmp_path))
    assert record["cost"] == pytest.approx((sent + 2 * back) / 1e6)
    assert record["served"] == ["m"]
    assert record["requested"]["temperature"] == 0
    assert record["effective"] == {"anthropic_version": "2023-06-01", "max_tokens": 500, "temperature": 0.0}
    counts = ("calls", "failed_calls", "reused_calls", "requests", "input_tokens", "output_tokens")
    assert [record[name] for name in counts] == [90, 0, 0, 90, sent, back]


@pytest.mark.slow
def test_questions_that_are_always_turned_down_do_not_stop_a_run_that_goes_on(tmp_path):
    def respond(request):
        return Status(400, "never") if said(request.prompt) % 2 else right(request.prompt)

    with LoopbackServer(respond) as server:
        ask(tmp_path, 60, at(server, "anthropic/m"))
        _, answers = ask(tmp_path, 60, at(server, "anthropic/m"))
        assert len(server.requests) == 60 + 30
    assert [name for name, answer in answers.items() if answer.failure] == [f"q{i}" for i in range(1, 60, 2)]


def test_an_error_of_a_servers_plan_is_told_while_a_model_is_asked(tmp_path, caplog):
    with pytest.raises(ZeroDivisionError), LoopbackServer(lambda _: 1 / 0) as server:
        ask(tmp_path, 1, at(server, "anthropic/m", max_retries=0))
        assert [told.getMessage() for told in caplog.records if told.name == "support.loopback"] == [
            "the plan of the loopback server failed on request 1"
        ]
    assert "1 / 0" in caplog.text


def test_a_line_says_all_about_a_call(tmp_path):
    answers = iter([Status(529), right("? 0")])
    with LoopbackServer(lambda request: next(answers)) as server:
        ask(tmp_path, 1, at(server, "anthropic/m"))
    (call,) = calls(tmp_path)
    assert list(call) == [
        *("key", "time", "model", "question", "replica", "messages", "reply", "stop_reason", "served"),
        *("usage", "attempts", "seconds", "crc32"),
    ]
    assert call["model"] == "anthropic/m"
    assert call["messages"] == [{"role": "user", "content": "Which number? 0"}]
    assert (call["stop_reason"], call["served"], call["attempts"]) == ("stop", "m", 2)
    assert json.loads(call["reply"])["number"] == 0


def test_what_was_answered_is_not_asked_again_and_what_failed_is(tmp_path):
    def respond(request):
        return Status(500) if said(request.prompt) in (2, 5) else right(request.prompt)

    with LoopbackServer(respond) as server:
        model = at(server, "anthropic/m", max_retries=0)
        first, answers = ask(tmp_path, 8, model)
        assert [i for i, answer in answers.items() if answer.failure] == ["q2", "q5"]
        assert answers["q2"].failure.kind == "server_error"
        assert (first.record["calls"], first.record["failed_calls"]) == (6, 2)
        before = len(server.requests)
        server._respond = lambda request: right(request.prompt)
        again, answers = ask(tmp_path, 8, model)
        assert sorted(said(request.prompt) for request in server.requests[before:]) == [2, 5]
    assert numbers(answers) == list(range(8))
    # From the journal, not from this process alone.
    assert (again.record["calls"], again.record["failed_calls"]) == (8, 2)
    assert again.record["effective"] == first.record["effective"]


def test_an_earlier_run_is_taken_over_where_it_was_answered(tmp_path):
    old, _ = ask(tmp_path / "old", 6)
    new, answers = ask(tmp_path / "new", 9, reuse=tmp_path / "old", limits=Limits(price=(1.0, 1.0)))
    assert sorted(map(said, asked)) == [*range(6), *range(6, 9)]
    assert numbers(answers) == list(range(9))
    assert (new.record["calls"], new.record["reused_calls"]) == (9, 6)
    assert new.effective == old.effective
    # The new run stands alone.
    asked.clear()
    (tmp_path / "old" / "calls.jsonl").unlink()
    ask(tmp_path / "new", 9)
    assert asked == []


def test_a_failed_call_is_not_taken_over(tmp_path):
    with LoopbackServer([Status(500)]) as server:
        _, answers = ask(tmp_path / "old", 1, at(server, "anthropic/m", max_retries=0))
        assert answers["q0"].failure.kind == "server_error"
        server._respond = lambda request: right(request.prompt)
        _, answers = ask(tmp_path / "new", 1, at(server, "anthropic/m"), reuse=tmp_path / "old")
    assert numbers(answers) == [0]


def test_the_prompt_is_part_of_what_is_known(tmp_path):
    ask(tmp_path, 2)
    ask(tmp_path, 2, text="Another: ")
    assert len(asked) == 4


# A prompt of 15 or 16 bytes and a reply of 33 to 35 are 4 and 9 tokens, and cost 13 dollars.
PRICE = (1e6, 1e6)
TERSE = LanguageModel("offline/right", max_tokens=12)


def test_the_money_ends_it_with_all_counts_and_more_money_goes_on(tmp_path):
    limits = Limits(max_connections=4, max_cost=200.0, price=PRICE)
    with pytest.raises(OverBudget) as error:
        ask(tmp_path, 30, TERSE, limits=limits)
    first = len(asked)
    # 15 calls cost 195 dollars; one more may cost 4 + 12.
    assert first == 15
    spent = sum(sum(call["usage"].values()) for call in calls(tmp_path))
    assert spent <= 200.0
    assert error.value.exit_code == 1
    assert f"{spent:.2f} of 200.00 US dollars are spent" in str(error.value)
    assert f"offline/right has answered {first} of 30 questions" in str(error.value)
    assert "questions, and the others would take about " in str(error.value)
    assert "the same command with a higher --max-cost continues" in str(error.value)
    # What was spent before counts: with the same limit nothing is asked.
    with pytest.raises(OverBudget, match=f"answered {first} of 30"):
        ask(tmp_path, 30, TERSE, limits=limits)
    assert len(asked) == first
    _, answers = ask(tmp_path, 30, TERSE, limits=Limits(max_cost=1e6, price=PRICE))
    assert numbers(answers) == list(range(30))
    assert len(asked) == 30


def test_answers_that_are_known_behind_the_last_one_asked_count_too(tmp_path):
    ask(tmp_path, 10, TERSE)
    kept = [line for line in lines(tmp_path) if line.get("question") != "q3"]
    sealed = [
        sealed_line(json.dumps({name: value for name, value in line.items() if name != "crc32"}).encode())
        for line in kept
    ]
    (tmp_path / "calls.jsonl").write_bytes(b"".join(sealed))
    with pytest.raises(OverBudget, match="answered 9 of 10"):
        ask(tmp_path, 10, TERSE, limits=Limits(max_connections=1, max_cost=0.001, price=PRICE))


def test_the_rest_can_be_counted_as_budget_instead(tmp_path):
    limits = Limits(max_connections=4, max_cost=200.0, price=PRICE, on_budget="close")
    _, answers = ask(tmp_path, 30, TERSE, limits=limits)
    failures = [answer.failure for answer in answers.values() if answer.failure]
    assert len(failures) == 30 - len(asked) > 0
    assert set(failures) == {Failure("budget", "max_cost", "not asked: the budget ran out")}
    closed = [call for call in calls(tmp_path) if "failure" in call]
    assert len(closed) == len(failures)
    assert list(closed[0]) == ["key", "time", "model", "question", "replica", "failure", "attempts", "crc32"]
    assert closed[0]["attempts"] == 0


def closed_run(directory, model=TERSE):
    limits = Limits(max_connections=4, max_cost=200.0, price=PRICE, on_budget="close")
    return ask(directory, 30, model, limits=limits)


def test_what_was_closed_is_asked_when_there_is_money_again(tmp_path):
    found, _ = closed_run(tmp_path / "old")
    assert (found.record["calls"], found.record["failed_calls"], found.record["requests"]) == (15, 0, 15)
    _, answers = ask(tmp_path / "new", 30, TERSE, reuse=tmp_path / "old")
    assert (len(asked), numbers(answers)) == (30, list(range(30)))
    asked.clear()
    _, answers = ask(tmp_path / "old", 30, TERSE)
    assert (len(asked), numbers(answers)) == (15, list(range(30)))


def test_a_recording_says_what_was_closed_and_so_does_one_of_it(tmp_path):
    then, answers = closed_run(tmp_path / "old")
    for earlier, later in (("old", "new"), ("new", "newest")):
        now, again = ask(tmp_path / later, 30, replace(TERSE, recording=tmp_path / earlier))
        assert again == answers
        assert now.record == {**then.record, "cost": None, "reused_calls": 15}


def test_a_repair_that_was_closed_is_replayed_as_such(tmp_path):
    respond("prose")(lambda prompt: "I think it is so.")
    # Each call may cost 4 + 12 dollars at worst, and the second one more.
    limits = Limits(max_connections=1, max_cost=18.0, price=PRICE, on_budget="close")
    model = LanguageModel("offline/prose", max_tokens=12)
    _, answers = ask(tmp_path / "old", 1, model, limits=limits)
    assert answers["q0"].failure.kind == "max_cost"
    assert len(calls(tmp_path / "old")) == 2
    _, again = ask(tmp_path / "new", 1, replace(model, recording=tmp_path / "old"))
    assert again == answers


def test_what_is_taken_over_costs_nothing(tmp_path):
    ask(tmp_path / "old", 30)
    ask(tmp_path / "new", 30, reuse=tmp_path / "old", limits=Limits(max_cost=0.001, price=PRICE))


def test_a_limit_without_a_price_is_refused_before_anything_is_asked(tmp_path):
    with pytest.raises(UsageError, match="needs the price"):
        ask(tmp_path, 2, limits=Limits(max_cost=1.0))
    assert asked == []


@pytest.mark.slow
@pytest.mark.parametrize("status", [401, 402, 403, 404])
def test_what_every_question_would_run_into_stops_at_once_and_keeps_what_came(tmp_path, status):
    def respond(request):
        return right(request.prompt) if request.number <= 10 else Status(status)

    with LoopbackServer(respond) as server:
        with pytest.raises(ProviderError) as error:
            ask(tmp_path, 40, at(server, "anthropic/m"), limits=Limits(max_connections=5))
        assert len(server.requests) <= 20
        assert error.value.exit_code == 2
        assert len(calls(tmp_path)) == 10
        server._respond = lambda request: right(request.prompt)
        before = len(server.requests)
        _, answers = ask(tmp_path, 40, at(server, "anthropic/m"), limits=Limits(max_connections=5))
        assert len(server.requests) - before == 30
    assert numbers(answers) == list(range(40))


def test_replies_that_are_on_their_way_are_waited_for_before_a_provider_is_given_up(tmp_path):
    def respond(request):
        if said(request.prompt) == 0:
            return Status(401)
        return Reply(right(request.prompt), after_s=0.3)

    with LoopbackServer(respond) as server, pytest.raises(ProviderError):
        ask(tmp_path, 4, at(server, "anthropic/m"), limits=Limits(max_connections=4))
    assert sorted(call["question"] for call in calls(tmp_path)) == ["q1", "q2", "q3"]


def test_an_error_of_ours_comes_out_as_itself(tmp_path, monkeypatch):
    class Wrong(Exception):
        pass

    def fail(self, call):
        raise Wrong("ours")

    monkeypatch.setattr("tellapart.llm.usage.ModelUse.add", fail)
    with pytest.raises(Wrong, match="ours"):
        ask(tmp_path, 100)


def test_a_full_disk_comes_out_as_a_storage_error(tmp_path, monkeypatch):
    append = CallJournal.append

    def full(self, key, call):
        if call["question"] == "q9":
            raise StorageError("the disk is full")
        append(self, key, call)

    monkeypatch.setattr(CallJournal, "append", full)
    with pytest.raises(StorageError, match="the disk is full"):
        ask(tmp_path, 100, limits=Limits(max_connections=2))
    assert len(calls(tmp_path)) < 20


def test_questions_that_cannot_be_made_come_out_as_they_are(tmp_path):
    class Broken(Numbers):
        def __iter__(self):
            yield from list(super().__iter__())[:3]
            raise ZeroDivisionError

    with CallJournal(tmp_path / "calls.jsonl") as journal, pytest.raises(ZeroDivisionError):
        ask_all(Broken(5), LanguageModel("offline/right"), journal, logs=tmp_path / "logs")


def test_no_question_at_all_is_no_trouble(tmp_path):
    found, answers = ask(tmp_path, 0)
    assert answers == {}
    assert found.record["calls"] == 0
    assert not (tmp_path / "logs").exists()


def test_progress_is_told_at_intervals_and_at_the_end(tmp_path):
    told = []
    ask(tmp_path / "a", 20, progress=Lines(told.append))
    assert told == ["offline/right: 20 of 20 questions"]
    told.clear()
    ask(tmp_path / "a", 20, progress=Lines(told.append), label="docstring | offline/right")
    assert told == ["docstring | offline/right: 20 of 20 questions"]
    told.clear()
    every = Lines(told.append, every_s=0.0)
    ask(tmp_path / "b", 3, progress=every, limits=Limits(max_connections=1, price=PRICE))
    counts = [line.partition(",")[0] for line in told]
    assert list(dict.fromkeys(counts)) == [f"offline/right: {n} of 3 questions" for n in (1, 2, 3)]
    assert told[-1].endswith(" US dollars")


def test_neither_key_nor_password_is_written_down(tmp_path, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-very-secret")
    with LoopbackServer(lambda request: right(request.prompt)) as server:
        model = at(server, "anthropic/m")
        ask(tmp_path, 1, model)
        ask(tmp_path, 2, replace(model, base_url=model.base_url.replace("http://", "http://user:hidden@")))
        # The second address is the first to the journal, so that only the second question is asked there.
        assert len(server.requests) == 2
        assert server.requests[0].key == "sk-very-secret"
    texts = [(tmp_path / "calls.jsonl").read_bytes()]
    for log in (tmp_path / "logs").iterdir():
        with ZipFile(log) as parts:
            texts += [parts.read(name) for name in parts.namelist()]
    for text in texts:
        assert b"sk-very-secret" not in text
        assert b"hidden" not in text


def test_a_provider_that_repeats_the_key_does_not_get_it_into_the_journal(tmp_path, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-very-secret")
    with LoopbackServer(lambda request: Status(400, f"bad key {request.key}")) as server:
        _, answers = ask(tmp_path, 1, at(server, "anthropic/m"))
    assert "bad key (secret)" in answers["q0"].failure.detail


def test_inspect_says_nothing_and_leaves_its_log_and_nothing_else(tmp_path, capfd, monkeypatch):
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.chdir(home)
    ask(tmp_path / "run", 3)
    assert capfd.readouterr() == ("", "")
    assert list(home.rglob("*")) == []
    assert [path.suffix for path in (tmp_path / "run" / "logs").iterdir()] == [".eval"]


@pytest.mark.parametrize(
    ("questions", "at_once", "shares"),
    [
        (1, 50, [1]),
        (12, 10, [2] * 10),
        (200, 10, [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 20, 20, 20, 20, 20]),
        (2000, 2, [1, 11, *[20] * 100]),
    ],
)
def test_samples_keep_every_connection_busy_and_end_one_after_another(questions, at_once, shares):
    assert module._shares(questions, at_once) == shares
    assert sum(shares) >= questions


def test_no_connection_is_idle_while_there_is_a_question(tmp_path, monkeypatch):
    under_way, seen = 0, []

    async def answer(question, model, caller):
        nonlocal under_way
        under_way += 1
        await asyncio.sleep(0.01)
        seen.append(under_way)
        under_way -= 1
        return Answer(question.id, None, Failure("provider", "overloaded", "529")), None

    monkeypatch.setattr(module, "QUESTIONS_A_SAMPLE", 10)
    monkeypatch.setattr(module, "ask", answer)
    assert module._shares(58, 3) == [1, 4, 7, 10, 10, 10, 10, 10]
    ask_only(tmp_path, 58, Limits(max_connections=3, max_failures=0))
    assert len(seen) == 58
    # No sample is left to begin by now, and at the very end the questions run out.
    assert seen[-12:] == [3] * 10 + [2, 1]


def ask_only(directory, count, limits):
    with CallJournal(directory / "calls.jsonl") as journal:
        ask_all(Numbers(count), TERSE, journal, logs=directory / "logs", limits=limits)

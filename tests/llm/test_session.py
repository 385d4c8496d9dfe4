import pytest

from llm.asked import ask, calls, right, said
from llm.calls import at
from support.loopback import LoopbackServer, Reply, Status
from tellapart.errors import OverBudget, ProviderError
from tellapart.llm.budget import Limits
from tellapart.llm.models import LanguageModel
from tellapart.offline import respond

asked = []


@pytest.fixture(autouse=True)
def none_asked(keys):
    # Other tests have a model of this name too.
    respond("right")(lambda prompt: asked.append(prompt) or right(prompt))
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
    assert new.record["effective"] == old.record["effective"]
    # The new run stands alone.
    asked.clear()
    (tmp_path / "old" / "calls.db").unlink()
    ask(tmp_path / "new", 9)
    assert asked == []


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
    assert f"offline/right: {spent:.2f} of" in str(error.value)
    assert f"{first} of 30 questions are answered, for {spent:.2f} US dollars" in str(error.value)
    assert "the same command with a higher --max-cost continues" in str(error.value)
    # What was spent before counts: with the same limit nothing is asked.
    with pytest.raises(OverBudget, match=f"{first} of 30 questions are answered"):
        ask(tmp_path, 30, TERSE, limits=limits)
    assert len(asked) == first
    _, answers = ask(tmp_path, 30, TERSE, limits=Limits(max_cost=1e6, price=PRICE))
    assert numbers(answers) == list(range(30))
    assert len(asked) == 30


def test_replies_that_are_on_their_way_are_waited_for_before_a_provider_is_given_up(tmp_path):
    def respond(request):
        if said(request.prompt) == 0:
            return Status(401)
        return Reply(right(request.prompt), after_s=0.3)

    with LoopbackServer(respond) as server, pytest.raises(ProviderError):
        ask(tmp_path, 4, at(server, "anthropic/m"), limits=Limits(max_connections=4))
    assert sorted(call["question"] for call in calls(tmp_path)) == ["q1", "q2", "q3"]


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

"""When a model that keeps failing is asked no further, and what becomes of the questions that were left."""

import pytest

from llm.asked import ask, calls, right, said
from llm.calls import at
from llm.test_talking import hold
from support.loopback import LoopbackServer, Page, Reply, Status
from tellapart.errors import ProviderError
from tellapart.llm.breaker import Breaker
from tellapart.llm.budget import Limits
from tellapart.llm.questions import Failure

pytestmark = pytest.mark.usefixtures("keys")

KINDS = {
    "s": Failure("provider", "server_error", "500"),
    "t": Failure("timeout", "timeout", "slow"),
    "b": Failure("provider", "bad_request", "400"),
    "p": Failure("parse", "not_json", "prose"),
    "r": Failure("refusal", "refusal", "no"),
    "m": Failure("budget", "max_cost", "not asked"),
    "c": Failure("truncated", "context_length", "too long"),
}


def tripped_after(history, most):
    """How many outcomes a breaker sees until it trips; ``.`` is an answer of use."""
    breaker = Breaker(most)
    for number, letter in enumerate(history, 1):
        try:
            breaker.see(KINDS.get(letter), str(number))
        except ProviderError:
            return number
    return None


@pytest.mark.parametrize(
    ("history", "most", "after"),
    [
        ("sts", 3, 3),
        ("ss.ss.tt.", 3, None),
        ("ssrssr", 3, 3),
        ("rp.rrr", 3, 6),
        # Money says nothing, and neither does a prompt that is too long.
        ("ssmmmms", 3, 7),
        ("cccccc", 3, None),
        ("ssssssssss", 0, None),
    ],
)
def test_a_row_of_failures_ends_all(history, most, after):
    assert tripped_after(history, most) == after


def test_attempts_at_one_question_are_one_failure():
    breaker = Breaker(3)
    for _ in range(9):
        breaker.see(KINDS["r"], "the same")
    assert not breaker.tripped


ONE_BY_ONE = Limits(max_connections=1, max_failures=4, price=(1.0, 1.0))


def stopped(directory, server, count=30, limits=ONE_BY_ONE, **how):
    with pytest.raises(ProviderError) as error:
        ask(directory, count, at(server, "openai/gpt-4o", max_retries=0), limits=limits, **how)
    assert error.value.exit_code == 2
    return str(error.value)


OUTAGES = {
    "server_error": Status(500),
    "a page": Page("<html>please log in</html>", code=200, content_type="text/html"),
    "garbage": Page('{"choices": [{"nothing": 1}], "usage": 7}', code=200, content_type="application/json"),
}


@pytest.mark.parametrize("outage", OUTAGES.values(), ids=OUTAGES)
def test_an_outage_stops_with_what_it_cost_and_the_same_goes_on(tmp_path, outage):
    up = []

    def respond(request):
        return right(request.prompt) if up or request.number <= 6 else outage

    with LoopbackServer(respond) as server:
        message = stopped(tmp_path, server)
        assert len(server.requests) == 6 + 4
        assert message.startswith("openai/gpt-4o: 4 calls in a row brought no reply (")
        assert "; 6 of 30 questions are answered, for 0.000" in message
        assert "the same command continues from there and asks these again" in message
        up.append(True)
        found, answers = ask(tmp_path, 30, at(server, "openai/gpt-4o"), limits=ONE_BY_ONE)
        assert len(server.requests) == 6 + 4 + 24
    assert [answer.value.number for answer in answers.values()] == list(range(30))


def test_a_model_that_never_said_anything_of_use_is_asked_again_once_it_does(tmp_path):
    with LoopbackServer("I cannot say.") as server:
        message = stopped(tmp_path, server, limits=Limits(max_connections=1, max_failures=4))
        used = [entry["usage"] for entry in calls(tmp_path) if "usage" in entry]
        tokens_in, tokens_out = (sum(one[f"{side}_tokens"] for one in used) for side in ("input", "output"))
        assert f"for {tokens_in:,} tokens in and {tokens_out:,} out" in message and tokens_in > tokens_out
        assert "4 questions in a row got no usable reply (not_json 4; the last: " in message
        assert "--max-failures 0" in message
        assert len(server.requests) == 8
        server._respond = lambda request: right(request.prompt)
        _, answers = ask(tmp_path, 30, at(server, "openai/gpt-4o"), limits=ONE_BY_ONE)
    assert all(answer.value for answer in answers.values())


def test_refusals_in_a_row_end_it_and_are_results_where_any_number_may_fail(tmp_path):
    def respond(request):
        return Reply("no", stop="refusal") if said(request.prompt) > 2 else right(request.prompt)

    with LoopbackServer(respond) as server:
        assert "4 questions in a row got no usable reply (refusal 4" in stopped(tmp_path, server)
        limits = Limits(max_connections=1, max_failures=0)
        _, answers = ask(tmp_path, 30, at(server, "openai/gpt-4o"), limits=limits)
    assert sum(answer.failure is not None for answer in answers.values()) == 27


@pytest.mark.parametrize("status", [500, 400])
def test_conversations_are_stopped_alike(tmp_path, status):
    up = []
    with LoopbackServer(lambda request: "ok" if up else Status(status)) as server:
        model = at(server, "deepseek/deepseek-chat", max_retries=0)
        plays = [[f"case {i}", "and then"] for i in range(9)]
        with pytest.raises(ProviderError, match="4 calls"):
            hold(tmp_path, plays, model, limits=ONE_BY_ONE)
        assert len(server.requests) == 4
        up.append(True)
        assert hold(tmp_path, plays, model, limits=ONE_BY_ONE) == [["ok", "ok"]] * 9
        assert len(server.requests) == 4 + 18

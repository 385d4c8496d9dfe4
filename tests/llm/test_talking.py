import json

import pytest

from llm.asked import calls
from llm.calls import at
from support.loopback import LoopbackServer, Page, Reply, Status
from tellapart.errors import OverBudget, ProviderError
from tellapart.llm.budget import NO_LIMITS, Limits
from tellapart.llm.conversation import Conversation
from tellapart.llm.journal import replayed
from tellapart.llm.models import LanguageModel
from tellapart.llm.run_models import RunCalls
from tellapart.offline import respond_to_all

heard = []


@pytest.fixture(autouse=True)
def counter(keys):
    """A model that says how many turns it was sent, and keeps them."""

    @respond_to_all("counter")
    def count(turns):
        heard.append(list(turns))
        return f"{len(turns)} turns"

    heard.clear()


def talk(model, texts, *, system="be brief", replica=0, stop=True):
    """Says one text after another; gives what came back, up to the first that brought none."""

    async def play(speaker):
        conversation, found = Conversation.begin(model, system, replica=replica), []
        for i, text in enumerate(texts):
            said, conversation = await speaker.say(conversation, text, f"t{i}")
            found.append(said)
            if said.text is None and stop:
                break
        return found

    return play


def hold(directory, plays, model="offline/counter", **how):
    """Hold conversations of these texts; the text of every reply, or its failure's kind."""
    llm = LanguageModel(model) if isinstance(model, str) else model
    ready = [play if callable(play) else talk(llm, play) for play in plays]
    return [[said.text or said.failure.kind for said in one] for one in held(directory, ready, llm, **how)]


def held(directory, plays, model, *, limits=NO_LIMITS, **how):
    """What plays give."""
    with RunCalls(directory, limits, logs="logs").opened() as calls:
        return calls.hold(plays, model, **how)


def test_every_turn_sends_all_that_was_said_before(tmp_path):
    found = hold(tmp_path, [["one", "two"], ["other"]], limits=Limits(max_connections=1))
    assert found == [["2 turns", "4 turns"], ["2 turns"]]
    assert heard[1] == [("system", "be brief"), ("user", "one"), ("assistant", "2 turns"), ("user", "two")]
    assert heard[2] == [("system", "be brief"), ("user", "other")]


def test_what_is_known_is_not_said_again(tmp_path):
    hold(tmp_path, [["one", "two"]])
    assert hold(tmp_path, [["one", "two", "three"], ["one", "two"]]) == [
        ["2 turns", "4 turns", "6 turns"],
        ["2 turns", "4 turns"],
    ]
    assert len(heard) == 3
    told = []
    hold(tmp_path, [["one", "two", "three"]], on_result=lambda said: told.append(len(said)))
    assert (len(heard), told) == (3, [3])


def test_conversations_that_begin_alike_share_their_calls_even_at_the_same_time(tmp_path):
    respond_to_all("slow", latency_s=0.1)(lambda turns: heard.append(turns) or "ok")
    found = hold(tmp_path, [["one", "two"], ["one", "three"]], "offline/slow")
    assert found == [["ok", "ok"], ["ok", "ok"]]
    assert sorted(turns[-1][1] for turns in heard) == ["one", "three", "two"]


def test_what_every_call_would_run_into_ends_all_and_the_same_goes_on(tmp_path):
    with LoopbackServer(["ok", Status(402, "never this"), "later", "last"]) as server:
        model = at(server, "deepseek/deepseek-chat")
        plays = [["one", "two", "three"], ["other"]]
        with pytest.raises(ProviderError, match="402 .*never this.*the same command continues"):
            hold(tmp_path, plays, model, limits=Limits(max_connections=1))
        # The call that failed is no result, so that nothing is left of it.
        assert [call["turn"] for call in calls(tmp_path)] == ["one"]
        found = hold(tmp_path, plays, model, limits=Limits(max_connections=1))
    assert found == [["ok", "later", "last"], ["ok"]]
    assert [request.prompt for request in server.requests] == ["one", "two", "two", "three", "other"]


def test_a_failed_turn_is_never_sent_again_before_the_next_one(tmp_path):
    with LoopbackServer(lambda request: Status(400) if request.prompt == "two" else "ok") as server:
        model = at(server, "anthropic/m")
        play = talk(model, ["one", "two", "three", "four"], stop=False)
        assert hold(tmp_path, [play], model) == [["ok", "bad_request", "ok", "ok"]]
    roles = [[role for role, _ in request.messages] for request in server.requests]
    assert all("user user" not in " ".join(turns) for turns in roles)
    said = [text for _, text in server.requests[-1].messages]
    assert said == ["be brief", "one", "ok", "three", "ok", "four"]


def test_a_recording_says_what_was_said_errors_included(tmp_path):
    with LoopbackServer(["ok", Status(400, "not this")]) as server:
        model = at(server, "anthropic/m")
        (said,) = held(tmp_path, [talk(model, ["one", "two"])], model)
    (recorded,) = replayed(f"replay:{tmp_path}")
    plays = [talk(recorded, ["one", "two"]), talk(recorded, ["never"])]
    found = held(tmp_path / "replay", plays, recorded)
    assert found[0] == said
    assert [one.failure.kind for one in found[1]] == ["not_recorded"]
    assert not (tmp_path / "replay" / "logs").exists()


def test_a_prompt_that_is_too_long_is_no_reply_and_final(tmp_path):
    too_long = Status(400, "This model's maximum context length is 8 tokens")
    with LoopbackServer(["ok", too_long, "never"]) as server:
        model = at(server, "deepseek/deepseek-chat")
        for _ in range(2):
            (found,) = held(tmp_path, [talk(model, ["one", "two"])], model)
            assert [(said.text, said.status) for said in found] == [("ok", 200), (None, 400)]
            assert (found[1].failure.cause, found[1].failure.kind) == ("truncated", "context_length")
        assert len(server.requests) == 2


def unmarked(value):
    """A body without what asks for caches."""
    if isinstance(value, dict):
        return {name: unmarked(inner) for name, inner in value.items() if name != "cache_control"}
    return [unmarked(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", ["anthropic/m", "openai/gpt-4o"])
def test_caching_changes_no_request_but_for_its_marks(tmp_path, name):
    bodies = {}
    for caches in (False, True):
        with LoopbackServer(["a", "b"]) as server:
            hold(tmp_path / str(caches), [["one", "two"]], at(server, name), caches=caches)
        bodies[caches] = [request.body for request in server.requests]
    assert unmarked(bodies[True]) == bodies[False]
    assert (bodies[True] == bodies[False]) == (name != "anthropic/m")


def only_deepseeks_field(request):
    usage = {"prompt_tokens": 1000, "completion_tokens": 7, "total_tokens": 1007}
    usage |= {"prompt_cache_hit_tokens": 640}
    message = {"role": "assistant", "content": "a"}
    body = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "usage": usage}
    choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
    return Page(json.dumps({**body, "choices": choices}), content_type="application/json")


@pytest.mark.parametrize(
    ("name", "plan", "cached"),
    [
        ("deepseek/deepseek-chat", only_deepseeks_field, 640),
        ("openai/gpt-5-mini", lambda _: Reply("a", usage=(1000, 7), cached=(640, 0)), 640),
        ("openai/gpt-5-mini", lambda _: Reply("a", usage=(1000, 7)), 0),
        ("openai-api/local/m", lambda _: Reply("a", usage=(1000, 7), cached=(640, 0)), 640),
        ("openai-api/local/m", lambda _: Reply("a", usage=(1000, 7)), None),
    ],
)
def test_cached_tokens_are_read_wherever_a_wire_reports_them(tmp_path, monkeypatch, name, plan, cached):
    with LoopbackServer(plan) as server:
        for variable, value in server.environment("local").items():
            monkeypatch.setenv(variable, value)
        model = LanguageModel(name, temperature=None)
        ((said,),) = held(tmp_path, [talk(model, ["one"])], model)
    assert said.failure is None
    assert (said.tokens.prompt, said.tokens.cache_hit) == (1000, cached)


def test_when_the_money_is_used_up_it_says_how_far_it_came_and_more_goes_on(tmp_path):
    # 11 letters and 7 of the reply are 5 tokens, a dollar each; a call may cost 4.6, into a cache, and 12.
    model = LanguageModel("offline/counter", max_tokens=12)
    plays, price = [["one"], ["two"], ["six"], ["ten"]], (1e6, 1e6)
    with pytest.raises(OverBudget, match="10.00 of 22.00 .*2 of 4 conversations are finished, for 10.00 US"):
        hold(tmp_path, plays, model, limits=Limits(max_connections=1, max_cost=22.0, price=price))
    assert len(heard) == 2
    found = hold(tmp_path, plays, model, limits=Limits(max_cost=1000.0, price=price))
    assert (found, len(heard)) == ([["2 turns"]] * 4, 4)

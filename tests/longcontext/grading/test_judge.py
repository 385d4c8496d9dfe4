"""A judge behind a provider: what goes over the wire, what comes of failures, and what is never asked."""

import pytest

from longcontext.grading.judged_lines import lines, parts, probe
from support.loopback import LoopbackServer, in_turn
from tellapart.llm.budget import Limits
from tellapart.llm.models import LanguageModel
from tellapart.llm.run_models import RunCalls
from tellapart.longcontext.defaults import JUDGE
from tellapart.longcontext.graders import JudgeQuestions, ask_judge

PROBES = [probe("N=342"), probe("N=12"), probe("No idea.")]


@pytest.fixture(autouse=True)
def _keys(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not-a-key")
    for name in ("ANTHROPIC_BASE_URL", "ANTHROPIC_AUTH_TOKEN", "INSPECT_EVAL_MODEL_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def at(server, name="anthropic/m", **asked):
    address = server.base_url("anthropic")
    return LanguageModel(name, base_url=address, **{"first_wait_s": 0.0, "max_retries": 0, **asked})


def asked(model, directory, probes=PROBES, repeats=1):
    calls = RunCalls(directory, limits=Limits(max_connections=1))
    return ask_judge(JudgeQuestions(probes, repeats), model, calls)


def by_response(request):
    """Right is what says 342."""
    said = parts(request.messages[0][1])["MODEL'S ACTUAL ANSWER"]
    return lines("CORRECT" if "342" in said else "HALLUCINATED", f"It says {said!r}.", said)


def categories(found):
    return [[grade.category for grade in grades] for grades in found]


# The provider's package says of this model when it will be gone.
@pytest.mark.filterwarnings("ignore:The model 'claude-sonnet-4-5-20250929':DeprecationWarning")
def test_what_goes_over_the_wire_is_what_the_document_asks_for(tmp_path):
    with LoopbackServer(by_response) as server:
        grades, record = asked(at(server, JUDGE), tmp_path)
    assert categories(grades) == [["CORRECT"], ["HALLUCINATED"], ["HALLUCINATED"]]
    for request in server.requests:
        assert request.body["model"] == "claude-sonnet-4-5-20250929"
        assert request.body["max_tokens"] == 500
        assert request.body["temperature"] == 0
        assert request.headers["anthropic-version"] == "2023-06-01"
        assert [role for role, _ in request.messages] == ["user"]
        assert "system" not in request.body
    assert (record["effective"]["temperature"], record["calls"]) == (0, 3)


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        ("The answer is right.", "it has 1 line of text, expected exactly 3"),
        (f"{lines()}\nThat is all.", "it has 4 lines of text, expected exactly 3"),
        (lines("MOSTLY_CORRECT"), "the score is none of CORRECT, PARTIAL, HALLUCINATED, CONFUSED, REFUSED"),
    ],
)
def test_a_bad_reply_is_asked_for_once_more_and_then_has_no_score(reply, says, tmp_path):
    with LoopbackServer(in_turn(reply, lines("PARTIAL"))) as server:
        assert categories(asked(at(server), tmp_path / "a", PROBES[:1])[0]) == [["PARTIAL"]]
        assert f"could not be used: {says}." in server.requests[1].prompt
        assert "the three lines that were asked for" in server.requests[1].prompt
    with LoopbackServer(in_turn(reply, reply, then=lines())) as server:
        (((grade,),), _) = asked(at(server), tmp_path / "b", PROBES[:1])
        assert len(server.requests) == 2
    assert (grade.category, grade.missing, grade.value) == ("EVAL_ERROR", "judge", None)
    assert says in grade.note


def test_repeats_are_asked_apart_and_the_most_frequent_counts_first(tmp_path):
    said = iter(["CORRECT", "PARTIAL", "PARTIAL"])
    with LoopbackServer(lambda _: lines(next(said), "Own words.")) as server:
        (((first, *others),), _) = asked(at(server), tmp_path, PROBES[:1], 3)
        assert len(server.requests) == 3
        assert (first.category, first.judging) == ("PARTIAL", 1)
        assert [(one.category, one.judging) for one in others] == [("CORRECT", 0), ("PARTIAL", 2)]
        # Fewer askings of the same are known already.
        asked(at(server), tmp_path, PROBES[:1], 2)
        assert len(server.requests) == 3

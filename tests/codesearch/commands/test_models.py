"""``tellapart codesearch evaluate`` with language models, which a server on this machine plays."""

import json
from collections import Counter

import pytest

from codesearch.pipeline_files import ISSUES, make_code, pipeline, search_results, searched
from codesearch.played_models import AGENTS, JUDGE, A, B, explored, is_exploration, opening, playing, turn
from support.loopback import LoopbackServer

PINS, FEED = "aero/lib/pins.py", "aero/lib/feed.py"
REPOSITORIES = ("--repos-path", "code", "--repo", "aero", "--repo", "tack")


@pytest.fixture
def evaluate(tmp_path, monkeypatch, tellapart):
    """Evaluate search results in a directory of their own, with models behind a server."""
    make_code(tmp_path / "code")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TELLAPART_INDEX", str(tmp_path / "index"))

    def run(server, given, *options):
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        (tmp_path / "search_results.json").write_text(given)
        done = tellapart("codesearch", "evaluate", *REPOSITORIES, "--in", "search_results.json", *options)
        assert "Traceback" not in done.err
        return done

    return run


def begun(requests):
    """How often each exploration was begun, by model and conversation."""
    return Counter(explored(each) for each in requests if is_exploration(each) and turn(each) == 0)


def finds(model, name):
    return [PINS, FEED] if model == A else [PINS]


def test_nothing_of_the_search_is_in_any_request_of_an_explorer(evaluate, tmp_path):
    planted = "aero/hidden/sown_4711.py"
    make_code(tmp_path / "code", {planted: "nothing = 0\n"})
    found = {
        "files_found": [PINS, planted, "aero/sown_gone_4712.py"],
        "search_terms_used": ["sown_term_4713"],
        "terms_by_file": {PINS: ["sown_term_4714"]},
        "exploration_log": [{"step": "sown_log_4715"}],
        "snippets": [{"file_path": PINS, "content": "sown_snippet_4716"}],
        "search_duration_ms": 47170.25,
    }
    of_area = {"product_area": "sown_area_4718", "classification_confidence": 0.471923}
    given = pipeline(searched("c1", search_results=found, **of_area), searched("c2"), system="sown_4720")

    def respond(request):
        # Claude Code replies with JSON, and has no tool to hand it in.
        if request.body["model"] == B:
            return json.dumps({"files": [PINS], "reasoning": "It is it."})
        return playing(finds)(request)

    explorers = ("--explorer-a", f"agent:anthropic/{A}", "--explorer-b", f"claude-code:{B}")
    with LoopbackServer(respond) as server:
        done = evaluate(server, given, *explorers, "--judge", f"anthropic/{JUDGE}")
    assert done.code == 0, done.err
    exploring = [each for each in server.requests if each.body["model"] != JUDGE]
    assert {each.body["model"] for each in exploring} == {A, B}
    sent = "\n".join(json.dumps([dict(each.headers), each.body]) for each in exploring)
    assert "User reports pins not showing" in sent
    assert "sown_" not in sent and "47170.25" not in sent and "471923" not in sent
    judging = "\n".join(opening(each) for each in server.requests if each.body["model"] == JUDGE)
    assert planted in judging and "sown_snippet_4716" in judging
    record = json.loads(done.out)
    assert [one["run_b"]["files_found"] for one in record["conversations"]] == [[PINS], [PINS]]


def test_after_calibration_the_cheaper_explorer_explores_twice_if_it_found_enough(evaluate, tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"calibration_iterations": 1, "state": "state.json"}))
    options = (*AGENTS, "--config", "config.json")
    respond = playing(lambda model, name: [PINS, FEED])
    with LoopbackServer(respond) as server:
        first = evaluate(server, search_results(), *options)
        assert first.code == 0, first.err
        assert begun(server.requests) == Counter({(model, name): 1 for model in (A, B) for name in ISSUES})
        before = len(server.requests)
        second = evaluate(server, search_results(iteration_number=2), *options)
        assert second.code == 0, second.err
        then = begun(server.requests[before:])
        # The first iteration is still what it was, and known.
        before = len(server.requests)
        again = evaluate(server, search_results(), *options)
        assert again.out == first.out and len(server.requests) == before
    assert f"both runs are explored by agent:anthropic/{B}" in second.err
    assert then == Counter({(B, name): 2 for name in ISSUES})
    one = json.loads(second.out)["conversations"][0]
    assert one["run_a"]["model"] == one["run_b"]["model"]

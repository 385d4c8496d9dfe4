"""Half of the replies fail, in every way there is: each verdict has its cause, and the rest are judged."""

import json
from collections import Counter

import pytest

from codesearch.judging.judged import (
    assessed,
    files_in,
    judgement,
    make_case,
    make_repositories,
    reply,
    verdicts_in,
)
from support.loopback import Cut, Hang, LoopbackServer, Reply, Status
from tellapart.codesearch.judging.relevance import judge_cases
from tellapart.llm.budget import Limits
from tellapart.llm.models import LanguageModel
from tellapart.llm.replay import replayed
from tellapart.llm.run_models import RunCalls


def _changed(change):
    """Reply as one should, but for the judgement of the bad file."""

    def respond(prompt):
        said = []
        for label, path, _ in files_in(prompt):
            said += [judgement(label, True)] if "bad" not in path else change(label)
        return json.dumps({"judgements": said})

    return respond


BEHAVIOURS = {
    # Nothing is known of any of the files.
    "429": (Status(429), "provider", "rate_limit", "all"),
    "500": (Status(500), "provider", "server_error", "all"),
    "cut": (Cut("within"), "provider", "connection", "all"),
    "hang": (Hang(), "timeout", "timeout", "all"),
    # The others are judged, each alone.
    "400": (Status(400), "provider", "bad_request", "one"),
    "refusal": (Reply("No.", stop="refusal"), "refusal", "refusal", "one"),
    "truncated": (Reply('{"judgements": [', stop="max_tokens"), "truncated", "max_tokens", "one"),
    "too long": (Status(400, "prompt is too long: 9 > 3"), "truncated", "context_length", "one"),
    "wrong JSON": ("{'judgements': []}", "parse", "not_json", "one"),
    "half": ('{"judgements": [{"file": ', "parse", "not_json", "one"),
    "another form": (_changed(lambda label: [{"path": label}]), "parse", "schema", "one"),
    "a file missing": (_changed(lambda _: []), "parse", "out_of_range", "one"),
    "an unknown file": (_changed(lambda _: [judgement("9-ffffff", True)]), "parse", "out_of_range", "one"),
    "a file twice": (_changed(lambda label: [judgement(label, True)] * 2), "parse", "out_of_range", "one"),
}
PATIENCE = {"first_wait_s": 0.0, "max_retries": 1, "attempt_timeout_s": 1}
MODELS = ["anthropic/claude-haiku-4-5", "openai/gpt-4o", "openai/gpt-5-mini"]


def plan(request):
    prompt = request.messages[0][1]
    if not files_in(prompt):
        return assessed(without=("snippet_quality",))
    bad = [text for _, path, text in files_in(prompt) if "bad" in path]
    does = BEHAVIOURS[bad[0]][0] if bad else reply
    return does(prompt) if callable(does) else does


@pytest.fixture
def server(monkeypatch):
    with LoopbackServer(plan) as server:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        yield server


def conversations(tmp_path):
    """As many good conversations as bad ones; a bad one has one bad file between two others."""
    files, cases = {}, []
    for number, behaviour in enumerate(BEHAVIOURS):
        own = {f"shop/{number}/{name}.py": name for name in ("a_good", "c_good", "other")}
        bad = {f"shop/{number}/a_good_one.py": "", f"shop/{number}/b_bad.py": behaviour} | {
            f"shop/{number}/c_good_one.py": ""
        }
        files |= own | bad
        cases += [make_case(own, id=f"fine {behaviour}"), make_case(bad, id=behaviour)]
    return cases, make_repositories(tmp_path / "repositories", files)


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS[:2])
def test_every_verdict_has_its_cause_and_the_rest_are_judged(server, name, tmp_path):
    cases, repositories = conversations(tmp_path)
    model = LanguageModel(name, **PATIENCE)
    limits = Limits(max_connections=20, max_failures=0)
    found = judge_cases(cases, model, repositories, RunCalls(tmp_path / "run", limits=limits))
    expected = Counter()
    for number, (behaviour, (_, cause, kind, whom)) in enumerate(BEHAVIOURS.items()):
        fine = verdicts_in(found, f"fine {behaviour}")
        assert [verdict.relevant for verdict in fine.values()] == [True, True, False]
        verdicts = verdicts_in(found, behaviour)
        failed = {file for file, verdict in verdicts.items() if verdict.relevant is None}
        assert failed == (set(verdicts) if whom == "all" else {f"shop/{number}/b_bad.py"}), behaviour
        for file in failed:
            assert (verdicts[file].failure.cause, verdicts[file].failure.kind) == (cause, kind), behaviour
        assert all(verdicts[file].relevant for file in verdicts.keys() - failed)
        expected[cause] += len(failed)
    assert expected == {"provider": 10, "timeout": 3, "refusal": 1, "truncated": 2, "parse": 6}
    figures = found.figures
    assert figures["asked_singly"] == 30
    # A recording of it says the same, failures included.
    (recorded,) = replayed(f"replay:{tmp_path / 'run'}")
    again = judge_cases(cases, recorded, repositories, RunCalls(tmp_path / "again"))
    assert (again.cases, again.figures) == (found.cases, found.figures)

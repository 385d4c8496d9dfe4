"""Messages whose reply stands in the case: history that is shown and not played."""

import json
from dataclasses import replace

import pytest

from longcontext.scripted import case, hold, listen
from longcontext.test_play import said
from tellapart.llm.models import LanguageModel
from tellapart.longcontext.case import AnswerKey, Case, CaseStep, Expected
from tellapart.longcontext.grading.graders import gradable_probes
from tellapart.longcontext.lint import lint_all, lint_inputs
from tellapart.longcontext.plan import Playing, oracle
from tellapart.longcontext.play import results_json
from tellapart.longcontext.probes import evidence_for, sources
from tellapart.longcontext.reading import read_results
from tellapart.longcontext.run import RunRequest, as_text, estimate_run
from tellapart.longcontext.tokens import tokens_a_character
from tellapart.longcontext.transcript import PlayedCase, PlayedStep, Results, Usage
from tellapart.longcontext.truncation import scan


def recorded(ids="M1 M2 V1-1", **replies):
    one = case(ids)
    return replace(one, steps=tuple(replace(s, reply=replies.get(s.id)) for s in one.steps))


def calls(directory):
    lines = map(json.loads, (directory / "calls.jsonl").read_text().splitlines())
    return [line for line in lines if "turn" in line]


def given(id_, text, reply, length=None):
    return PlayedStep(id_, "message", None, text, reply, conversation_length=length, given=True)


def test_a_given_reply_is_sent_as_history_and_not_asked_for():
    found, sent = listen(recorded(M1="old"), Playing(), said("a"), said("b"))
    assert sent == [
        ("small/M2", ["be brief", "text of M1", "old", "text of M2"]),
        ("small/V1-1", ["be brief", "text of M1", "old", "text of M2", "a", "text of V1-1"]),
    ]
    first = found.steps[0]
    assert (first.given, first.response, first.usage, first.http_status, first.timestamp) == (
        *(True, "old"),
        *(None, None, None),
    )
    assert [step.conversation_length for step in found.steps] == [2, 4, 6]
    assert [turn.content for turn in found.log[:2]] == ["text of M1", "old"]


def test_a_journal_names_the_calls_that_were_made(tmp_path):
    """The first call has the system prompt, and none after a call that nobody made."""
    hold(tmp_path, [recorded(M1="old", M2="older")], "offline/recalls")
    (call,) = calls(tmp_path)
    assert (call["system"], call["after"], call["turn"]) == ("be brief", None, "text of V1-1")


def test_another_given_reply_is_another_call(tmp_path):
    hold(tmp_path, [recorded(M1="old", M2="b"), recorded(M1="new", M2="b")], "offline/recalls")
    assert len({call["key"] for call in calls(tmp_path)}) == 2


def test_given_text_counts_towards_the_target():
    # 10 + 12 letters are 3 + 3 tokens: two rounds of repeats, 18 letters more each, reach 20 tokens.
    found, _ = listen(recorded("M1 V1-1", M1="old answer.."), Playing(20), said())
    assert [step.id for step in found.steps] == ["M1", "M1-R1", "M1-R2", "V1-1"]
    assert found.steps[1].user_message == "REPEAT: text of M1" and found.steps[1].given


def test_results_keep_what_was_given(tmp_path):
    found, _ = listen(recorded(M1="old", M2="older"), Playing(), said("a"))
    path = tmp_path / "results.json"
    path.write_text(as_text(results_json([found])))
    read = read_results(path).cases[0]
    assert [step.given for step in read.steps] == [True, True, False]
    assert read.steps == tuple(found.steps)


def test_an_estimate_has_a_call_only_for_what_is_asked():
    request = RunRequest([recorded(M1="old", M2="older")], [LanguageModel("offline/recalls")])
    assert estimate_run(request)["offline/recalls"].questions == 1


def test_a_given_reply_is_evidence_and_no_leak():
    steps = (
        given("M1", "What did they find?", "They found 4711 shards."),
        given("M2", "Fine.", "Good."),
        PlayedStep("V1", "verification", None, "How many shards?", ""),
    )
    expected = Expected("V1", "4711", evidence=("They found 4711 shards.",))
    found = evidence_for(PlayedCase("c", steps), 2, expected, 0.25)
    assert (found.nearest, found.missing, found.leaks) == ("M1", (), ())
    # "Fine.", two line ends and "Good." are 12 letters, a quarter of a token each.
    assert found.distance_tokens == 3


def test_the_oracle_control_shows_the_given_reply():
    one = Case(
        "c",
        None,
        (
            CaseStep("M1", "message", "And?", reply="They found 4711 shards."),
            CaseStep("V1", "verification", "How many?", expected=Expected("V1", evidence=("4711 shards",))),
        ),
    )
    (alone,) = oracle(one, None, sources)
    assert alone.step.text == "And?\n\nThey found 4711 shards.\n\nHow many?"


def test_rules_compare_with_given_replies():
    steps = (given("M1", "And?", "4711 shards"), PlayedStep("V1", "verification", None, "How many?", "9"))

    (probe,) = gradable_probes([PlayedCase("c", steps)], AnswerKey({}), {})
    assert probe.material == ["And?\n\n4711 shards"]


def turn(id_, prompt, text="x" * 400, reply="y" * 80):
    return PlayedStep(id_, "message", None, text, reply, Usage(prompt, 20), 200)


def test_what_was_given_is_part_of_what_a_prompt_must_have_grown_by():
    """A token is four letters: 100 of a turn, 20 of a reply, 1,200 of what is given between M2 and M3."""
    between = given("M9", "x" * 4000, "y" * 798)
    before = [turn(f"M{n}", 200 + 120 * n) for n in range(9)]
    clean = PlayedCase("c", (*before, between, turn("M10", 2480), turn("M11", 2600)))
    found = scan(clean)
    assert (found.truncations, found.unknown, found.checked) == ((), (), 10)
    assert tokens_a_character([clean]) == 0.25
    cut = PlayedCase("c", (*before, between, turn("M10", 1680), turn("M11", 1800)))
    assert [one.step_id for one in scan(cut).truncations] == ["M10"]


def test_a_first_prompt_after_a_given_history_is_unknown_and_not_clean():
    """No call was counted before, so there is nothing to compare it with."""
    probes = [replace(turn(f"V{n}", 900), type="verification", forked=True) for n in (1, 2)]
    found = scan(PlayedCase("c", (given("M1", "x" * 4000, "y" * 4000), *probes)))
    assert (found.truncations, found.unknown, found.checked) == ((), ("V1", "V2"), 0)


def test_the_first_prompt_holds_all_that_was_given():
    # 40 + 100 + 2 + 58 + 100 letters are 60 tokens.
    steps = (given("M1", "x" * 100, "y" * 58), turn("V1", 60, "z" * 100))
    assert tokens_a_character([PlayedCase("c", steps, system="s" * 40)]) == pytest.approx(0.2)


def test_lint_finds_nothing_wrong_with_a_given_history():
    found, _ = listen(recorded(M1="4711 shards", M2="older"), Playing(), said("4711"))
    one = replace(
        recorded(M1="4711 shards", M2="older"),
        steps=tuple(
            replace(s, expected=Expected(s.id, "4711", evidence=("4711 shards",))) if s.is_probe else s
            for s in recorded(M1="4711 shards", M2="older").steps
        ),
    )
    for results, warned in (([], set()), ([Results([found.played])], {"truncation"})):
        findings = lint_all(lint_inputs([one], results, None, None, None))
        assert {f.check for f in findings if f.severity != "info"} == warned, findings

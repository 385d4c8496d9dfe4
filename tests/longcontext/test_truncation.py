from dataclasses import replace
from pathlib import Path

import pytest

from longcontext.counted import conversation, prompts, random_conversation
from tellapart.longcontext.reading import read_results
from tellapart.longcontext.tokens import characters, tokens_a_character
from tellapart.longcontext.transcript import Usage
from tellapart.longcontext.truncation import scan

FIXTURES = Path(__file__).parent / "fixtures"
SEEDS = range(150)


def steady(count=200, **more):
    """Each turn adds 100 + 20 tokens of four letters: prompts are 200, 320, 440 …"""
    return conversation([("message", f"M{n}", 100, 20, 4) for n in range(count)], **more)


def planted(case, at, missing):
    """``missing`` tokens of the history are gone from step ``at`` on."""
    return prompts(case, lambda place, tokens: tokens - missing if place >= at else tokens)


@pytest.mark.slow
def test_clean_runs_of_any_tokenizer_raise_none():
    for seed in SEEDS:
        case = random_conversation(seed, 200, forked=[0, 0.5, 1][seed % 3], failed=[0, 0.1][seed % 2])
        assert scan(case).truncations == (), seed


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["plateau", "drop", "shortfall"])
def test_a_planted_cut_is_found_at_exactly_that_step(rule):
    for seed in SEEDS:
        case = random_conversation(seed)
        at = 1 + seed * 7 % 59
        while len(case.steps[at].user_message) < 700:
            at = at % 59 + 1
        grown = case.steps[at].prompt_tokens - case.steps[at - 1].prompt_tokens
        missing = {"plateau": grown, "drop": grown + 1 + seed % 50, "shortfall": round(0.6 * grown)}[rule]
        cut = scan(planted(case, at, missing)).truncations
        assert [(one.step_id, one.rule, one.steps, one.last_step_id) for one in cut] == [
            (f"M{at}", rule, 1, f"M{at}")
        ], seed
        assert cut[0].previous_prompt_tokens == case.steps[at - 1].prompt_tokens
        assert cut[0].prompt_tokens == case.steps[at].prompt_tokens - missing


def test_expected_are_the_prompt_the_reply_and_the_turn():
    # 320 were sent and 20 answered; of 100 tokens for the turn, 8 are taken for marks of a template: 92
    cut = scan(planted(steady(), 2, 90)).truncations[0]
    assert (cut.previous_prompt_tokens, cut.prompt_tokens, cut.expected_prompt_tokens) == (320, 350, 432)
    assert (cut.rule, cut.conversation_length) == ("shortfall", 6)


@pytest.mark.parametrize(
    ("counted", "steps"),
    [((1200, 2400, 2450, 2500, 2550, 2600), ("M2", "M5")), ((1200, 1500, 1800), ("M1", "M2"))],
)
def test_a_cap_under_which_prompts_still_grow_is_seen_from_the_second_step_on(counted, steps):
    turns = [("message", f"M{n}", 1200, 0, 4) for n in range(len(counted))]
    case = replace(conversation(turns, system=0), system="")
    (cut,) = scan(prompts(case, lambda place, tokens: counted[place])).truncations
    assert (cut.rule, (cut.step_id, cut.last_step_id)) == ("shortfall", steps)


@pytest.mark.parametrize(("missing", "flagged"), [(54, False), (56, True)])
def test_the_tolerance_is_24_tokens_and_a_quarter_of_the_turn(missing, flagged):
    # 92 are expected of the turn: 24 + 23 = 47 may be missing of 340 + 92, of which 8 are marks
    assert bool(scan(planted(steady(), 20, missing)).truncations) is flagged


def test_forked_probes_are_compared_with_the_main_line():
    turns = [("message", f"M{n}", 100, 20, 4) for n in range(20)]
    turns[10:10] = [("fork", f"C1-{n}", 30, 200, 4) for n in range(8)]
    case = conversation(turns)
    assert scan(case).truncations == ()
    main = prompts(case, lambda place, tokens: tokens - 150 if case.steps[place].id == "C1-3" else tokens)
    assert [cut.step_id for cut in scan(main).truncations] == ["C1-3"]


@pytest.mark.parametrize(
    "usage",
    [None, Usage(), Usage(0, 20), Usage(8, 20, cache_hit_tokens=7, cache_miss_tokens=8), Usage(5, 1, 6, 9)],
    ids=["none", "empty", "zero", "cached apart", "more cached than sent"],
)
def test_what_nobody_counted_is_unknown_and_so_is_the_step_after(usage):
    case = steady(10)
    broken = replace(case, steps=tuple(replace(s, usage=usage) if s.id == "M5" else s for s in case.steps))
    found = scan(broken)
    assert (found.truncations, found.unknown) == ((), ("M5", "M6"))


def test_the_documented_run_is_clean_and_the_refused_one_unknown():
    (case,) = read_results(FIXTURES / "case_1_smoke_result.json").cases
    assert (scan(case).truncations, scan(case).unknown) == ((), ())
    refused = read_results(FIXTURES / "experiment-results-http402.json").cases
    assert [scan(case).unknown for case in refused] == [("M1",), ("M1",), ("M1", "V2-1")]


def test_the_rate_is_that_of_most_of_the_text():
    # 60 + 240 tokens are 1,200 letters, 60 + 10 are 280: 0.25 of both, and 0.125 where half of them is gone
    turns = [("message", "M1", 40, 60, 4), ("message", "M2", 240, 60, 4), ("message", "M3", 10, 5, 4)]
    case = conversation(turns)
    assert tokens_a_character([case]) == 0.25
    doubtful = prompts(case, lambda place, tokens: tokens - 35 if place == 2 else tokens)
    assert tokens_a_character([doubtful]) == 0.25


@pytest.mark.parametrize(("text", "count"), [("", 0), ("abcd", 4), ("épée", 4), ("日本", 8), ("a日", 5)])
def test_ideographs_count_as_four_letters(text, count):
    assert characters(text) == count

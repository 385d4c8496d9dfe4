"""The whole way from made-up conversations to an effective length, with a model that has a known one."""

from statistics import fmean

import pytest

from tellapart.longcontext.curves import ProbePoint
from tellapart.longcontext.effective_length import effective_length
from tellapart.longcontext.generating import Design, conversations
from tellapart.longcontext.generating.conversations import REPLY
from tellapart.longcontext.grading.graders import grade_by_rules
from tellapart.longcontext.probes import evidence_for
from tellapart.longcontext.transcript import PlayedCase, PlayedStep, Usage
from tellapart.offline.longcontext import ends, reply

DESIGN = Design((2000, 4000, 8000, 16_000), conversations=8, distractors=2)


def points(view, design=DESIGN):
    return [point for case in conversations(design) for point in points_of(case, view)]


def points_of(case, view):
    turns, played = [("system", case.system)], []
    for message in case.messages:
        turns += [("user", message.text), ("assistant", REPLY)]
        played.append(PlayedStep(message.id, "message", None, message.text, REPLY))
    for probe in case.probes:
        sent = [*turns, ("user", probe.text)]
        tokens = sum(len(text) for _, text in sent) // 4
        said = reply(sent, view)
        step = PlayedStep(
            probe.id, probe.type, probe.failure_mode, probe.text, said, Usage(tokens), 200, forked=True
        )
        evidence = evidence_for(
            PlayedCase(case.name, (*played, step), case.system), len(played), probe.expected, 0.25
        )
        grade = grade_by_rules(step, probe.expected, [message.text for message in case.messages])
        yield ProbePoint(
            "offline",
            probe.text,
            case.name,
            tokens,
            evidence.distance_tokens,
            evidence.depth,
            grade.value,
            grade.missing,
            probe.expected.intended_tokens,
        )


@pytest.fixture(scope="module")
def forgets_beyond_8k():
    return effective_length(points(lambda text: text[-8192 * 4 :])).models[0]


@pytest.mark.slow
def test_the_planted_length_is_reported_by_both_definitions(forgets_beyond_8k):
    for found in (forgets_beyond_8k.absolute, forgets_beyond_8k.relative):
        assert (found.status, found.tokens) == ("determined", 8000)
        assert (found.interval.low_tokens, found.interval.high_tokens) == (8000, 8000)
    assert (forgets_beyond_8k.relative.base, forgets_beyond_8k.relative.base_tokens) == (1.0, (2000,))


def test_the_score_falls_where_the_evidence_lies_further_back(forgets_beyond_8k):
    assert [(cell.tokens, cell.value, cell.n) for cell in forgets_beyond_8k.by_length] == [
        (2000, 1.0, 40), (4000, 1.0, 40), (8000, 1.0, 40), (16_000, 0.6, 40),
    ]  # fmt: skip
    # Of contexts of 16K tokens the first two fifths of the depths are 12K and 16K tokens away.
    values = {cell.high_tokens: cell.value for cell in forgets_beyond_8k.by_distance}
    assert values == {1000: 1.0, 2000: 1.0, 4000: 1.0, 8000: 1.0, 16_000: 0.0}


def test_traps_are_in_no_curve(forgets_beyond_8k):
    assert (forgets_beyond_8k.probes, forgets_beyond_8k.without_evidence) == (192, 32)


def test_the_heatmap_shows_a_forgotten_middle():
    (model,) = effective_length(points(ends)).models
    rows = {
        tokens: [cell.value for cell in model.heatmap if cell.tokens == tokens] for tokens in DESIGN.lengths
    }
    assert rows[2000] == rows[4000] == [1.0] * 5
    assert rows[8000] == rows[16_000] == [1.0, 0.0, 0.0, 0.0, 1.0]
    assert {cell.n for cell in model.heatmap} == {8}
    assert (model.absolute.tokens, model.relative.tokens) == (4000, 4000)


def test_a_model_that_forgets_nothing_is_good_for_at_least_the_longest():
    (model,) = effective_length(points(lambda text: text, Design((2000, 4000), conversations=8))).models
    assert fmean(cell.value for cell in model.by_length) == 1.0
    assert (model.absolute.words, model.relative.words) == ("at least 4,000 tokens",) * 2
    assert model.absolute.interval.open_above

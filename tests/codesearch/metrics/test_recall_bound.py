"""A random sample of what nobody returned bounds recall, also where both explorers miss the same files."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import hypergeom

from codesearch.explored_cases import case
from tellapart.codesearch.metrics.recall_bound import most_relevant, sampled_recall
from tellapart.codesearch.model import JudgeVerdict, Rest


def with_rest(made, files, sampled, relevant=(), open_=()):
    """A sample by stratum; letters that are neither relevant nor open are judged not relevant."""
    drawn = [file for of in sampled.values() for file in of]
    verdicts = {file: JudgeVerdict(file in relevant) for file in drawn if file not in open_}
    return replace(made, rest=Rest(files, {name: tuple(of) for name, of in sampled.items()}, verdicts))


def test_figures_by_hand():
    # We found a and b, an explorer also found c. 2 of 4 near files and 3 of 30 far ones were drawn.
    made = case(1, "ab", "ac", "ab")
    rested = with_rest(made, {"near": 4, "far": 30}, {"near": "xy", "far": "pqr"}, relevant="x")
    figures = sampled_recall([rested])
    assert (figures.found, figures.missed) == (2, 1)
    assert figures.relevant == 2 + 1 + 4 * 1 / 2
    assert figures.recall == pytest.approx(2 / 5)
    # Chapman: 3 * 3 / 2 - 1 files in all.
    assert figures.chapman_recall == pytest.approx(2 / 3.5)
    most = most_relevant([(4, 2, 1), (30, 3, 0)])
    assert figures.relevant_at_most == 3 + most
    assert figures.recall_at_least == pytest.approx(2 / (3 + most))


def test_a_missing_verdict_counts_against_the_system_and_there_is_no_estimate():
    made = case(1, "ab", "ac", "ab")
    known = sampled_recall([with_rest(made, {"near": 4, "far": 30}, {"near": "xy", "far": "pqr"}, "x")])
    rested = with_rest(made, {"near": 4, "far": 30}, {"near": "xy", "far": "pqr"}, open_="x")
    figures = sampled_recall([rested])
    assert figures.recall is None and figures.strata["near"].without_verdict == 1
    assert figures.recall_at_least == known.recall_at_least


def test_the_bound_is_that_of_a_slow_search_over_all_divisions():
    strata = (12, 4, 1), (30, 6, 0)
    weights = [files / drawn for files, drawn, _ in strata]
    observed = weights[0]

    def chance(split):
        return sum(
            hypergeom.pmf(i, 12, split[0], 4) * hypergeom.pmf(j, 30, split[1], 6)
            for i in range(5)
            for j in range(7)
            if weights[0] * i + weights[1] * j <= observed + 1e-9
        )

    likely = [a + b for a in range(13) for b in range(31) if chance((a, b)) > 0.05]
    exact = max(likely)
    # Cells can only make the bound larger, here by two relevant files at most.
    assert exact <= most_relevant(strata) <= exact + 2


@pytest.mark.parametrize("relevant", [(20, 5), (5, 100)])
def test_the_bound_covers_what_a_shared_blind_spot_hides(relevant):
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(400):
        drawn = [
            (files, n, int(rng.hypergeometric(hidden, files - hidden, n)))
            for files, n, hidden in ((500, 50, relevant[0]), (2000, 100, relevant[1]))
        ]
        covered += most_relevant(drawn) >= sum(relevant)
    assert covered >= 0.93 * 400

import random

import numpy as np
import pytest

from bundles.lint.questions import write_rows
from tellapart.bundles.lint import read_inputs
from tellapart.bundles.lint.baselines import Candidates, baselines

WORDS = (
    *("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath"),
    *("islet", "knoll", "larch", "marsh", "north", "ocean", "prairie", "quarry"),
)


def made_rows(n=120, *, positive=lambda text: text, negative=lambda text: text):
    """Bundles of random words, in which nothing but ``positive`` and ``negative`` tells candidates apart."""
    rng = random.Random(11)

    def text():
        return " ".join(rng.choices(WORDS, k=rng.randrange(8, 20))) + f" {rng.randrange(10**9)}"

    return [
        {
            "bundle_id": f"b{i}",
            "anchor": f"{text()} and so on",
            "positive": positive(text()),
            "negatives": [negative(text()) for _ in range(3)],
        }
        for i in range(n)
    ]


def test_ties_share_what_they_pass_and_a_constant_passes_what_guessing_does():
    of = Candidates(["a", "b", "c", "d", "e"], np.arange(5), np.array([0, 3, 5]), np.array([0, 1]))
    assert of.chance == (1 / 3 + 1 / 2) / 2
    assert of.weights.tolist() == [1, 0.5, 0.5, 1, 1]
    assert of.passed(np.zeros(5)).tolist() == [1 / 3, 1 / 2]
    # The positive of the first ties with its last negative at the top; the second's loses.
    assert of.passed(np.array([2.0, 1, 2, 0, 3])).tolist() == [0.5, 0]
    kept = of.only(np.array([False, True]))
    assert (kept.numbers.tolist(), kept.starts.tolist()) == ([3, 4], [0, 2])


@pytest.mark.parametrize(
    ("changes", "begin", "names"),
    [
        ({"positive": lambda text: f"{text} {text}"}, "the longest candidate passes ", ""),
        ({"negative": lambda text: f"{text} {text}"}, "the shortest candidate passes ", ""),
        ({"positive": lambda text: f"Certainly, {text}"}, "a classifier of candidates alone passes 100.0 %",
         "'Certainly'"),
    ],
)  # fmt: skip
def test_what_gives_positives_away_is_a_warning(tmp_path, changes, begin, names):
    inputs = read_inputs([write_rows(tmp_path / "e.jsonl", made_rows(**changes))])
    warnings = [one.detail for one in baselines(inputs) if one.severity == "warning"]
    (told,) = [detail for detail in warnings if detail.startswith(begin)]
    assert "without the anchor, guessing 25.0 %" in told
    assert names in told

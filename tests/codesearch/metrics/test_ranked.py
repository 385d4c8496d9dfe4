import json
import math
import random
from dataclasses import replace
from itertools import product

import pytest
from sklearn.metrics import ndcg_score

from codesearch.as_json import as_json
from codesearch.explored_cases import FAILED, case
from reference import rankings as slow
from tellapart.codesearch.metrics.conversation import grades
from tellapart.codesearch.metrics.ranked import ranked
from tellapart.codesearch.model import JudgeVerdict

ranked = as_json(ranked)

# Grades: b 2, a and c 1, x 1, y 0; z is not judged. Ours in order: y b z x a.
ONE = replace(
    case("one", "ab", "bc", "ybzxa"),
    verdicts={
        "repo/x": JudgeVerdict(True),
        "repo/y": JudgeVerdict(False),
        "repo/z": JudgeVerdict(None, failure=FAILED),
    },
)
LETTERS = "abcdefghijklmnopqrstuvwx"


def slowly(files, judged):
    return {
        "R@5": slow.recall(files, judged, 5),
        "R@10": slow.recall(files, judged, 10),
        "R@20": slow.recall(files, judged, 20),
        "MRR": slow.reciprocal_rank(files, judged),
        "nDCG@10": slow.ndcg(files, judged, 10),
        "bpref": slow.bpref(files, judged),
        "Judged@10": slow.judged_share(files, judged, 10),
    }


RULED = replace(ONE, verdicts={**ONE.verdicts, "repo/z": JudgeVerdict(False)})


def means(found):
    return {name: one["mean"] for name, one in found["measures"].items()}


def random_case(rng, number, n_open=0):
    a, b = ("".join(rng.sample(LETTERS, rng.randint(1, 9))) for _ in range(2))
    ours = "".join(rng.sample(LETTERS, rng.randint(6, 22)))
    made = case(number, a, b, ours, judged="".join(rng.sample(LETTERS, 12)))
    gone = rng.sample(sorted(made.verdicts), min(n_open, len(made.verdicts)))
    return replace(
        made, verdicts={f: JudgeVerdict(None) if f in gone else v for f, v in made.verdicts.items()}
    )


def test_one_conversation_by_hand():
    found = means(ranked([RULED]))
    assert found["R@5"] == found["R@20"] == 3 / 4
    assert found["MRR"] == 1 / 2
    # Places 2, 4 and 5 gain 2, 1 and 1; at best 2, 1, 1, 1.
    best = 2 + 1 / math.log2(3) + 1 / 2 + 1 / math.log2(5)
    assert found["nDCG@10"] == pytest.approx((2 / math.log2(3) + 1 / math.log2(5) + 1 / math.log2(6)) / best)
    found = means(ranked([ONE]))
    # y, the one file judged not relevant, stands before all three of four: each counts 1 - 1 / min(4, 1).
    assert found["bpref"] == 0
    assert found["Judged@10"] == 4 / 5
    assert (found["R@5"], found["nDCG@10"]) == (None, None)


def test_bounds_by_hand():
    found = ranked([ONE])["measures"]
    # z at place 3 is relevant or not: 3 of 4, or 4 of 5.
    assert found["R@5"]["bounds"] == [3 / 4, 4 / 5]
    assert (found["R@5"]["mean"], found["R@5"]["missing"]) == (None, {"judge": 1})
    # b stands before z: whatever z is, the first relevant file is in place 2.
    assert (found["MRR"]["mean"], found["MRR"]["bounds"]) == (None, [1 / 2, 1 / 2])
    assert found["bpref"]["bounds"] is None


@pytest.mark.parametrize("seed", range(12))
def test_bounds_are_reached_and_never_left(seed):
    rng = random.Random(100 + seed)
    one = random_case(rng, "one", n_open=5)
    open_ = sorted(one.without_verdict)
    every = [
        slowly(one.files, grades(one) | dict(zip(open_, verdicts, strict=True)))
        for verdicts in product((0, 1), repeat=len(open_))
    ]
    found = ranked([one])["measures"]
    for name in ("R@5", "R@10", "R@20", "MRR", "nDCG@10"):
        values = [of[name] for of in every]
        assert found[name]["bounds"] == pytest.approx([min(values), max(values)]), name
        assert (found[name]["mean"] is None) == bool(open_), name


def test_ndcg_agrees_with_scikit_learn():
    cases = [random_case(random.Random(seed), seed) for seed in range(12)]
    cases = [one for one in cases if len(one.files) >= 10]
    assert len(cases) > 5
    for one in cases:
        files, gains = one.files, grades(one)
        everything = sorted({*files, *gains})
        scores = [len(files) - files.index(file) if file in files else 0 for file in everything]
        theirs = ndcg_score([[gains.get(file, 0) for file in everything]], [scores], k=10)
        assert means(ranked([one]))["nDCG@10"] == pytest.approx(theirs)


def test_conversations_without_a_value_are_counted_by_cause():
    nothing_relevant = case("two", "", "", "xy", judged="")
    found_nothing = case("three", "ab", "a")
    failed = case("four", None, None, "ab")
    found = ranked([RULED, nothing_relevant, found_nothing, failed])["measures"]
    alone = ranked([RULED])["measures"]
    assert found["nDCG@10"]["mean"] == pytest.approx(alone["nDCG@10"]["mean"] / 2)
    assert found["nDCG@10"]["missing"] == {"infeasible": 1, "timeout": 1}
    assert found["nDCG@10"]["bounds"][1] == pytest.approx((alone["nDCG@10"]["bounds"][1] + 0 + 1) / 3)
    assert found["Judged@10"]["mean"] == pytest.approx((1 + 1) / 2)
    assert found["Judged@10"]["missing"] == {"infeasible": 1, "timeout": 1}
    json.dumps(found, allow_nan=False)


def test_nothing_judged_leaves_bounds_and_what_needs_no_verdict():
    found = ranked([case("one", "ab", "bc", "xb")])["measures"]
    assert found["R@5"]["mean"] is None
    # b of a, b, c; or x and b of four.
    assert found["R@5"]["bounds"] == [1 / 3, 1 / 2]
    assert found["R@5"]["missing"] == {"judge": 1}
    assert found["bpref"]["mean"] == pytest.approx(1 / 3)
    assert found["Judged@10"]["mean"] == 1 / 2
    # Beside conversations that were judged, it is left out of the means that need verdicts.
    both = ranked([case("other", "ab", "bc", "xb"), RULED])["measures"]
    assert both["R@5"]["mean"] is None
    assert both["R@5"]["missing"] == {"judge": 1}
    assert both["bpref"]["conversations"] == 2
    # Nothing is relevant unless a missing verdict would say so.
    open_ = ranked([case("one", "", "", "x")])["measures"]["MRR"]
    assert (open_["mean"], open_["bounds"], open_["missing"]) == (None, [1, 1], {"judge": 1})

import json

import numpy as np
import polars as pl
import pytest

from tellapart.audit import AuditOptions, analyse
from tellapart.core.scores import ScoreTable
from tellapart.errors import UsageError

QUICK = AuditOptions()


def frame_of(seed=0, items=90, graded=False, missing=0.05):
    """Four models a to d, better and better, on items of three kinds in clusters of three."""
    rng = np.random.default_rng(seed)
    difficulty = rng.normal(size=items)
    chance = 1 / (1 + np.exp(difficulty - np.array([[-1.0], [0.0], [0.3], [1.5]])))
    drawn = rng.random((4, items))
    scores = np.clip(chance + 0.3 * (drawn - 0.5), 0, 1) if graded else (drawn < chance).astype(float)
    scores[rng.random((4, items)) < missing] = np.nan
    kinds = np.array(["easy", "hard", "medium"])[np.digitize(difficulty, [-0.5, 0.5])]
    frame = pl.DataFrame(
        {
            "model": np.repeat(list("abcd"), items),
            "item": np.tile([f"i{k:03d}" for k in range(items)], 4),
            "score": pl.Series(scores.ravel()).fill_nan(None),
            "cluster": np.tile([f"f{k // 3:02d}" for k in range(items)], 4),
            "difficulty": np.tile(kinds, 4),
        }
    )
    return frame.with_columns(missing=pl.when(pl.col("score").is_null()).then(pl.lit("timeout")))


def audited(frame, limits=(0.0, 1.0), options=QUICK):
    findings = analyse(ScoreTable.from_frame(frame, limits=limits), options)
    shown = findings.model_dump(mode="json")
    json.dumps(shown, allow_nan=False)
    return findings, shown


def close(found, expected):
    """Compare figures of any shape, numbers but for rounding."""
    if isinstance(expected, dict):
        return list(found) == list(expected) and all(close(found[key], expected[key]) for key in expected)
    if isinstance(expected, list):
        return len(found) == len(expected) and all(map(close, found, expected))
    if isinstance(expected, float) and isinstance(found, float):
        return found == pytest.approx(expected, abs=1e-9)
    return found == expected


@pytest.mark.parametrize("graded", [False, True])
def test_models_called_otherwise_are_found_the_same(graded):
    # a to d become w to z, from the last to the first: every pair is turned around.
    frame = frame_of(graded=graded, missing=0.1)
    names = dict(zip("abcd", "zyxw", strict=True))
    _, usual = audited(frame)
    _, renamed = audited(frame.with_columns(pl.col("model").replace_strict(names)))
    turned = {(pair["b"], pair["a"]): pair for pair in renamed["comparison"]["primary"]["pairs"]}
    for pair in usual["comparison"]["primary"]["pairs"]:
        other = turned[names[pair["a"]], names[pair["b"]]]
        assert other["difference"] == pytest.approx(-pair["difference"], abs=1e-12)
        assert other["interval"] == pytest.approx([-pair["interval"][1], -pair["interval"][0]], abs=1e-9)
        for key in ("n", "p", "p_adjusted", "p_equivalent", "items_needed", "design_effect", "reason"):
            assert close(other[key], pair[key])
        verdict = {"a>b": "b>a", "b>a": "a>b"}.get(pair["verdict"], pair["verdict"])
        assert other["verdict"] == verdict
    for model, other in zip(usual["ranking"], renamed["ranking"], strict=True):
        assert other["model"] == names[model["model"]]
        assert close({**other, "model": None}, {**model, "model": None})
    for key in ("separated_paired", "separated_arena_hard", "signal_to_noise", "variance"):
        assert close(renamed[key], usual[key])


def test_the_same_audit_twice_is_the_same_and_the_seed_changes_only_what_is_drawn():
    frame = frame_of()
    _, first = audited(frame)
    assert json.dumps(audited(frame)[1]) == json.dumps(first)
    _, other = audited(frame, options=AuditOptions(seed=7))
    pairs = [shown["comparison"]["primary"]["pairs"] for shown in (first, other)]
    assert [pair["p"] for pair in pairs[1]] == [pair["p"] for pair in pairs[0]]
    assert [pair["interval"] for pair in pairs[1]] != [pair["interval"] for pair in pairs[0]]


def test_a_difference_that_no_two_scores_have_is_refused():
    frame = frame_of()
    for sesoi in (1.0, 500.0):
        with pytest.raises(UsageError, match=f"matters is {sesoi:g}, but scores are from 0 to 1,"):
            analyse(ScoreTable.from_frame(frame), AuditOptions(sesoi=sesoi))
    wide = AuditOptions(sesoi=1.0)
    assert audited(frame, (0.0, 2.0), wide)[0].models == ("a", "b", "c", "d")
    assert audited(frame, (-np.inf, np.inf), wide)[0].models == ("a", "b", "c", "d")

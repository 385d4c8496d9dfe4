"""Slices: what a score file keeps, figures by slice, and the one family that compares them."""

import numpy as np
import polars as pl
import pytest

from bundles.made_scores import scores
from tellapart.bundles.compare import compare_boards
from tellapart.bundles.results import board_of, eval_header, write_scored
from tellapart.bundles.scoreboards import load_boards
from tellapart.bundles.slice_fields import BundleFields
from tellapart.bundles.slices import slice_rates
from tellapart.bundles.tier_stats import stats_by_tier
from tellapart.errors import UsageError

N = 80


def described():
    """The metadata of bundles; every eighth lacks one field."""
    for i in range(N):
        metadata = {"pos": ["noun", "verb", "verb", "adverb"][i % 4], "hard": i % 2 == 0, "lang": "en"}
        metadata |= {"cue": {"tier": i % 3}, "ratio": i / N, "note": f"bundle {i}", "tags": ["x"]}
        if i % 8 == 0:
            del metadata["pos"]
        yield {"metadata": metadata}


@pytest.fixture
def boards(tmp_path):
    """Two models on one eval."""
    fields, rng, paths = BundleFields(), np.random.default_rng(5), []
    fields.add(pl.DataFrame({"line": range(N)}), list(described()))
    for name in ("plain", "noisy"):
        frame = scores(rng.normal(size=N).tolist(), model=name).with_columns(fields.metadata())
        board = board_of(stats_by_tier(frame), eval_header("e.jsonl", "0" * 16, frame, 42), model=name,
                         similarity="cosine")  # fmt: skip
        paths.append(tmp_path / f"{name}.json")
        write_scored(paths[-1], board, frame)
    return load_boards(paths)


def test_scores_keep_the_fields_that_sort_bundles(boards):
    kept = boards.boards[0].scores["metadata"].struct.unnest()
    assert kept.columns == ["hard", "pos"]
    assert kept["pos"].to_list() == [row["metadata"].get("pos") for row in described()]
    assert set(kept["hard"]) == {"true", "false"}


def test_figures_by_field_are_those_of_its_bundles(boards):
    record = slice_rates(boards, "metadata.pos")
    assert record.values == ["verb", "adverb", "noun", "(none)"]
    values = [row["metadata"].get("pos", "(none)") for row in described()]
    for one in record.slices:
        scored = boards.boards[boards.labels.index(one.model)].scores["margin"].to_list()
        inside = [margin > 0 for margin, value in zip(scored, values, strict=True) if value == one.value]
        assert (one.n, one.pass_rate) == (len(inside), pytest.approx(np.mean(inside), abs=1e-9))
    assert sum(one.n for one in record.slices) == 2 * N


def test_slices_are_compared_in_the_secondary_family_and_not_in_the_primary(boards):
    by_tier, by_pos = compare_boards(boards), compare_boards(boards, by="pos")
    assert by_pos.primary == by_tier.primary
    assert by_pos.secondary.by == "pos"
    pairs = by_pos.secondary.pairs
    assert [pair.stratum for pair in pairs] == ["(none)", "adverb", "noun", "verb"]
    # Holm by hand over all four looks together.
    running, adjusted = 0.0, {}
    for i, pair in enumerate(sorted(pairs, key=lambda pair: pair.p)):
        running = max(running, min(1.0, (4 - i) * pair.p))
        adjusted[pair.stratum] = running
    assert {pair.stratum: pair.p_adjusted for pair in pairs} == pytest.approx(adjusted)


@pytest.mark.parametrize("by", ["poss", "note", "tags"])
def test_what_does_not_sort_bundles_is_refused_with_what_does(boards, by):
    with pytest.raises(UsageError, match=f"no field '{by}' that sorts bundles.*hard, pos"):
        slice_rates(boards, by)


def test_who_asks_for_tiers_is_told_that_they_are_shown_anyway(boards):
    with pytest.raises(UsageError, match=r"'metadata\.tier' .*Figures by tier are shown without --by\.$"):
        compare_boards(boards, by="tier")

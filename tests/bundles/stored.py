"""Scoreboards on disk, as the suite writes them."""

from bundles.made_scores import scores
from tellapart.bundles.results import board_of, eval_header, write_scored
from tellapart.bundles.tier_stats import stats_by_tier

HASH = "0123456789abcdef"
TIERS = ("tier1_easy", "tier2_robust", "tier3_adversarial")


def write_board(
    directory,
    name,
    margins,
    tiers=None,
    *,
    model=None,
    source_hash=HASH,
    seed=42,
    similarity="cosine",
    eval_path="eval.jsonl",
    checkpoint="",
    **more,
):
    """Write ``NAME.json`` and its scores; ``more`` as for ``scores``."""
    model = model or name
    frame = scores(margins, tiers, model=model, **more)
    header = eval_header(eval_path, source_hash, frame, seed)
    path = directory / f"{name}.json"
    board = board_of(stats_by_tier(frame), header, model=model, similarity=similarity, checkpoint=checkpoint)
    write_scored(path, board, frame)
    return path


def broken_1(directory, **more):
    """60 bundles; in tier 3 of 20 the candidate passes 8 that the baseline fails, and fails 1 that it passes.

    The margins of each tier overlap, so no model cut them.
    """
    tiers = [tier for tier in TIERS for _ in range(20)]
    shared = [0.1, 0.3] * 20
    base = shared + [-0.1] * 8 + [0.2] * 12
    cand = shared + [0.1] * 8 + [-0.2] + [0.3] * 11
    return [
        write_board(directory, name, margins, tiers, **more)
        for name, margins in (("base", base), ("cand", cand))
    ]

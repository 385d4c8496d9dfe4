"""Scoreboards written by hand, so that what a report says can be derived on paper."""

from bundles.made_scores import scores
from tellapart.bundles.page.boards import report_of
from tellapart.bundles.results import board_of, eval_header, write_scored
from tellapart.bundles.scoreboards import load_boards
from tellapart.bundles.tier_stats import stats_by_tier

TIERS = ("tier1_easy", "tier2_robust", "tier3_adversarial")
FINGERPRINT = "0123456789abcdef|7|40"

# Ten bundles in the first tier, ten in the second, twenty in the third.
TIER_OF = [TIERS[0]] * 10 + [TIERS[1]] * 10 + [TIERS[2]] * 20
ITEMS = [f"b{i:02d}" for i in range(40)]

ALPHA = [0.5] * 10 + [0.2] * 8 + [-0.1] * 2 + [0.1] * 16 + [-0.3] * 4
"""Passes 10 of 10, 8 of 10, 16 of 20."""
BETA = [0.4] * 9 + [-0.2] + [0.3] * 5 + [-0.1] * 5 + [0.2] * 4 + [-0.2] * 15 + [0.0]
"""Passes 9 of 10, 5 of 10, 4 of 20; ties on the last bundle."""
GAMMA = [20.0] * 10 + [5.0] * 5 + [-5.0] * 5 + [2.0] * 5 + [-8.0] * 15
"""Passes 10 of 10, 5 of 10, 5 of 20; its margins are of another unit."""
OWN = [0.5] * 10 + [-0.1] * 10 + [-0.4] * 20
"""Its tiers are what its own margins would cut."""


def write_board(
    directory,
    model,
    margins,
    *,
    name=None,
    items=ITEMS,
    tiers=TIER_OF,
    clusters=None,
    fingerprint=FINGERPRINT,
    similarity="cosine",
):
    """Write a scoreboard and its scores as the suite does; a bundle that fails has rank 4, a tie one tied."""
    frame = scores(
        margins,
        tiers,
        model=model,
        clusters=clusters,
        items=items,
        ranks=[4 if margin < 0 else 1 for margin in margins],
        ties=[int(margin == 0) for margin in margins],
    )
    source_hash, seed, count = fingerprint.split("|")
    header = eval_header("eval.jsonl", source_hash, frame, int(seed))
    header = header.model_copy(update={"fingerprint": fingerprint, "item_count": int(count)})
    path = directory / f"{name or model}.json"
    write_scored(path, board_of(stats_by_tier(frame), header, model=model, similarity=similarity), frame)
    return path


def load(paths, **options):
    """The scoreboards, and what is reported of them."""
    boards = load_boards(paths, **options)
    return boards, report_of(boards)


HOSTILE = "</pre></script><img src=x onerror=\"document.title='owned'\">"

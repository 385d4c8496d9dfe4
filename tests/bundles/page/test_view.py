import polars as pl
import pytest

from bundles.page.stored_boards import ALPHA, TIER_OF, TIERS, load
from tellapart.errors import InputError


@pytest.mark.parametrize(
    ("margins", "tiers", "said"),
    [
        # The first bundle fails.
        ([-0.5, *ALPHA[1:]], TIER_OF, r"overall correct is 33 here and 34 there"),
        # The mean of 40 moves by 2e-9, its passes do not.
        ([ALPHA[0] + 8e-8, *ALPHA[1:]], TIER_OF, r"overall mean_margin is .* here and .* there"),
        # A bundle in another tier.
        (ALPHA, [TIERS[1], *TIER_OF[1:]], r"tier1_easy n is 9 here and 10 there"),
        # Two swapped between tiers, one that passes and one that fails; then two that pass.
        (
            [*ALPHA[:17], ALPHA[39], *ALPHA[18:39], ALPHA[17]],
            TIER_OF,
            r"tier2_robust correct is 7 here and 8 there",
        ),
        ([ALPHA[10], *ALPHA[1:10], ALPHA[0], *ALPHA[11:]], TIER_OF, r"tier1_easy mean_margin is 0\.4"),
    ],
)
def test_scores_of_another_checkpoint_are_refused(paths, margins, tiers, said):
    scores = paths[0].with_name("alpha.scores.parquet")
    changed = pl.read_parquet(scores).with_columns(pl.Series("margin", margins), pl.Series("tier", tiers))
    changed.with_columns(score=(pl.col("margin") > 0).cast(pl.Float64)).write_parquet(scores)
    with pytest.raises(InputError, match=said):
        load(paths)

import pytest

from tellapart.contrastive.ranking.weights import parse_weights, write_weights
from tellapart.errors import UsageError


def test_weights_are_scaled_to_sum_to_one_and_what_is_not_named_weighs_nothing():
    assert parse_weights("judge=3, contrastive=1") == {"retrieval": 0.0, "contrastive": 0.25, "judge": 0.75}
    assert parse_weights(write_weights({"retrieval": 0.5, "judge": 0.5}))["judge"] == 0.5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("judge", "expected SOURCE=NUMBER"),
        ("judge=high", "'high' for 'judge', expected a number"),
        ("judge=1,judge=2", "'judge' twice"),
        ("jugde=1", "no evidence 'jugde'"),
        ("judge=-1,retrieval=2", "is -1, expected 0 to"),
        ("judge=nan", "is nan, expected 0 to"),
        ("judge=0", "all weights are 0"),
    ],
)
def test_weights_that_cannot_be_used_are_named(text, message):
    with pytest.raises(UsageError, match=message):
        parse_weights(text)

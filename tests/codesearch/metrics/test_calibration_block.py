import pytest

from codesearch.as_json import as_json
from tellapart.codesearch.metrics.explorations import (
    CALIBRATING,
    KEEP,
    SWITCH,
    Overlap,
    calibration_block,
    overlap_of,
    total,
)

calibration_block = as_json(calibration_block)


def test_files_are_counted_by_who_found_them():
    assert overlap_of("abcd", "cde") == Overlap(a_only=2, b_only=1, both=2)
    assert overlap_of(["x", "x"], ["x"]) == Overlap(0, 0, 1)
    assert total([Overlap(1, 2, 3), Overlap(10, 20, 30)]) == Overlap(11, 22, 33)
    assert total([]) == Overlap(0, 0, 0)


def test_the_rate_is_of_run_a_and_jaccard_of_all():
    # a, b, c, d against c, d, e: two of A's four; two of five in all.
    found = Overlap(2, 1, 2)
    assert found.rate == 2 / 4
    assert found.jaccard == 2 / 5
    assert Overlap(0, 7, 0).rate is None
    assert Overlap(0, 7, 0).jaccard == 0
    assert Overlap().jaccard is None


def test_the_documented_example():
    # 45 of 45 + 12 of run A's files: 45 / 57 = 0.78947. The document writes 0.789.
    block = calibration_block(Overlap(12, 3, 45), threshold=0.9, complete=False)
    assert block == {
        "opus_only_files": 12,
        "sonnet_only_files": 3,
        "both_models_files": 45,
        "overlap_rate": 0.789,
        "recommendation": "Keep Opus-Sonnet hybrid or Opus-only",
    }
    assert list(block)[0] == "opus_only_files"


@pytest.mark.parametrize(
    ("found", "complete", "text"),
    [
        (Overlap(1, 0, 9), True, SWITCH),
        (Overlap(1, 0, 9), False, CALIBRATING),
        # 8999 of 10000 is written 0.9, but it is less.
        (Overlap(1001, 0, 8999), True, KEEP),
        (Overlap(0, 5, 0), True, KEEP),
    ],
)
def test_recommendations(found, complete, text):
    assert calibration_block(found, threshold=0.9, complete=complete)["recommendation"] == text

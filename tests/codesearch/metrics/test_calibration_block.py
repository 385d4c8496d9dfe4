import pytest

from codesearch.as_json import as_json
from tellapart.codesearch.metrics.explorations import CALIBRATING, KEEP, SWITCH, Overlap, calibration_block

calibration_block = as_json(calibration_block)


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

from codesearch.as_json import as_json
from tellapart.codesearch.metrics.explorations import Overlap, calibration_block

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

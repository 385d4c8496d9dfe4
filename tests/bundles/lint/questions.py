"""Questions and answers of a library, written for these tests: an eval without faults, to plant some in."""

import json
from pathlib import Path

LINES = Path(__file__).with_name("questions.txt").read_text(encoding="utf-8").splitlines()
PAIRS = [tuple(line.split(" | ")) for line in LINES]


def clean_rows(negatives=4):
    """A bundle for each pair; its negatives are the answers to the next questions."""
    return [
        {
            "bundle_id": f"q{i}",
            "anchor": anchor,
            "positive": positive,
            "negatives": [PAIRS[(i + k) % len(PAIRS)][1] for k in range(1, negatives + 1)],
        }
        for i, (anchor, positive) in enumerate(PAIRS)
    ]


def write_rows(path, rows):
    """Write JSON Lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path

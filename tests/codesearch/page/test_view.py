"""What is read, and what is said where it cannot be."""

from codesearch.page.recorded_search import recorded, rescored, write
from tellapart.codesearch.page import document, load
from tellapart.report import markdown_document

OPTIONAL = [
    "by_product_area",
    "calibration",
    "areas",
    "uncertain",
    "ranked",
    "assessment",
    "agreement",
]


def shown(view):
    return markdown_document(document(view))


def test_what_a_fresh_rescoring_gives_can_be_reported(tmp_path):
    fresh = load(write(rescored(recorded()), tmp_path))
    assert shown(fresh).startswith("# Unreliable: 1 of 9 verdicts failed (11 %), over 6 conversations\n")
    assert set(OPTIONAL) <= set(fresh.evaluation.to_json()["metrics"])


def test_all_optional_parts_missing_leave_measures_runs_and_judge(stored, viewed):
    for name in OPTIONAL:
        del stored["metrics"][name]
    lines = shown(viewed(stored)).splitlines()
    assert [line for line in lines if line.startswith("## ")] == [
        "## Precision and recall",
        "## Explorers",
        "## Judge",
        "## How this was made",
    ]

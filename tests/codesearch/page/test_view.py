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
        "## Conversations",
        "## How this was made",
    ]


def test_learnings_beside_are_shown_unless_they_are_of_another_evaluation(stored, tmp_path):
    share = {"value": 0.75, "low": 0.5, "high": 1.0, "n": 16}
    place = {"place": "shop", "missed": 4, "found": 12, "noise": 5, "recall": share}
    term = {
        "term": "feed", "noise": 1, "relevant": 1, "without_verdict": 0, "conversations": 1,
        "noise_share": share,
    }  # fmt: skip
    learnt = {
        "iteration_number": 1, "timestamp": None, "conversations": 6, "basis": "", "traced_by": None,
        "notes": ["few"], "terms": [term], "places": [place],
    }  # fmt: skip
    path = write(stored, tmp_path)
    write(learnt, tmp_path, "learnings.json")
    text = shown(load(path))
    assert "## Learnings\n\nFew.\n" in text
    assert "| feed | 1 | 1 | 0 | 0.750" in text
    assert "| shop | 4 | 12 | 5 | 0.750" in text
    for other in ({"conversations": 5}, {"iteration_number": 2}):
        write(learnt | other, tmp_path, "learnings.json")
        assert "## Learnings" not in shown(load(path))

from io import StringIO

import polars as pl
from rich.console import Console

from tellapart.bundles.page import frontier as pages
from tellapart.bundles.pareto import FrontierRecord
from tellapart.report.terminal import terminal

POINTS = pl.DataFrame(
    [
        ("base", 0.71, 0.68, 0.74, 0.62, 0.58, 0.66),
        ("mixed", 0.74, 0.71, 0.77, 0.66, 0.62, 0.70),
        ("half", 0.70, 0.67, 0.73, 0.72, 0.68, 0.76),
        ("poor", 0.41, 0.37, 0.45, 0.50, 0.46, 0.54),
    ],
    schema=["name", "value_0", "low_0", "high_0", "value_1", "low_1", "high_1"],
    orient="row",
)
FIGURES = FrontierRecord.model_validate(
    {
        "metrics": [{"name": "kept", "direction": "max"}, {"name": "gained", "direction": "max"}],
        "frontier": ["mixed", "half"],
        "dominated": {"base": "mixed", "poor": "mixed"},
        "within_noise": ["base"],
        "reason": None,
        "dominance": {
            "base": {
                "by": "half",
                "metric": "gained",
                "p": 0.03,
                "p_adjusted": 0.36,
                "verdict": "not_separated",
            },
            "poor": {"by": "mixed", "metric": "kept", "p": 1e-6, "p_adjusted": 1.2e-5, "verdict": "better"},
        },
        "cautions": [],
        "alpha": 0.05,
        "looks": 12,
        "exploratory": False,
        "fingerprints": [],
        "evals": {},
        "points": {},
        "left_out": {},
        "cliffs": [],
    }
)


def printed(figures, points=POINTS):
    console = Console(width=100, record=True, file=StringIO())
    for renderable in terminal(pages.document(figures, points)):
        console.print(renderable)
    return [line.rstrip() for line in console.export_text().splitlines()]


def test_the_terminal_says_what_to_keep_and_what_not_to_drop_yet():
    lines = printed(FIGURES)
    assert lines[0].startswith("2 of 4 configurations are on the frontier of kept and gained; dominated")
    assert "• On the frontier: mixed and half." in lines
    text = " ".join(" ".join(lines).split())
    assert (
        "Cannot tell base from half: dominated within noise only, no metric shows a difference. Do not"
        in text
    )
    assert (
        "Every other dominated configuration is beaten beyond noise in at least one metric (level 0.05"
        in text
    )
    assert "corrected for 12 differences" in text
    assert "Below each figure: its 95 % interval." in text
    rows = [line.split() for line in lines]
    assert ["mixed", "0.740", "0.660"] in rows
    assert ["base", "0.710", "0.620", "mixed", "cannot", "tell", "0.360"] in rows
    assert ["poor", "0.410", "0.500", "mixed", "better", "<", "0.001"] in rows

"""The pages of exposure, frontiers and seeds in a real Chromium, narrow, wide and dark."""

import polars as pl
import pytest

from bundles.made_runs import runs_of
from report.opened import opened, reads_well
from tellapart.bundles.exposure import Curriculum, exposures
from tellapart.bundles.page import exposure, frontier, seeds
from tellapart.bundles.pareto import FrontierRecord
from tellapart.bundles.seeds import compare_seeds
from tellapart.report import html_document

HOSTILE = "</script><img src=x onerror=\"document.title='owned'\">"


def frontier_page(path):
    """Twelve points, four of them on the frontier and two within noise, one with a hostile name."""
    n = 12
    x = [0.5 + 0.04 * i for i in range(n)]
    y = [0.9 - 0.03 * i - (0.02 if i % 3 else 0) for i in range(n)]
    names = [f"mix {5 * i} %" for i in range(n - 1)] + [HOSTILE]
    points = pl.DataFrame(
        {
            "name": names,
            "value_0": x,
            "low_0": [value - 0.03 for value in x],
            "high_0": [value + 0.03 for value in x],
            "value_1": y,
            "low_1": [value - 0.02 for value in y],
            "high_1": [value + 0.02 for value in y],
        }
    )
    on = [name for i, name in enumerate(names) if not i % 3 or name == HOSTILE]
    figures = {
        "metrics": [{"name": "kept", "direction": "max"}, {"name": "gained", "direction": "max"}],
        "frontier": on,
        "dominated": {name: on[0] for name in names if name not in on},
        "within_noise": [names[1], names[4]],
        "dominance": {
            name: {
                "by": on[0],
                "metric": "kept",
                "p": 0.1,
                "p_adjusted": 0.2 if name in (names[1], names[4]) else 0.01,
                "verdict": "not_separated" if name in (names[1], names[4]) else "better",
            }
            for name in names
            if name not in on
        },
        "cautions": [],
        "alpha": 0.05,
        "looks": 132,
        "reason": None,
        "exploratory": True,
        "fingerprints": ["a|1|2", "b|1|2"],
        "evals": {},
        "points": {},
        "left_out": {},
        "cliffs": [],
    }
    report = frontier.document(FrontierRecord.model_validate(figures), points)
    path.write_text(html_document(report), encoding="utf-8")


def seeds_page(path):
    names = ["base", "mixed with half of the legacy pool", HOSTILE]
    values = {
        name: {"1": 0.7 + 0.02 * i, "2": 0.71 + 0.021 * i, "3": 0.69 + 0.02 * i}
        for i, name in enumerate(names)
    }
    result = compare_seeds(runs_of({HOSTILE: values}))
    path.write_text(html_document(seeds.document(result)), encoding="utf-8")


def exposure_page(path):
    plan = {
        "pools": {"legacy": {"size": 454}, HOSTILE: {"size": 9}},
        "phases": [
            {
                "name": "1",
                "steps": 1000,
                "batch_size": 32,
                "tier_probabilities": {"tier3_adversarial": 0.1},
                "pool_ratios": {"legacy": 0.75, HOSTILE: 0.1},
            }
        ],
    }
    report = exposure.document(exposures(Curriculum.model_validate(plan)), "tellapart bundles exposure")
    path.write_text(html_document(report), encoding="utf-8")


@pytest.fixture(params=[exposure_page, frontier_page, seeds_page], ids=["exposure", "frontier", "seeds"])
def page(request, chromium, tmp_path):
    path = tmp_path / "page.html"
    request.param(path)
    with opened(chromium, path) as page:
        yield page


def test_the_page_reads_well_at_any_width_and_in_the_dark_and_hostile_names_stay_text(page):
    reads_well(page)
    page.emulate_media(color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 22, 27)"
    assert page.locator("img").count() == 0
    assert page.title().endswith("· tellapart")

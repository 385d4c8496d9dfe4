import json

import pytest

PLAN = {
    "steps": 10_000,
    "batch-size": 32,
    "tier3-probability": "0.10",
    "legacy-ratio": 0.75,
    "pool-size": 454,
}


def options(**changes):
    plan = PLAN | {name.replace("_", "-"): value for name, value in changes.items()}
    return [word for name, value in plan.items() for word in (f"--{name}", value)]


def test_exposure_prints_the_contract(tellapart):
    found = tellapart("bundles", "exposure", *options(), "--json")
    figures = json.loads(found.out)
    assert found.code == 0
    assert f"{figures['exposure']:.1f}" == "52.9"
    assert figures["status"] == "healthy"
    assert figures["to_restore"] == {"legacy_ratio": 0.709375, "steps": 9459, "pool_size": 480}


def test_exposure_in_words_and_as_a_page(tellapart, tmp_path):
    found = tellapart("bundles", "exposure", *options(steps=1000), "--html", tmp_path / "e.html")
    assert found.code == 0
    assert "5.3 times on average: severe" in found.out
    assert "Regression highly likely" in (tmp_path / "e.html").read_text(encoding="utf-8")
    assert found.err == f"wrote {tmp_path / 'e.html'}\n"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pool_size": 0}, "error: pool_size is 0, expected 1 or more.\n"),
        (
            {"tier3_probability": 10},
            "error: tier3_probability is 10.0, expected a share in [0, 1]. Write 10 % as 0.1.\n",
        ),
    ],
)
def test_a_plan_that_cannot_be_is_one_paragraph(tellapart, change, message):
    refused = tellapart("bundles", "exposure", *options(**change))
    assert (refused.code, refused.out, refused.err) == (2, "", message)

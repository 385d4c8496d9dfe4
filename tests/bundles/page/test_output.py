import json
from pathlib import Path

import numpy as np
import pytest

from bundles.page.stored_boards import ALPHA, BETA, load, write_board
from tellapart.bundles.page.charts import cumulative
from tellapart.bundles.page.report import STAMP, document
from tellapart.bundles.page.view import record
from tellapart.core.comparison import to_json
from tellapart.report import markdown_document

GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.fixture
def here(tmp_path, monkeypatch, paths):
    """The view as from the directory of the files, so that no path is in the golden text."""
    monkeypatch.chdir(tmp_path)
    return load([Path(path.name) for path in paths])


def test_markdown_is_as_recorded(here):
    assert markdown_document(document(here)) == (GOLDEN / "bundles_report.md").read_text(encoding="utf-8")


def test_figures_are_json_and_hold_the_comparison(here):
    found = record(here).model_dump(mode="json")
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["comparison"] == to_json(here.comparison)
    assert [(pair["a"], pair["b"], pair["verdict"]) for pair in found["comparison"]["primary"]["pairs"]] == [
        ("alpha", "beta", "a>b"),
        ("alpha", "gamma", "a>b"),
        ("beta", "gamma", "not_separated"),
    ]
    assert found["models"]["gamma"]["units"]["mean_margin"] == {"kind": "similarity", "unit": "bm25"}
    assert found["models"]["alpha"]["tiers"]["tier3_adversarial"]["pass_rate"] == 0.8
    assert found["hardest"][14] == {
        "item": "b39",
        "tier": "tier3_adversarial",
        "margins": {"alpha": -0.3, "beta": 0.0, "gamma": -8.0},
    }


def test_different_evals_stamp_every_section(tmp_path):
    a = write_board(tmp_path, "alpha", ALPHA)
    b = write_board(tmp_path, "beta", BETA, fingerprint="f" * 16 + "|7|40")
    found = document(load([a, b], allow_fingerprint_mismatch=True))
    assert all(section.title.startswith(STAMP) for section in found.sections)
    assert "--allow-fingerprint-mismatch" in found.commands[-1]
    assert not any(s.title.startswith(STAMP) for s in document(load([a])).sections)


def test_the_share_below_zero_includes_ties():
    margins = np.array([-0.5, -0.1, 0.0, 0.2])
    assert cumulative(margins, np.array([-1.0, -0.1, 0.0, 0.1, 1.0])).tolist() == [0, 50, 75, 75, 100]

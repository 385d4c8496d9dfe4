from pathlib import Path

import pytest

from bundles.page.stored_boards import ALPHA, BETA, OWN, TIER_OF, TIERS, load, write_board
from tellapart.bundles.page.boards import STAMP, document, headline_sentences, verdict
from tellapart.report import markdown_document

GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.fixture
def here(tmp_path, monkeypatch, paths):
    """The report as from the directory of the files, so that no path is in the golden text."""
    monkeypatch.chdir(tmp_path)
    return load([Path(path.name) for path in paths])


def test_markdown_is_as_recorded(here):
    assert markdown_document(document(here)) == (GOLDEN / "bundles_report.md").read_text(encoding="utf-8")


def test_different_evals_stamp_every_section(tmp_path):
    a = write_board(tmp_path, "alpha", ALPHA)
    b = write_board(tmp_path, "beta", BETA, fingerprint="f" * 16 + "|7|40")
    found = document(load([a, b], allow_fingerprint_mismatch=True))
    assert all(section.title.startswith(STAMP) for section in found.sections)
    assert "--allow-fingerprint-mismatch" in found.commands[-1]
    assert not any(s.title.startswith(STAMP) for s in document(load([a])).sections)


def test_a_model_whose_margins_made_the_tiers_is_marked(tmp_path, paths):
    view = load([*paths[:2], write_board(tmp_path, "own", OWN)])
    beware = (
        "the tiers were cut by the margins of own itself, so its pass rates by tier follow from the cut and "
        "say nothing about it"
    )
    assert ". ".join(headline_sentences(view)).endswith(f"Beware: {beware}")
    assert "own 0.0 % (by its own cut)" in verdict(view)[0]


def test_tiers_that_differ_are_not_compared(tmp_path):
    moved = TIER_OF[:-2] + [TIERS[0]] * 2
    view = load([write_board(tmp_path, "alpha", ALPHA), write_board(tmp_path, "beta", BETA, tiers=moved)])
    assert view.comparison.secondary is None
    assert "Beware: 2 of 40 bundles are in different tiers on different scoreboards" in ". ".join(
        headline_sentences(view)
    )
    assert not [line for line in verdict(view) if line.startswith("Pass rate")]

from pathlib import Path

import pytest

from bundles.page.stored_boards import ALPHA, BETA, OWN, TIER_OF, TIERS, load, write_board
from tellapart.bundles.page.boards import STAMP, document, pass_rates
from tellapart.report import markdown_document

GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.fixture
def here(tmp_path, monkeypatch, paths):
    """The report as from the directory of the files, so that no path is in the golden text."""
    monkeypatch.chdir(tmp_path)
    return load([Path(path.name) for path in paths])


def test_markdown_is_as_recorded(here):
    assert markdown_document(document(*here)) == (GOLDEN / "bundles_report.md").read_text(encoding="utf-8")


def test_different_evals_stamp_the_verdict(tmp_path):
    a = write_board(tmp_path, "alpha", ALPHA)
    b = write_board(tmp_path, "beta", BETA, fingerprint="f" * 16 + "|7|40")
    found = document(*load([a, b], allow_fingerprint_mismatch=True))
    assert found.title.startswith(STAMP)
    assert "--allow-fingerprint-mismatch" in found.commands[-1]
    assert not document(*load([a])).title.startswith(STAMP)


def test_a_model_whose_margins_made_the_tiers_is_marked(tmp_path, paths):
    boards, report = load([*paths[:2], write_board(tmp_path, "own", OWN)])
    beware = (
        "the tiers were cut by the margins of own itself, so its pass rates by tier follow from the cut and "
        "say nothing about it"
    )
    assert report.verdict.endswith(f"Beware: {beware}")
    # Of two such models it is said once.
    again, _ = load([paths[0], *(write_board(tmp_path, name, OWN) for name in ("own", "too"))])
    named = [text for text in again.table.notes.cautions if "cut by the margins" in text]
    assert [text.partition(", so")[0] for text in named] == [
        "the tiers were cut by the margins of own and too themselves"
    ]
    own = [row for row in pass_rates(boards).rows if row[1].text == "own"]
    assert [row[3].detail for row in own[1:]] == ["by its own cut"] * 3


def test_tiers_that_differ_are_not_compared(tmp_path):
    moved = TIER_OF[:-2] + [TIERS[0]] * 2
    b = write_board(tmp_path, "beta", BETA, tiers=moved)
    _, report = load([write_board(tmp_path, "alpha", ALPHA), b])
    assert report.comparison.secondary is None
    assert "Beware: 2 of 40 bundles are in different tiers on different scoreboards" in report.verdict


def test_different_units_and_ties_are_named_below_the_figures(boards, paths):
    assert pass_rates(boards[0]).note.endswith(
        "Margins are in different units: alpha cosine, beta cosine, gamma bm25. Compare their signs, not "
        "their sizes. Positives that tie with a negative: beta 2.5 %. A tie fails and still ranks first; see "
        "the expected rank."
    )
    assert "units" not in pass_rates(load(paths[:2])[0]).note

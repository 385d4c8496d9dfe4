"""Scoreboards written by hand, so that what a report says can be derived on paper."""

from pathlib import Path

import pytest

from bundles import stored
from bundles.stored import TIERS
from tellapart.bundles.page.boards import STAMP, document, pass_rates, report_of
from tellapart.bundles.scoreboards import load_boards
from tellapart.report import markdown_document

GOLDEN = Path(__file__).parents[2] / "golden"


# Ten bundles in the first tier, ten in the second, twenty in the third.
TIER_OF = [TIERS[0]] * 10 + [TIERS[1]] * 10 + [TIERS[2]] * 20
ITEMS = [f"b{i:02d}" for i in range(40)]
# Passes 10 of 10, 8 of 10, 16 of 20.
ALPHA = [0.5] * 10 + [0.2] * 8 + [-0.1] * 2 + [0.1] * 16 + [-0.3] * 4
# Passes 9 of 10, 5 of 10, 4 of 20; ties on the last bundle.
BETA = [0.4] * 9 + [-0.2] + [0.3] * 5 + [-0.1] * 5 + [0.2] * 4 + [-0.2] * 15 + [0.0]
# Passes 10 of 10, 5 of 10, 5 of 20; its margins are of another unit.
GAMMA = [20.0] * 10 + [5.0] * 5 + [-5.0] * 5 + [2.0] * 5 + [-8.0] * 15
# Its tiers are what its own margins would cut.
OWN = [0.5] * 10 + [-0.1] * 10 + [-0.4] * 20


def write_board(directory, model, margins, *, tiers=TIER_OF, **more):
    """Write a scoreboard and its scores; a bundle that fails has rank 4, a tie one tied."""
    ranks, ties = [4 if margin < 0 else 1 for margin in margins], [int(margin == 0) for margin in margins]
    return stored.write_board(
        directory, model, margins, tiers, seed=7, items=ITEMS, ranks=ranks, ties=ties, **more
    )


def load(paths, **options):
    """The scoreboards, and what is reported of them."""
    boards = load_boards(paths, **options)
    return boards, report_of(boards)


@pytest.fixture
def paths(tmp_path):
    """Three scoreboards of one eval."""
    first = [write_board(tmp_path, "alpha", ALPHA), write_board(tmp_path, "beta", BETA)]
    return [*first, write_board(tmp_path, "gamma", GAMMA, similarity="bm25")]


@pytest.fixture
def here(tmp_path, monkeypatch, paths):
    """The report as from the directory of the files, so that no path is in the golden text."""
    monkeypatch.chdir(tmp_path)
    return load([Path(path.name) for path in paths])


def test_markdown_is_as_recorded(here):
    assert markdown_document(document(*here, "tellapart bundles report")) == (
        GOLDEN / "bundles_report.md"
    ).read_text(encoding="utf-8")


def test_different_evals_stamp_the_verdict(tmp_path):
    a = write_board(tmp_path, "alpha", ALPHA)
    b = write_board(tmp_path, "beta", BETA, source_hash="f" * 16)
    found = document(*load([a, b], allow_fingerprint_mismatch=True))
    assert found.title.startswith(STAMP)
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


def test_different_units_and_ties_are_named_below_the_figures(paths):
    assert pass_rates(load(paths)[0]).note.endswith(
        "Margins are in different units: alpha cosine, beta cosine, gamma bm25. Compare their signs, not "
        "their sizes. Positives that tie with a negative: beta 2.5 %. A tie fails and still ranks first; see "
        "the expected rank."
    )
    assert "units" not in pass_rates(load(paths[:2])[0]).note

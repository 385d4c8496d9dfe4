import pytest

from bundles.stored import TIERS, write_board
from tellapart.bundles.compare import compare
from tellapart.bundles.page.comparison import changes, document, flipped

N = 100
TIER = [TIERS[0]] * N + [TIERS[2]] * N


def rates(tier1, tier3, size=0.2):
    return [size] * tier1 + [-size] * (N - tier1) + [size] * tier3 + [-size] * (N - tier3)


@pytest.fixture
def shown(tmp_path):
    """What is shown of a baseline that passes 90 and 60 of 100, and a candidate."""

    def give(*margins, units=("cosine", "cosine"), tier=TIERS[2], **limits):
        base = write_board(tmp_path, "base", rates(90, 60), TIER, similarity=units[0])
        cand = write_board(tmp_path, "cand", *margins, similarity=units[1])
        return compare(
            base,
            cand,
            tier=tier,
            **limits,
            allow_fingerprint_mismatch=True,
        )

    return give


def cells(table):
    return {row[0].text: [table.shown(cell) for cell in row[1:]] for row in table.rows}


def test_a_gate_is_the_title_and_its_limit_is_drawn(shown):
    found = document(shown(rates(90, 30), TIER, max_drop=0.02))
    assert found.title == "FAILED on tier3 adversarial items. cand is worse than base"
    assert found.verdict[0].startswith(
        "It scored 30 points lower on 100 items; the true change lies between 23.1 and 38 points worse"
    )
    assert (len(found.differences.rows), found.differences.rules) == (1, (-0.02, 0.0))
    without = document(shown(rates(90, 30), TIER))
    assert without.title == "cand is worse than base by 15 points (95 % interval 10.7 to 20.6)"


def test_pass_rates_and_their_plain_difference(shown):
    found = changes(shown(rates(60, 65), TIER))
    assert [column.title for column in found.columns[1:]] == [
        *("Overall", "Tier1 easy", "Tier2 robust", "Tier3 adversarial"),
    ]
    assert cells(found)["Bundles"] == ["200", "100", "0", "100"]
    assert cells(found)["Pass rate, points"] == ["−12.5", "−30.0", "–¹", "+5.0"]
    (row,) = [row for row in found.rows if row[0].text == "Pass rate, points"]
    assert [cell.detail for cell in row[1:]] == ["75.0 → 62.5", "90.0 → 60.0", "", "60.0 → 65.0"]


def test_what_flipped_is_of_the_gates_tier(shown):
    found = shown(rates(60, 50), TIER, max_drop=0.02)
    assert flipped(found).title == "Items that flipped: 10 lost, 0 gained"
    (section,) = [section for section in document(found).sections if section.name == "flips"]
    assert section.in_terminal and section.tables == (flipped(found),)
    every = "Items that flipped: 40 lost, 0 gained"
    assert flipped(shown(rates(60, 50), TIER)).title == every
    assert flipped(shown(rates(60, 50), TIER, max_drop=0.02, tier="overall")).title == every

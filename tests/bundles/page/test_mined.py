import json

import pytest

from bundles.page.stored_boards import HOSTILE, mined_bundle, write_mined
from tellapart.bundles.page import mined as page
from tellapart.bundles.page.mined import cut, load_mined
from tellapart.bundles.results import SingleLineup
from tellapart.errors import InputError


def cells(table):
    return [[table.shown(cell) for cell in row] for row in table.rows]


def test_a_single_lineup_stands_beside_several(mined):
    # One lineup of ten, on average: (1·4 + 2 + 3 + 4 + 9) / 10 = 2.2 of 20 pass, of them .4 + .2 below three.
    assert cells(page.rates_table(mined.stats)) == [
        ["several lineups", "3", "15.0", "0"],
        ["the first lineup alone", "4", "20.0", "1"],
        ["a lineup on average", "2.2", "11.0", "0.6"],
    ]


def test_without_the_number_of_passes_pseudo_killers_are_unknown(mined):
    stats = mined.stats.model_copy(update={"parameters": {}})
    assert cells(page.rates_table(stats))[2][3] == "–¹"


def test_no_candidates_have_no_rates(mined):
    nothing = dict.fromkeys(("pass_rate", "expected_pass_rate", "pseudo_killer_share"))
    stats = mined.stats.model_copy(
        update={
            "candidates_tested": 0,
            "accepted": 0,
            "mining_pass_rate": None,
            "pass_distribution": {"0": 0, "1": 0},
            "single_lineup": SingleLineup(passed=0, pseudo_killers=0, **nothing),
        }
    )
    assert cells(page.rates_table(stats))[0] == ["several lineups", "0", "–¹", "0"]
    assert cells(page.passes_table(stats)) == [["0", "0", "–¹"], ["1", "0", "–¹"]]


def test_strengths_are_summed_up(mined):
    assert cells(page.strengths_table(mined)) == [
        ["ultra", "1", "9", "0.750", "0.750"],
        ["mid", "0", "–¹", "–¹", "–¹"],
        # The median of .5 and .625 lies half-way.
        ["low", "2", "3–4", "0.562", "0.625"],
    ]


def test_examples_go_from_strong_to_weak_and_show_all_texts(mined):
    first, second, third = page.examples(mined)
    assert first.title == "ultra: 9 of 10 lineups, danger 0.750"
    assert first.parts == (
        ("anchor", "anchor 1"),
        ("positive", HOSTILE),
        ("negative 1", "negative 1.0"),
        ("negative 2", "negative 1.1"),
    )
    assert [one.source for one in (first, second, third)] == ["mined-1", "mined-3", "mined-2"]
    assert second.parts[1][1] == "one\n" * 12 + "… 8 more lines"


def test_a_known_hardest_negative_is_shown_alone(tmp_path, mined):
    one = mined_bundle(1, 9, "ultra", 0.75)
    one["metadata"]["hardest_negative"] = 1
    mined.path.write_text(json.dumps(one), encoding="utf-8")
    (passage,) = page.examples(load_mined(mined.path))
    assert passage.parts[2:] == (("hardest negative", "negative 1.1"),)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb", "a\nb"),
        ("a\nb\nc", "a\nb\n… 1 more line"),
        ("aaaa\nbbbb\ncccc", "aaaa\nbbbb\n… 1 more line"),
        ("a" * 20, "a" * 9 + " …"),
        ("aaaaaa\nbbbbbb\nc", "aaaaaa\n… 2 more lines"),
        ("", ""),
    ],
)
def test_long_texts_are_cut_at_the_end_of_a_line(text, shown):
    assert cut(text, lines=2, letters=9) == shown


def test_figures_of_another_run_are_refused(tmp_path):
    path, stats = write_mined(tmp_path)
    path.write_text(path.read_text(encoding="utf-8").splitlines()[0], encoding="utf-8")
    with pytest.raises(InputError, match=r"3 bundles were accepted, but .*mined.jsonl has 1"):
        load_mined(path, stats)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "this is not JSON"),
        ('{"bundle_id": "a"}', "'anchor' is missing"),
        ('{"metadata": {}}', "'bundle_id' is missing"),
        (
            '{"bundle_id": "a", "anchor": "x", "positive": "y", "negatives": [], "metadata": {"passes": 1}}',
            "'metadata.lineups_tested' is missing",
        ),
    ],
)
def test_a_bad_line_is_named(tmp_path, line, said):
    path = tmp_path / "mined.jsonl"
    path.write_text(f"{json.dumps(mined_bundle(1, 9, 'ultra', 0.75))}\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError, match=said) as error:
        load_mined(path)
    assert str(error.value).startswith(f"{path}:2:")

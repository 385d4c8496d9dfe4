import json
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from bundles.page.stored_boards import ALPHA, BETA, load, write_board
from tellapart.bundles.page import charts
from tellapart.bundles.page.charts import BINS, cumulative, grid
from tellapart.bundles.page.output import record, terminal
from tellapart.bundles.page.sections import STAMP, document
from tellapart.core.comparison import to_json
from tellapart.report import html_document, markdown_document
from tellapart.report.charts import inline_svg

GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.fixture
def here(tmp_path, monkeypatch, paths, mined):
    """The view as from the directory of the files, so that no path is in the golden text."""
    monkeypatch.chdir(tmp_path)
    from tellapart.bundles.page.mined import load_mined

    view = load([Path(path.name) for path in paths])
    return view, load_mined(Path("mined.jsonl"), Path("stats.json"))


def test_markdown_is_as_recorded(here):
    assert markdown_document(document(*here)) == (GOLDEN / "bundles_report.md").read_text(encoding="utf-8")


def test_the_terminal_begins_with_the_verdict_and_fits(here):
    console = Console(width=120, highlight=False)
    with console.capture() as capture:
        for renderable in terminal(*here):
            console.print(renderable)
    lines = capture.get().splitlines()
    assert lines[0].startswith("Separates 2 of 3 pairs: alpha beats beta and gamma. Cannot separate ")
    assert max(map(len, lines)) <= 120
    assert any(line.startswith("a lineup on average") for line in lines)


def test_the_terminal_breaks_no_name_at_80_columns(here):
    console = Console(width=80, highlight=False)
    with console.capture() as capture:
        for renderable in terminal(*here):
            console.print(renderable)
    lines = [line.rstrip() for line in capture.get().splitlines()]
    assert max(map(len, lines)) <= 80
    assert "overall · alpha" in lines
    assert "tier3_adversarial · gamma" in lines


def test_figures_are_json_and_hold_the_comparison(here):
    found = record(*here).model_dump(mode="json")
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["comparison"] == to_json(here[0].comparison)
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


def test_a_page_is_the_same_every_time(here, tmp_path):
    view, mined = here
    again = load([board.path for board in view.boards])
    assert html_document(document(view, mined)) == html_document(document(again, mined))


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


def test_zero_is_a_point_of_the_grid():
    points = grid(-0.3, 0.7)
    assert points[BINS] == 0.0
    assert (len(points), points[0], points[-1]) == (2 * BINS + 1, -0.3, 0.7)
    assert (np.diff(points) > 0).all()


def test_the_heading_of_the_margins_names_best_and_worst(boards):
    chart = charts.margins_chart(boards)
    assert chart.title == "Of the adversarial tier, alpha fails 20.0 % and beta 80.0 %"


def test_models_of_different_units_are_drawn_in_their_own(boards, paths):
    assert (
        "Each model's margins are divided by their own median size"
        in charts.margins_chart(boards).description
    )
    assert "median size" not in charts.margins_chart(load(paths[:2])).description


def test_failing_shares_stand_beside_the_curves(boards):
    svg = inline_svg(charts.margins_chart(boards), 760)
    assert [share for share in ("20.0 % fail", "80.0 % fail", "75.0 % fail") if share in svg] == [
        "20.0 % fail",
        "80.0 % fail",
        "75.0 % fail",
    ]


def test_a_model_has_one_colour_in_every_chart(boards):
    drawn = [charts.rates_chart(boards), charts.margins_chart(boards), charts.ranks_chart(boards)]
    colours = [{part for part in inline_svg(chart, 760).split('"') if "--look-" in part} for chart in drawn]
    assert len(colours[0]) == 3
    assert colours[0] == colours[1] == colours[2]


def test_a_chart_grows_with_the_models_and_not_with_the_bundles(tmp_path):
    def size(n):
        margins = np.random.default_rng(1).normal(0.05, 0.2, n).round(4).tolist()
        items = [f"i{k}" for k in range(n)]
        tiers = [["tier1_easy", "tier2_robust", "tier3_adversarial"][k % 3] for k in range(n)]
        view = load([write_board(tmp_path, f"n{n}", margins, items=items, tiers=tiers)])
        return len(html_document(document(view)))

    assert size(20_000) < 1.15 * size(2_000)


@pytest.mark.parametrize("n", [0, 1])
def test_hardly_any_bundles_still_make_a_page(tmp_path, n):
    view = load([write_board(tmp_path, "few", [0.1] * n, items=["a"] * n, tiers=["tier1_easy"] * n)])
    assert "</html>" in html_document(document(view))


def test_the_pass_chart_names_what_does_not_pass_again(mined):
    chart = charts.passes_chart(mined.stats)
    assert chart.title == (
        "25.0 % of the candidates that the first lineup alone accepts do not pass often enough"
    )
    svg = inline_svg(chart, 760)
    assert "not accepted" in svg
    assert "12 candidates without a pass" in chart.description

import pytest
from rich.console import Console

from tellapart.report.bundles.comparison import (
    OTHERS,
    labels,
    markdown,
    other_figures,
    pass_rates,
    terminal,
    verdict,
)

SCOPES = ("overall", "tier1_easy", "tier2_robust", "tier3_adversarial")


def figure(delta, p=None, ci=None, *, a=0.5, reason=None, shared=None):
    return {
        "a": a,
        "b": None if delta is None else a + delta,
        "delta": delta,
        "delta_shared": delta if shared is None else shared,
        "p": p,
        "p_holm": p,
        "ci": ci,
        "test": None if p is None else "exact McNemar",
        "reason": reason,
    }


def record(gates=(), notes=(), exploratory=False, models=("old", "new"), **figures):
    """Nothing differs but what is given, by ``SCOPE__FIGURE``."""
    tiers = {
        scope: {name: figure(0.0, 1.0) for name in ("pass_rate", *OTHERS)}
        | {"n": {"a": 1200, "b": 1200, "delta": 0}}
        for scope in SCOPES
    }
    for name, found in figures.items():
        scope, which = name.split("__")
        tiers[scope][which] = found
    return {
        "exploratory": exploratory,
        "a": {"model": models[0], "scoreboard": "runs/a.json"},
        "b": {"model": models[1], "scoreboard": "runs/b.json"},
        "tiers": tiers,
        "gates": list(gates),
        "notes": list(notes),
    }


def gate(value, limit=0.02, ci=None, name="pass_rate", reason=None):
    return {
        "name": f"tier3_adversarial.{name}.drop",
        "option": "--max-drop",
        "limit": limit,
        "value": value,
        "passed": value is not None and value <= limit,
        "ci": ci,
        "reason": reason,
    }


def printed(shown, width=100):
    console = Console(width=width, highlight=False)
    with console.capture() as capture:
        for part in terminal(shown):
            console.print(part)
    return [line.rstrip() for line in capture.get().splitlines()]


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        (
            {
                "overall__pass_rate": figure(0.03, 0.2, [-0.01, 0.07]),
                "tier1_easy__pass_rate": figure(0.041, 0.049),
                "tier3_adversarial__pass_rate": figure(-0.12, 0.001),
            },
            "new (B) passes more often than old (A) in tier1_easy (+4.1 points) and less often than old (A) "
            "in tier3_adversarial (−12.0 points)",
        ),
        (
            {"overall__pass_rate": figure(0.03, 0.05, [-0.01, 0.07])},
            "No difference in pass rate is shown between new (B) and old (A): +3.0 points overall, "
            "95 % interval −1.0 to +7.0",
        ),
        ({}, "new (B) and old (A) have the same pass rate, overall and in every tier"),
        (
            {f"{scope}__pass_rate": figure(0.1, reason="no bundle is in both") for scope in SCOPES},
            "Whether new (B) passes more often than old (A) cannot be tested: no bundle is in both",
        ),
    ],
)
def test_the_headline_says_who_passes_more_often_and_where(figures, expected):
    assert verdict(record(**figures)) == [expected]


def test_exploratory_comes_first_and_speaks_of_shared_bundles():
    shown = record(
        exploratory=True,
        notes=["The evals differ"],
        overall__pass_rate=figure(-0.2, 0.3, [-0.1, 0.2], shared=0.05),
    )
    assert verdict(shown) == [
        "Exploratory, the evals differ: No difference in pass rate is shown between new (B) and old (A): "
        "+5.0 points overall on the bundles that both have, 95 % interval −10.0 to +20.0",
        "The evals differ.",
    ]
    assert "Interval and p are of the bundles that both have." in pass_rates(shown).note


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (
            gate(0.012, ci=[-0.03, 0.05]),
            "Passed --max-drop: tier3_adversarial pass_rate fell by 1.2 points, limit 2.0 points; "
            "within noise, 95 % interval of the drop −3.0 to 5.0 points: "
            "a drop beyond the limit is not ruled out.",
        ),
        (
            gate(0.012, ci=[0.005, 0.019]),
            "Passed --max-drop: tier3_adversarial pass_rate fell by 1.2 points, limit 2.0 points; "
            "beyond noise, 95 % interval of the drop 0.5 to 1.9 points.",
        ),
        (
            gate(0.012, ci=[-0.001, 0.015]),
            "Passed --max-drop: tier3_adversarial pass_rate fell by 1.2 points, limit 2.0 points; "
            "within noise, 95 % interval of the drop −0.1 to 1.5 points.",
        ),
        (
            gate(0.05, ci=[-0.01, 0.11]),
            "FAILED --max-drop: tier3_adversarial pass_rate fell by 5.0 points, limit 2.0 points; "
            "within noise, 95 % interval of the drop −1.0 to 11.0 points: "
            "a drop within the limit is not ruled out.",
        ),
        (
            gate(0.05, ci=[0.03, 0.07]),
            "FAILED --max-drop: tier3_adversarial pass_rate fell by 5.0 points, limit 2.0 points; "
            "beyond noise, 95 % interval of the drop 3.0 to 7.0 points.",
        ),
        (
            gate(-0.25, 0.05, [-0.3, -0.2], "q10_margin"),
            "Passed --max-drop: tier3_adversarial q10_margin rose by 0.250, limit 0.050; beyond noise, "
            "95 % interval of the drop −0.300 to −0.200.",
        ),
        (
            gate(0.0),
            "Passed --max-drop: tier3_adversarial pass_rate did not change, limit 2.0 points; "
            "no interval, no bundle differs.",
        ),
        (
            gate(None, reason="no bundles in A"),
            "FAILED --max-drop: the drop of tier3_adversarial pass_rate is undefined, no bundles in A.",
        ),
    ],
)
def test_a_gate_says_how_sure_it_is(one, expected):
    shown = record([one], tier3_adversarial__pass_rate=figure(0.0, 1.0, reason="no bundle differs"))
    assert verdict(shown)[1] == expected


def test_models_of_one_name_are_told_apart_by_their_files():
    shown = record(models=("lsa", "lsa"))
    assert labels(shown) == ("a.json (A)", "b.json (B)")
    shown["b"]["scoreboard"] = "other/a.json"
    assert labels(shown) == ("runs/a.json (A)", "other/a.json (B)")
    shown["b"]["scoreboard"] = "runs/a.json"
    assert labels(shown) == ("lsa (A)", "lsa (B)")


def test_better_is_up_whichever_way_the_figure_points():
    rows = {
        row[0].text: [cell.text for cell in row[1:]]
        for row in other_figures(
            record(
                overall__mean_margin=figure(0.02, 0.04),
                overall__mean_rank=figure(0.5, 0.001),
                tier1_easy__mean_rank=figure(-0.25, 0.001),
                tier1_easy__mrr=figure(-0.1, 0.05),
                overall__ties=figure(-1200, 0.01),
                tier1_easy__ties=figure(3, 0.9),
                overall__top3=figure(-0.034, 0.01),
            )
        ).rows
    }
    assert rows["mean margin"] == ["▲ +0.020", "0.000", "0.000", "0.000"]
    assert rows["mean rank"][:2] == ["▼ +0.500", "▲ −0.250"]
    assert rows["MRR"][1] == "−0.100"
    assert rows["ties"][:2] == ["▲ −1,200", "+3"]
    assert rows["top 3, points"][0] == "▼ −3.4"


def test_which_is_better_is_what_was_tested():
    # B's own bundles are easier; on those that both have it is worse.
    rows = pass_rates(record(exploratory=True, overall__pass_rate=figure(0.1, 0.01, shared=-0.2))).rows
    assert rows[0][4].text == "▼ +10.0"


def test_one_screen_with_the_verdict_on_top():
    empty = figure(None, reason="no bundles in A and B", a=None)
    shown = record(
        [gate(0.012, ci=[-0.03, 0.05])],
        overall__pass_rate=figure(-0.02, 0.04, [-0.03, -0.01]),
        **{f"tier2_robust__{name}": empty for name in ("pass_rate", *OTHERS)},
    )
    lines = printed(shown)
    assert lines[0] == "new (B) passes less often than old (A) overall (−2.0 points)"
    assert len(lines) <= 36
    rows = [line.split() for line in lines if line.startswith(("overall", "tier2_robust"))]
    assert rows[0] == ["overall", "1,200", "50.0", "48.0", "▼", "−2.0", "−3.0", "to", "−1.0", "0.040"]
    assert rows[1] == ["tier2_robust", "1,200", *["–¹"] * 5]


def test_other_sizes_are_both_shown():
    shown = record()
    shown["tiers"]["overall"]["n"] = {"a": 1200, "b": 900, "delta": -300}
    assert pass_rates(shown).rows[0][1].text == "1,200 / 900"


def test_markdown_holds_the_same():
    text = markdown(record([gate(0.0)], tier3_adversarial__pass_rate=figure(0.0, 1.0, reason="none differs")))
    lines = text.splitlines()
    assert lines[0] == "**new (B) and old (A) have the same pass rate, overall and in every tier**"
    assert lines[2] == (
        "- Passed --max-drop: tier3_adversarial pass_rate did not change, limit 2.0 points; "
        "no interval, none differs."
    )
    assert "| overall | 1,200 | 50.0 | 50.0 | 0.0 |" in text
    assert "| mean margin | 0.000 | 0.000 | 0.000 | 0.000 |" in text

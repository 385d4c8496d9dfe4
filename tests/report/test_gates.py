"""Gates as people and CI systems read them, from gates on real tables."""

from xml.etree import ElementTree

import numpy as np

from reference.pairs import items_needed
from support.score_tables import grid_of
from tellapart.core.comparison import ComparisonSettings, GateOutcome, OnUnclear, run_gates
from tellapart.report.comparison import about
from tellapart.report.gates import GateCase, annotation, flip_table, gate_headline, junit

PASSED, FAILED, UNCLEAR = GateOutcome.PASSED, GateOutcome.FAILED, GateOutcome.UNCLEAR


def right(n, of=100):
    return [1.0] * n + [0.0] * (of - n)


def gate_of(candidate, baseline, max_drop=0.02, limits=(0.0, 1.0)):
    grid = grid_of({"base": baseline, "new": candidate}, limits=limits, name="q{:03d}")
    (gate,) = run_gates(grid, max_drop, ComparisonSettings(baseline="base"))
    return gate


def test_the_first_line_of_a_gate_is_how_it_ends():
    # 50 lost and none gained of 100: the interval inverts the exact test, at .05 to either side.
    assert gate_headline(gate_of(right(40), right(90))) == (
        "FAILED. new is worse than base. It scored 50 points lower on 100 items; the "
        "true change lies between "
        "41.9 and 58.1 points worse (90 % interval). The limit is 2 points."
    )
    assert gate_headline(gate_of(right(100), right(50))) == (
        "Passed. No drop beyond 2 points. new scored 50 points higher than base on 100 "
        "items; the true change "
        "lies between 41.9 and 58.1 points better (90 % interval)."
    )


def test_an_unclear_gate_says_what_would_settle_it():
    gate = gate_of(right(88), right(90))
    # None is gained and 2 of 100 are lost.
    sd = np.std([1.0] * 2 + [0.0] * 98, ddof=1)
    needed = items_needed(0.02, sd, 100, exact=True, alpha=0.1)
    assert gate.items_needed == needed
    assert gate_headline(gate) == (
        "Unclear. Cannot tell whether new is more than 2 points worse than base. It scored 2 points lower on "
        "100 items; the true change lies between 5.9 points worse and 0.7 points better (90 % interval). "
        f"If there is no drop, about {about(needed)} items would show it."
    )
    # Nothing to decide, so nothing to plan.
    assert gate_headline(gate_of(right(90), right(90), 0.0)) == (
        "Passed. Nothing changed: all 100 items score the same under new and base."
    )
    # With a limit of 0 there is no change to plan for.
    at_zero = gate_of(right(88), right(90), 0.0)
    assert at_zero.items_needed is None
    assert gate_headline(at_zero).startswith("Unclear. Cannot tell whether new is worse than base. ")
    assert gate_headline(at_zero).endswith(" With a limit of 0, only a gain beyond noise passes.")


def test_ci_systems_read_gates_as_tests():
    totals = {"tests": "3", "failures": "1", "errors": "0", "skipped": "1"}
    gate = gate_of([0.0, 0.0, *right(60)[2:]], right(59))
    flips = flip_table(gate, {"q000": "What is it?"}, most=1, command="tellapart compare a b --json")
    lines = ["fine", 'worse <by> "3" & \x1b[1m', "who knows"]
    cases = [
        GateCase(*of_case, flips) for of_case in zip("abc", (PASSED, FAILED, UNCLEAR), lines, strict=True)
    ]
    root = ElementTree.fromstring(junit("tellapart compare", cases, OnUnclear.WARN))
    (suite,) = root
    assert root.attrib == totals
    assert suite.attrib == {"name": "tellapart compare", **totals}
    said = [(case.get("name"), case[0].tag) for case in suite]
    assert said == [("a", "system-out"), ("b", "failure"), ("c", "skipped")]
    # An escape character cannot stand in XML at all.
    message = 'worse <by> "3" & \N{REPLACEMENT CHARACTER}[1m'
    assert suite[1][0].get("message") == message
    listed = [
        "Items that flipped: 2 lost, 1 gained (base -> new)",
        "lost q000: 1 -> 0",
        "  What is it?",
        "gained q059: 0 -> 1",
        "1 more; to list all: tellapart compare a b --json",
    ]
    assert [case[-1].text for case in suite] == [
        "\n".join([line, *listed]) for line in ("fine", message, "who knows")
    ]


def test_annotations_are_one_line_each():
    assert annotation(FAILED, "down 3 %\nof all") == "::error title=tellapart::down 3 %25%0Aof all"
    assert annotation(PASSED, "fine") == "::notice title=tellapart::fine"
    levels = {how: annotation(UNCLEAR, "?", how).split()[0] for how in OnUnclear}
    assert levels == {"warn": "::warning", "fail": "::error", "pass": "::notice"}

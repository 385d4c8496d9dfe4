"""Benchmarks without names: what is blanked, where, and what stays."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from contrastive.fakes import make_unit, make_units
from tellapart.contrastive.masking import mask_material, mask_summaries, mask_unit
from tellapart.contrastive.summaries import Summary
from tellapart.contrastive.units import gather_material

LANGUAGES = Path(__file__).parents[1] / "extraction" / "fixtures" / "languages"


def unit_of(name, content, qualified=None):
    unit = make_unit(name, content=content, signature=content.split("\n")[0])
    return replace(unit, id=f"a.py::{qualified or name}#00000000")


@pytest.mark.parametrize(
    ("name", "code", "expected"),
    [
        # The definition and recursive calls; not what only contains the name.
        ("visit", "def visit(n):\n    visit(n)\n    revisit(n)", "def ___(n):\n    ___(n)\n    revisit(n)"),
        ("$get", "function $get(x) { $get(x); $getAll() }", "function ___(x) { ___(x); $getAll() }"),
        # A name of several words in any spelling; the words apart stay.
        ("split_bill", "def split_bill(bill):\n    SplitBill", "def ___(bill):\n    ___"),
        ("splitBill", "splitBill() { doSplitBill; 'split bill' }", "___() { doSplitBill; '___' }"),
        # A name of one word in its own spelling only.
        ("Cart", "class Cart:\n    cart = Cart()", "class ___:\n    cart = ___()"),
        ("empty?", "def empty?\n  size.empty? || empty\nend", "def ___\n  size.___ || empty\nend"),
        ("__init__", "def __init__(self):\n    super().__init__()", "def ___(self):\n    super().___()"),
    ],
)
def test_every_token_of_code_that_is_the_name(name, code, expected):
    masked = mask_unit(unit_of(name, code))
    assert (masked.content, masked.signature) == (expected, expected.split("\n")[0])
    assert (masked.name, masked.id) == (name, f"a.py::{name}#00000000")


def test_what_the_unit_is_inside_where_it_stands_in_front():
    code = "int Cart::add(Item item) { log(shop.Cart.add); Cart::clear(); Cart cart; }"
    assert mask_unit(unit_of("add", code, "Cart.add")).content == (
        "int ___(Item item) { log(shop.___); Cart::clear(); Cart cart; }"
    )


@pytest.mark.parametrize(
    ("name", "summary", "expected"),
    [
        ("split_bill", "Split bill, as splitBill; not split a bill.", "___, as ___; not split a bill."),
        ("parse", "Parse what parse() and parse-all parsed.", "___ what ___() and ___-all parsed."),
        ("HTTPServer", "An http server; HTTPServer.", "An ___; ___."),
        ("_", "Translate _ here.", "Translate ___ here."),
    ],
)
def test_the_name_in_prose_in_any_spelling_and_case(name, summary, expected):
    (unit,) = make_units(name)
    (masked,) = mask_summaries([unit], [Summary(unit.id, "docstring", summary)])
    assert masked == Summary(unit.id, "docstring", expected)
    assert mask_unit(replace(unit, docstring=summary)).docstring == expected


def test_targets_and_candidates_in_every_language():
    material = gather_material([LANGUAGES], candidates="all")
    masked = mask_material(material)
    assert len({unit.language for unit in masked.units}) > 5
    for unit in masked.units:
        name = rf"(?<!\w){re.escape(unit.name)}(?!\w)"
        assert "___" in unit.content, unit.id
        assert not re.search(name, unit.content + unit.signature), unit.id
    changed = sum(a != b for a, b in zip(masked.summaries, material.summaries, strict=True))
    assert masked.counts["names_masked"] == {"units": len(masked.units), "summaries": changed, "too_short": 0}
    # The same again: there is nothing left to blank.
    assert mask_material(masked).units == masked.units


def test_a_summary_that_says_nothing_else_is_left_out():
    units = make_units("load_settings", "save")
    texts = [(units[0], "Load settings."), (units[1], "Save the settings to disk.")]
    summaries = tuple(Summary(unit.id, "gpt", text) for unit, text in texts)
    material = replace(gather_material([LANGUAGES]), units=tuple(units), summaries=summaries)
    masked = mask_material(material)
    assert [summary.text for summary in masked.summaries] == ["___ the settings to disk."]
    assert masked.counts["names_masked"] == {"units": 2, "summaries": 2, "too_short": 1}

import hashlib
from dataclasses import replace

import numpy as np
import pytest

from contrastive.fakes import ScriptedSelector, choices, make_unit, make_units
from tellapart.contrastive.build_options import BuildOptions
from tellapart.contrastive.building import build_benchmark, selection_texts, summaries_by_position
from tellapart.contrastive.summaries import Summary
from tellapart.contrastive.units import Material, pick_targets
from tellapart.errors import InputError


def sized(*lengths):
    units = make_units(*(f"f{i}" for i in range(len(lengths))))
    return [replace(unit, content="x" * length) for unit, length in zip(units, lengths, strict=True)]


def test_one_target_from_each_slice_by_length():
    # Forty lengths in disorder; ten slices of four, in each the unit with the smallest hash of seed and id.
    lengths = [7 * i % 41 for i in range(1, 41)]
    units = sized(*lengths)
    slices = [sorted(range(40), key=lambda i: lengths[i])[at : at + 4] for at in range(0, 40, 4)]
    lot = {i: hashlib.sha256(f"1\n{units[i].id}".encode()).digest() for i in range(40)}
    expected = sorted(min(members, key=lot.get) for members in slices)
    assert pick_targets(units, range(40), 10, seed=1) == expected
    assert pick_targets(units, range(39, -1, -1), 10, seed=1) == expected
    assert pick_targets(units, range(40), 10, seed=2) != expected


def test_no_summary_of_theirs_has_a_say_where_language_models_write_or_several_are_compared():
    units = [make_unit("a", docstring="What a does, in a few words."), make_unit("b", 11)]
    texts = [Summary(units[1].id, "m1", "two"), Summary(units[0].id, "m1", "one")]
    neutral = {0: "What a does, in a few words.", 1: "b"}
    assert selection_texts(units, texts) == summaries_by_position(units, texts) == {0: "one", 1: "two"}
    assert selection_texts(units, texts[:1]) == {1: "two"}
    assert selection_texts(units, texts[:1], by_models=True) == neutral
    assert selection_texts(units, [texts[0], replace(texts[1], source="m2")]) == neutral


def small(targets=300, levels=("trivial", "easy"), **options):
    """Six functions of one file and two of another, all but the last summarised."""
    units = [*make_units(*"abcdef"), *make_units("g", "h", path="b.py")]
    texts = [Summary(unit.id, "docstring", f"text about {unit.name}") for unit in units[:-1]]
    chosen = BuildOptions(targets=targets, levels=",".join(levels), seed=5, mask_names=False, **options)
    material = Material(tuple(units), tuple(texts), {"copies": 3}, ())
    header = choices(cross_language=chosen.cross_language)
    return build_benchmark(material, ScriptedSelector(np.eye(8)), chosen, header)


def test_no_question_at_all_is_an_error():
    with pytest.raises(InputError, match="8 units, 7 with a summary, 7 targets, and too few candidates"):
        small(levels=("very_hard",))
    unit = make_unit("a")
    with pytest.raises(InputError, match="1 units, 0 with a summary, 0 targets"):
        build_benchmark(Material((unit,), (), {}, ()), ScriptedSelector(np.eye(1)), BuildOptions(), choices())

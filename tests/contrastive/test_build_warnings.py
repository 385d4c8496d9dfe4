import json
from dataclasses import replace

import numpy as np
from tellapart.contrastive.build_warnings import starved, warning, warnings

from contrastive.fakes import ScriptedSelector, make_units
from tellapart.contrastive.assembly import build_benchmark
from tellapart.contrastive.build_options import BuildOptions
from tellapart.contrastive.selection.distractors import DistractorSet
from tellapart.contrastive.selection.levels import levels_named
from tellapart.contrastive.summaries import Summary


def hard_set(target, *strategies):
    places = tuple(range(100, 100 + len(strategies)))
    return DistractorSet(target, "hard", places, strategies, (0.5,) * len(strategies))


def test_a_strategy_starves_below_half_of_what_its_level_asks_for():
    # Hard asks for five semantic, three of the same file and one by signature: ten, six and two here.
    sets = [
        hard_set(0, *["semantic"] * 5, "same_file", *["nearest"] * 2, "signature"),
        hard_set(1, *["same_file"] * 1, "signature", *["nearest"] * 6, "same_type"),
    ]
    hard = levels_named(["hard"])
    assert starved(sets, hard) == [
        {
            "level": "hard",
            "strategy": "same_file",
            "wanted": 6,
            "found": 2,
            "filled_by": {"nearest": 8, "same_type": 1},
        }
    ]
    assert starved([], hard) == []


def test_a_warning_says_what_stands_in_and_what_to_do():
    short = {"level": "hard", "strategy": "same_file", "wanted": 1600, "found": 2}
    short["filled_by"] = {"nearest": 1598}
    assert warning(short, "calibrated", {"easy": "easy:9", "hard": "hard"}) == (
        "hard lacks distractors from the target's file: 2 of 1,600 were found; in their place it has "
        "1,598 nearest to the target. To change that, take units without a docstring too, with "
        "--candidates all, or leave the level out, with --levels easy:9"
    )
    banded = with_strategy(short, "semantic")
    assert "with --bands calibrated" in warning(banded, "absolute", {"hard": "hard"})
    assert warning(banded, "calibrated", {"hard": "hard"}).endswith("with --candidates all")
    everything = warning(banded, "calibrated", {"hard": "hard"}, everything=True)
    assert everything.endswith("take a larger repository")
    assert "--summaries jsonl:FILE" in warning(
        with_strategy(short, "partial"), "calibrated", {"hard": "hard"}
    )


def with_strategy(short, strategy):
    return short | {"strategy": strategy}


def test_a_benchmark_keeps_what_starved_and_says_so():
    units = make_units(*(f"f{i}" for i in range(12)))
    texts = [Summary(unit.id, "docstring", f"text about {unit.name}") for unit in units]
    options = BuildOptions(levels=levels_named(["easy", "hard"]))
    fine = build_benchmark(units, texts, ScriptedSelector(np.eye(12)), options, {})
    assert ("starved" in fine.header.counts, warnings(fine.header)) == (False, [])
    # All similarities are 0: nothing lies in the band of hard.
    banded = build_benchmark(
        units, texts, ScriptedSelector(np.eye(12)), replace(options, bands="absolute"), {}
    )
    assert banded.header.counts["starved"] == [
        {"level": "hard", "strategy": "semantic", "wanted": 60, "found": 0, "filled_by": {"nearest": 60}}
    ]
    assert len(warnings(banded.header)) == 1


def test_build_warns_on_stderr_and_in_json(tellapart, package, tmp_path):
    few = ("--targets", 3, "--levels", "trivial,hard", "--bands", "absolute", "--json")
    done = tellapart("contrastive", "build", package, "--out", tmp_path / "b", *few)
    (sentence,) = json.loads(done.out)["warnings"]
    assert sentence.startswith("hard lacks distractors from the target's neighbours")
    assert f"warning: {sentence}\n" in done.err

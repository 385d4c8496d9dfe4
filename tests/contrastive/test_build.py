import hashlib
import json
from dataclasses import replace

import numpy as np
import pytest

from contrastive.fakes import ScriptedSelector, choices, make_unit, make_units
from tellapart.contrastive import building
from tellapart.contrastive.assembly import (
    build_benchmark,
    selection_texts,
    starved,
    summaries_by_position,
    warnings,
    with_summaries,
)
from tellapart.contrastive.benchmark import read_benchmark
from tellapart.contrastive.build_options import BuildOptions
from tellapart.contrastive.selection.difficulty import difficulty_label, difficulty_score
from tellapart.contrastive.selection.levels import LEVELS, levels_named
from tellapart.contrastive.selection.sets import DistractorSet
from tellapart.contrastive.summaries import Summary
from tellapart.contrastive.targets import pick_targets
from tellapart.errors import InputError

FILES = ["benchmark.json", "left_out.jsonl", "sets.parquet", "summaries.parquet", "units.parquet"]


def digests(bench):
    assert sorted(path.name for path in bench.iterdir()) == FILES
    return {name: hashlib.sha256((bench / name).read_bytes()).hexdigest() for name in FILES}


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


def test_several_writers_in_a_file_change_no_distractor(package, tmp_path):
    options = BuildOptions(targets=12, levels="easy,adversarial", mask_names=False)
    docstrings = building.draft([package], options)

    def build(*writers):
        lines = [
            {"unit": unit.id, "model": name, "summary": write(unit)}
            for unit in docstrings.targets
            for name, write in writers
        ]
        (tmp_path / "summaries.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        return building.draft([package], options, summaries=f"jsonl:{tmp_path / 'summaries.jsonl'}")

    named = ("named", lambda unit: f"It does {unit.name} and nothing else.")
    copied = ("copied", lambda unit: f"Code: {' '.join(unit.content.split())}")
    assert build(named, copied).sets.equals(docstrings.sets)
    assert not build(named).sets.equals(docstrings.sets)


def small(targets=300, levels=("trivial", "easy"), **options):
    """Six functions of one file and two of another, all but the last summarised."""
    units = [*make_units(*"abcdef"), *make_units("g", "h", path="b.py")]
    texts = [Summary(unit.id, "docstring", f"text about {unit.name}") for unit in units[:-1]]
    chosen = BuildOptions(targets=targets, levels=",".join(levels), seed=5, mask_names=False, **options)
    return build_benchmark(units, texts, ScriptedSelector(np.eye(8)), chosen, {"copies": 3})


def test_one_row_an_item():
    benchmark = small()
    rows = benchmark.sets.to_dicts()
    assert [(row["level"], row["target"]) for row in rows] == [
        (level, row) for row in range(7) for level in ("trivial", "easy")
    ]
    for row in rows:
        target, others = (
            benchmark.units[row["target"]],
            [benchmark.units[i] for i in row["distractors"]],
        )
        # At right angles all pairs are as alike, so that none is less alike than a distractor.
        score = difficulty_score(target, others, [0.0] * 4)
        assert row["item"] == f"{row['level']}/{target.id}"
        assert (row["difficulty_score"], row["difficulty"]) == (round(score, 6), difficulty_label(score))
        assert row["strategies"] == [{"trivial": "random", "easy": "same_type"}[row["level"]]] * 4


def test_the_header_says_what_was_built():
    header = small(cross_language=True).header
    assert (header.seed, header.choices) == (5, choices(cross_language=True))
    assert (header.selector, header.selector_fingerprint) == ("scripted", "scripted 1")
    assert (header.levels, header.fingerprint, header.files) == (["trivial", "easy"], "", {})
    assert header.counts == {
        "copies": 3,
        "units": 8,
        "languages": {"python": 8},
        "types": {"function": 8},
        "summaries": {"docstring": 7},
        "names_leaked": 7,
        "targets": 7,
        "items": {"trivial": 7, "easy": 7},
        "insufficient_distractors": {},
    }


def test_targets_with_too_few_candidates_are_counted():
    counts = small(levels=("trivial", "medium")).header.counts
    assert (counts["items"], counts["insufficient_distractors"]) == ({"trivial": 7}, {"medium": 7})


def test_summaries_by_language_models_change_nothing_but_what_is_said_of_them():
    units = make_units("get", "readAll", "c", "d", "e")
    options = BuildOptions(levels="trivial", mask_names=False)
    drafted = build_benchmark(units, [], ScriptedSelector(np.eye(5)), options, {"copies": 3}, source="llm")
    assert drafted.header.counts["targets"] == 5
    get, read = units[0].id, units[1].id
    texts = [
        Summary(read, "m2", "It must readAll of it."),
        Summary(read, "m1", "To read all of it."),
        Summary(get, "m2", "To get something."),
    ]
    missing = {"m2": {}, "m1": {get: "refusal", "c": "parse"}, "m0": {read: "timeout"}}
    built = with_summaries(drafted, texts, missing)
    assert built.summaries == [texts[2], texts[1], texts[0]]
    assert built.sources == ["m0", "m1", "m2"]
    assert built.sets is drafted.sets
    assert built.header.counts == drafted.header.counts | {
        "summaries": {"m1": 1, "m2": 2},
        "names_leaked": 2,
        "names_leaked_by": {"m0": [], "m1": [], "m2": [get, read]},
        "names_leaked_ordinary": {"m0": 0, "m1": 0, "m2": 1},
        "summaries_missing": {
            "m0": {read: "timeout"},
            "m1": dict(sorted({get: "refusal", "c": "parse"}.items())),
            "m2": {},
        },
    }
    for by_model in ("summaries_missing", "names_leaked_by"):
        assert list(built.header.counts[by_model]) == ["m0", "m1", "m2"]
    assert (built.by_models, built.summary_missing("m0")) == (True, {read: "timeout"})


def test_no_question_at_all_is_an_error():
    with pytest.raises(InputError, match="8 units, 7 with a summary, 7 targets, and too few candidates"):
        small(levels=("very_hard",))
    unit = make_unit("a")
    with pytest.raises(InputError, match="1 units, 0 with a summary, 0 targets"):
        build_benchmark([unit], [], ScriptedSelector(np.eye(1)), BuildOptions(), {})


def test_twice_the_same_is_the_same_bytes(package, bench, tmp_path):
    same = BuildOptions(targets=60, levels=LEVELS, mask_names=False)
    building.freeze(building.draft([package], same), tmp_path / "again")
    assert digests(tmp_path / "again") == digests(bench)
    building.freeze(building.draft([package], replace(same, seed=43)), tmp_path / "other")
    other, same = digests(tmp_path / "other"), digests(bench)
    assert {name for name in FILES if other[name] != same[name]} == {"benchmark.json", "sets.parquet"}


def test_an_embedder_can_select(package, tmp_path):
    benchmark = building.draft([package], BuildOptions(targets=5), selector="hashing")
    assert benchmark.header.selector == "hashing"
    frozen = building.freeze(benchmark, tmp_path / "deep" / "bench")
    assert read_benchmark(tmp_path / "deep" / "bench").header == frozen.header
    assert (tmp_path / "deep" / "bench").stat().st_mode & 0o777 == 0o755


def hard_set(target, *strategies):
    places = tuple(range(100, 100 + len(strategies)))
    return DistractorSet(target, "hard", places, strategies, (0.5,) * len(strategies))


def test_a_strategy_starves_below_half_of_what_its_level_asks_for():
    # Hard asks for five semantic, three of the same file and one by signature: ten, six and two here.
    sets = [
        hard_set(0, *["semantic"] * 5, "same_file", *["nearest"] * 2, "signature"),
        hard_set(1, *["same_file"] * 1, "signature", *["nearest"] * 6, "same_type"),
    ]
    (short,) = starved(sets, levels_named(["hard"]))
    filled = {"nearest": 8, "same_type": 1}
    assert short == {
        "level": "hard", "strategy": "same_file", "wanted": 6, "found": 2, "filled_by": filled
    }  # fmt: skip


def test_a_benchmark_warns_of_what_starved():
    assert warnings(small().header) == []
    # All similarities are 0: nothing lies in the band.
    units = make_units(*(f"f{i}" for i in range(12)))
    texts = [Summary(unit.id, "docstring", f"text about {unit.name}") for unit in units]
    options = BuildOptions(levels="easy,hard_absolute")
    banded = build_benchmark(units, texts, ScriptedSelector(np.eye(12)), options, {})
    assert warnings(banded.header) == [
        "hard_absolute lacks distractors from the target's neighbours: 0 of 60 were found; in their place it "
        "has 60 nearest to the target. To change that, take ranks instead of similarities, with --levels "
        "hard, or leave the level out, with --levels easy"
    ]

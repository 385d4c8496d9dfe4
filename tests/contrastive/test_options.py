"""What a benchmark is to be: levels of one's own, and which units are asked about."""

import shlex
from dataclasses import fields, replace

import pytest

from contrastive.fakes import make_unit
from tellapart.contrastive import building, running
from tellapart.contrastive.benchmark import read_benchmark
from tellapart.contrastive.build_options import BuildOptions, UnitFilter
from tellapart.contrastive.page import document, load
from tellapart.contrastive.selection.levels import LEVELS, level_called, levels_named, written
from tellapart.contrastive.targets import pick_targets
from tellapart.contrastive.unit_list import list_units
from tellapart.errors import InputError, UsageError

ADVERSARIAL = LEVELS[-1]


def test_a_level_with_another_number_of_distractors_is_called_so():
    (level,) = levels_named(["adversarial:9"])
    assert level == replace(ADVERSARIAL, name="adversarial:9", count=9)
    # Seven tenths of nine are 6.3, rounded up; the rest is two.
    assert level.quotas() == [("semantic", 7), ("partial", 2)]


def test_a_level_of_ones_own_has_what_each_strategy_is_to_give():
    (level,) = levels_named(["near=semantic@2-30:14+same_file:5"])
    assert (level.name, level.count, level.window) == ("near", 19, (2, 30))
    assert level.quotas() == [("semantic", 14), ("same_file", 5)]
    assert written(level) == "near=semantic@2-30:14+same_file:5"
    assert levels_named([written(level)]) == (level,)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("adversrial:9", "Did you mean 'adversarial'"),
        ("hard:0", "from 1 to 99"),
        ("hard:", "no distractors"),
        ("hard:100", "from 1 to 99"),
        ("a=semantc:4", "Did you mean 'semantic'"),
        ("a=semantic", "no part of a level"),
        ("a=semantic@30-1:4", "semantic@1-30:9"),
        ("a=random@1-30:4", "Only semantic has ranks"),
        ("a=random:4+random:5", "'random' twice"),
        ("a=random:60+same_file:60", "120 distractors"),
        ("hard=random:4", "cannot be called 'hard'"),
        ("phase1=random:4", "cannot be called 'phase1'"),
        ("A=random:4", "cannot be called 'A'"),
    ],
)
def test_a_level_that_cannot_be_is_refused(name, told):
    with pytest.raises(UsageError) as refused:
        levels_named([name])
    assert told in str(refused.value)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"types": "functions"}, "Did you mean 'function'"),
        ({"languages": "pyton"}, "Did you mean 'python'"),
        ({"min_lines": 9, "max_lines": 8}, "at least 9 and at most 8 lines"),
    ],
)
def test_units_that_there_cannot_be_are_refused(options, told):
    with pytest.raises(UsageError, match=told):
        BuildOptions(**options)


CHANGED = {
    "targets": 7,
    "levels": "easy",
    "types": "function",
    "languages": "python",
    "min_lines": 6,
    "max_lines": 60,
    "sampling": "random",
    "cross_language": True,
    "mask_names": True,
    "seed": 1,
}


def test_every_option_is_in_the_header(package):
    assert set(CHANGED) == {field.name for field in fields(BuildOptions)}
    plain = BuildOptions(targets=8, levels="trivial,easy")
    without = building.draft([package], plain).header
    for name, value in CHANGED.items():
        assert building.draft([package], replace(plain, **{name: value})).header != without, name


@pytest.mark.parametrize(
    ("options", "others"),
    [
        ({"levels": "trivial,easy"}, {"candidates": "all"}),
        ({**CHANGED, "levels": "easy:3,near=semantic@1-5:3+random:1"}, {"selector": "lsa"}),
    ],
)
def test_the_command_of_the_report_builds_the_same_benchmark(tellapart, package, tmp_path, options, others):
    first, again, run = tmp_path / "first", tmp_path / "again", tmp_path / "run"
    frozen = building.build([package], BuildOptions(**{"targets": 8, **options}), first, **others)
    page = document(load(running.run(first, ["bm25"], out=run)))
    words = [{"REPO": package, "BENCH": again}.get(word, word) for word in shlex.split(page.commands[0])]
    assert tellapart(*words[1:]).code == 0
    assert read_benchmark(again).header.fingerprint == frozen.header.fingerprint


def test_a_frozen_benchmark_knows_its_own_levels(package, tmp_path):
    options = BuildOptions(targets=8, levels="easy:3,near=semantic@1-5:3+random:1")
    frozen = building.freeze(building.draft([package], options), tmp_path / "bench")
    header = read_benchmark(tmp_path / "bench").header
    assert header == frozen.header
    assert (header.levels, header.choices.own_levels) == (
        ["easy:3", "near"],
        {"near": "semantic@1-5:3+random:1"},
    )
    assert tuple(level_called(name, header.choices.own_levels) for name in header.levels) == options.levels
    with pytest.raises(UsageError, match="there is no level 'far'"):
        level_called("far", header.choices.own_levels)
    strategies = frozen.sets.filter(level="near")["strategies"].to_list()
    assert strategies == [["semantic"] * 3 + ["random"]] * 8


def test_only_units_of_the_wanted_sort_are_targets_or_candidates(package, polyglot):
    only = {"types": "function", "languages": "python", "min_lines": 5, "max_lines": 8}
    header = building.draft([package, polyglot], BuildOptions(levels="trivial", **only)).header
    assert header.counts["types"] == {"function": header.counts["units"]}
    assert header.counts["languages"] == {"python": header.counts["units"]}
    skipped = header.counts["skipped"]
    assert (skipped["other language"], skipped["other type"]) == (6, 5)
    listed = list_units([package, polyglot], which=UnitFilter(**only))
    assert len(listed.units) >= header.counts["units"] > 0
    assert {(unit.type, unit.language) for unit in listed.units} == {("function", "python")}
    with pytest.raises(InputError, match="There are: 6 javascript function, 6 python function"):
        building.draft([polyglot], BuildOptions(types="class"))


def test_targets_are_drawn_at_random_or_from_as_many_files_as_possible():
    sizes = {"a.py": 20, "b.py": 3, "c.py": 1}
    units = [make_unit(f"f{i}", 1 + 10 * i, path=path) for path, n in sizes.items() for i in range(n)]

    def files(count, sampling, seed=1):
        paths = [units[i].path for i in pick_targets(units, range(24), count, seed, sampling)]
        return [paths.count(path) for path in sizes]

    assert files(3, "files") == [1, 1, 1]
    assert files(8, "files") == [4, 3, 1]
    assert files(24, "random") == [20, 3, 1]
    # Of 12 draws from 24 units, 20 of them of the first file, ten are from it on average.
    drawn = [files(12, "random", seed)[0] for seed in range(200)]
    assert sum(drawn) / 200 == pytest.approx(10, abs=0.25)
    assert files(12, "random") == files(12, "random")


def test_models_that_are_no_list_of_names_are_refused(tmp_path):
    for models in (5, "bm25"):
        with pytest.raises(UsageError, match=r"models is .*, expected a list of names"):
            running.run(tmp_path, models=models)

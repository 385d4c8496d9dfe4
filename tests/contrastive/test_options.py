"""What a benchmark is to be: levels of one's own, and which units are asked about."""

import shlex
from dataclasses import replace

import pytest

from tellapart.contrastive import building, running
from tellapart.contrastive.benchmark import read_benchmark
from tellapart.contrastive.build_options import BuildOptions
from tellapart.contrastive.page import document, load
from tellapart.contrastive.selection.levels import LEVELS, levels_named
from tellapart.errors import InputError, UsageError

ADVERSARIAL = LEVELS[-1]


def test_a_level_with_another_number_of_distractors_is_called_so():
    (level,) = levels_named(["adversarial:9"])
    assert level == replace(ADVERSARIAL, name="adversarial:9", count=9)
    # Eight tenths of nine are 7.2, rounded up; the rest is one.
    assert level.quotas() == [("semantic", 8), ("partial", 1)]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("adversrial:9", "Did you mean 'adversarial'"),
        ("hard:0", "from 1 to 99"),
        ("hard:", "no distractors"),
        ("hard:100", "from 1 to 99"),
    ],
)
def test_a_level_that_cannot_be_is_refused(name, told):
    with pytest.raises(UsageError) as refused:
        levels_named([name])
    assert told in str(refused.value)


CHANGED = {"targets": 7, "levels": "easy", "languages": "python", "cross_language": True}
CHANGED |= {"mask_names": False, "seed": 1}


@pytest.mark.parametrize(
    ("options", "others"),
    [
        ({"levels": "trivial,easy"}, {"candidates": "all"}),
        ({**CHANGED, "levels": "easy:3,hard_absolute"}, {"selector": "lsa"}),
    ],
)
def test_the_command_of_the_report_builds_the_same_benchmark(tellapart, package, tmp_path, options, others):
    first, again, run = tmp_path / "first", tmp_path / "again", tmp_path / "run"
    frozen = building.build([package], BuildOptions(**{"targets": 8, **options}), first, **others)
    page = document(load(running.run(first, ["bm25"], out=run)))
    words = [{"REPO": package, "BENCH": again}.get(word, word) for word in shlex.split(page.commands[0])]
    assert tellapart(*words[1:]).code == 0
    assert read_benchmark(again).header.fingerprint == frozen.header.fingerprint


def test_only_units_of_the_wanted_language_are_targets_or_candidates(package, polyglot):
    header = building.draft([package, polyglot], BuildOptions(levels="trivial", languages="python")).header
    assert header.counts["languages"] == {"python": header.counts["units"]}
    assert header.counts["skipped"]["other language"] == 6
    with pytest.raises(InputError, match="There are: 6 javascript, 6 python"):
        building.draft([polyglot], BuildOptions(languages="go"))

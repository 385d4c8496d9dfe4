"""Marks of suspects, and benchmarks and reports without what they exclude."""

import json

import pytest

from tellapart.contrastive import run as suite
from tellapart.contrastive.build_options import BuildOptions
from tellapart.contrastive.marks import read_exclusions
from tellapart.core.fingerprint import sha256
from tellapart.errors import InputError


@pytest.fixture
def marks(tmp_path):
    """Write a file of marks: rows of target, distractor and mark."""

    def write(*rows, benchmark="a|1|2", name="marks.json"):
        path = tmp_path / name
        listed = [dict(zip(("target", "distractor", "mark"), row, strict=True)) for row in rows]
        path.write_text(json.dumps({"schema_version": 1, "benchmark": benchmark, "marks": listed}))
        return path

    return write


def rows(benchmark):
    return {row["item"]: row for row in benchmark.sets.iter_rows(named=True)}


def test_a_revision_replaces_marked_distractors_and_leaves_every_other_item_as_it_was(
    package, draft, marks, tmp_path
):
    before = rows(draft)
    hard = [row for row in before.values() if row["level"] == "hard"]
    (first, second, third) = hard[0], hard[7], hard[20]
    path = marks(
        (first["target"], first["distractors"][0], "second right answer"),
        (second["target"], second["distractors"][3], "sound"),
        (third["target"], None, "broken item"),
    )
    built = suite.build([package], BuildOptions(targets=60), tmp_path / "revised", revise=[path])
    after, barred = rows(built), first["distractors"][0]
    changed = {item for item, row in before.items() if after.get(item) != row}
    with_barred = {
        row["item"]
        for row in before.values()
        if row["target"] == first["target"] and barred in row["distractors"]
    }
    assert changed == with_barred | {item for item, row in before.items() if row["target"] == third["target"]}
    for item in with_barred:
        assert barred not in after[item]["distractors"]
        assert len(after[item]["distractors"]) == len(before[item]["distractors"])
    assert built.header.counts["revised"] == {
        "marks": [sha256(path.read_bytes())],
        "benchmarks": ["a|1|2"],
        "excluded_distractors": 1,
        "excluded_targets": 1,
    }
    assert "left out as marked: 1 distractors of a target, 1 targets" in built.header.description()


def test_marks_revise_a_benchmark_with_masked_names(package, marks, tmp_path):
    masked = BuildOptions(targets=60, mask_names=True)
    before = rows(suite.draft([package], masked))
    row = next(one for one in before.values() if one["level"] == "hard")
    path = marks((row["target"], row["distractors"][0], "second right answer"))
    after = rows(suite.build([package], masked, tmp_path / "revised", revise=[path]))
    assert after.keys() == before.keys()
    changed = {item for item, one in before.items() if after[item] != one}
    assert row["item"] in changed
    assert {before[item]["target"] for item in changed} == {row["target"]}
    assert all(row["distractors"][0] not in after[item]["distractors"] for item in changed)


def test_marks_of_code_that_is_not_there_are_refused(draft, package, marks, tmp_path):
    row = draft.sets.row(0, named=True)
    elsewhere = row["distractors"][0].rpartition("#")[0] + "#00000000"
    path = marks((row["target"], elsewhere, "second right answer"))
    with pytest.raises(InputError) as refused:
        suite.build([package], BuildOptions(), tmp_path / "revised", revise=[path])
    said = str(refused.value)
    assert "1 of 2 marked units" in said
    assert "whose code has changed" in said
    assert "benchmark a|1|2" in said


def test_what_is_wrong_with_a_file_of_marks_is_named(marks):
    with pytest.raises(InputError, match="'fine'"):
        read_exclusions([marks(("t", "d", "fine"))])
    with pytest.raises(InputError, match="names no distractor"):
        read_exclusions([marks(("t", None, "second right answer"))])
    twice = [marks(("t", "d", "sound")), marks(("t", "d", "second right answer"), name="other.json")]
    with pytest.raises(InputError, match="'second right answer', and 'sound' in .*marks.json"):
        read_exclusions(twice)

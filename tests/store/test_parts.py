import json

import polars as pl
import pytest

from tellapart.core.score_notes import ScoreNotes
from tellapart.errors import FingerprintError, InputError
from tellapart.files import sha256_of
from tellapart.store import read_frame, read_notes, write_frame
from tellapart.store.tables import MANIFEST, Manifest, ResultPart, is_parted

NOTES = ScoreNotes(by="tier", cautions=("beware",))
FIRST, SECOND = "part-00000-bbbbbbbb.parquet", "part-00001-aaaaaaaa.parquet"


def frame(*items):
    return pl.DataFrame({"model": ["m"] * len(items), "item": items, "score": [1.0] * len(items)})


def write_manifest(folder, frames, **changes):
    parts = [
        ResultPart(name=name, rows=one.height, sha256=sha256_of(folder / name))
        for name, one in frames.items()
    ]
    rows = sum(one.height for one in frames.values())
    manifest = Manifest(rows=rows, parts=parts, inputs=[], notes=NOTES).model_dump(mode="json")
    (folder / MANIFEST).write_text(json.dumps(manifest | changes))


@pytest.fixture
def folder(tmp_path):
    """Give scores in two files, whose order is not that of their items."""
    path = tmp_path / "a.scores.parquet"
    frames = {FIRST: frame("z", "y"), SECOND: frame("b")}
    for name, one in frames.items():
        write_frame(path / name, one)
    write_manifest(path, frames)
    return path


def refused(folder, match, error=InputError):
    with pytest.raises(error, match=match):
        read_frame(folder)


def test_parts_are_one_frame_in_the_order_of_the_manifest(folder):
    assert is_parted(folder)
    assert read_frame(folder).equals(frame("z", "y", "b"))
    assert read_frame(folder, ["item"])["item"].to_list() == ["z", "y", "b"]
    assert read_notes(folder) == NOTES
    write_manifest(folder, {SECOND: frame("b"), FIRST: frame("z", "y")})
    assert read_frame(folder)["item"].to_list() == ["b", "z", "y"]


def test_other_files_do_not_count(folder):
    write_frame(folder / "part-00002-cccccccc.parquet", frame("other"))
    (folder / "_SUCCESS").write_text("")
    assert read_frame(folder)["item"].to_list() == ["z", "y", "b"]


def test_a_missing_part_is_named(folder):
    (folder / SECOND).unlink()
    refused(folder, rf"a\.scores\.parquet/{SECOND}: this part of the scores is missing")


def test_a_changed_part_is_named(folder):
    write_frame(folder / SECOND, frame("c"))
    refused(folder, rf"{SECOND}: this part of the scores has changed: its SHA-256", FingerprintError)


def test_rows_are_counted(folder):
    write_manifest(folder, {FIRST: frame("z", "y"), SECOND: frame("b", "c")})
    refused(folder, f"{SECOND}: this part has 1 rows, expected 2")
    write_manifest(folder, {FIRST: frame("z", "y"), SECOND: frame("b")}, rows=4)
    refused(folder, f"{MANIFEST}: the 2 files have 3 rows together, expected 4")


def test_parts_of_other_columns_are_named(folder):
    other = frame("b").with_columns(more=1)
    write_frame(folder / SECOND, other)
    write_manifest(folder, {FIRST: frame("z", "y"), SECOND: other})
    refused(folder, f"{SECOND}: this part has other columns")


def test_without_a_manifest_scores_are_not_complete(folder):
    (folder / MANIFEST).unlink()
    assert is_parted(folder)
    refused(folder, r"a\.scores\.parquet: these scores are not complete")
    with pytest.raises(InputError, match="not complete"):
        read_notes(folder)


def test_a_damaged_manifest_is_named(folder):
    text = (folder / MANIFEST).read_text()
    (folder / MANIFEST).write_text(text[: len(text) // 2])
    refused(folder, f"a.scores.parquet/{MANIFEST}")
    write_manifest(folder, {}, parts=[])
    refused(folder, "at least one file")


@pytest.mark.parametrize("name", ["../part.parquet", "/etc/part.parquet", "a\\b", "..", ".", ""])
def test_a_manifest_does_not_lead_out_of_its_folder(folder, name):
    write_manifest(folder, {}, rows=1, parts=[{"name": name, "rows": 1, "sha256": "0" * 64}])
    refused(folder, f"{MANIFEST}: .*name")


def test_other_folders_are_no_scores_in_parts(tmp_path):
    (tmp_path / MANIFEST).write_text("{}")
    write_frame(tmp_path / FIRST, frame("a"))
    spark = tmp_path / "spark.parquet"
    write_frame(spark / "part-00000-1b4e28ba-2fa1-11d2-883f-0016d3cca427-c000.snappy.parquet", frame("a"))
    assert not is_parted(tmp_path) and not is_parted(spark) and not is_parted(spark / "nothing.parquet")

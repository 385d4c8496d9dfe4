import hashlib
import json
import shutil
from dataclasses import replace

import pytest

from tellapart.bundles.capsule import CapsuleRequest, checkpoint_record, make_capsule, verify_capsule
from tellapart.bundles.run import score
from tellapart.bundles.versions import freeze
from tellapart.errors import InputError, Refused, UsageError

ROWS = [
    {"bundle_id": f"b{i}", "anchor": f"red {i}", "positive": f"red fox {i}", "negatives": ["whale", "red"]}
    for i in range(12)
]


@pytest.fixture
def release(tmp_path):
    """A frozen eval, a scoreboard with its scores, and a checkpoint of two files."""
    eval_path = tmp_path / "in" / "eval.jsonl"
    eval_path.parent.mkdir()
    eval_path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    freeze(eval_path, "v1", date="2026-11-24")
    board = tmp_path / "in" / "m.json"
    score(eval_path, board, model="hashing")
    checkpoint = tmp_path / "in" / "model"
    (checkpoint / "nested").mkdir(parents=True)
    (checkpoint / "weights.bin").write_bytes(b"weights")
    (checkpoint / "nested" / "config.json").write_bytes(b"{}")
    return CapsuleRequest(tmp_path / "capsule", (eval_path,), (board,), checkpoint)


def test_a_capsule_is_whole_wherever_it_is(release, tmp_path):
    manifest = make_capsule(release)
    assert [(file.path, file.role) for file in manifest.files] == [
        ("checkpoint/model/nested/config.json", "checkpoint"),
        ("checkpoint/model/weights.bin", "checkpoint"),
        ("evals/eval.jsonl", "eval"),
        ("evals/eval.jsonl.version.json", "version"),
        ("scoreboards/m.json", "scoreboard"),
        ("scoreboards/m.scores.parquet", "scores"),
    ]
    for file in manifest.files:
        assert file.sha256 == hashlib.sha256((release.out / file.path).read_bytes()).hexdigest()
    (board,) = manifest.scoreboards
    assert (board.model, board.eval) == ("hashing", "evals/eval.jsonl")
    moved = tmp_path / "elsewhere" / "renamed"
    moved.parent.mkdir()
    shutil.move(release.out, moved)
    shutil.rmtree(tmp_path / "in")
    found = verify_capsule(moved)
    assert (found.intact, found.checked, found.fingerprint) == (True, 6, manifest.fingerprint)


def test_equal_files_make_equal_manifests(release, tmp_path):
    first = make_capsule(release)
    text = (release.out / "capsule.json").read_bytes()
    shutil.rmtree(release.out)
    assert make_capsule(release) == first
    assert (release.out / "capsule.json").read_bytes() == text
    assert str(tmp_path) not in text.decode()


def test_the_hash_of_a_directory_is_that_of_its_list_of_hashes(release):
    config, weights = (hashlib.sha256(data).hexdigest() for data in (b"{}", b"weights"))
    listed = f'{{"nested/config.json":"{config}","weights.bin":"{weights}"}}'
    found = checkpoint_record(release.checkpoint)
    assert found.sha256 == hashlib.sha256(listed.encode()).hexdigest()
    assert (found.files, found.bytes) == (2, 9)
    # One file that moved is another tree.
    (release.checkpoint / "weights.bin").rename(release.checkpoint / "nested" / "weights.bin")
    assert checkpoint_record(release.checkpoint).sha256 != found.sha256
    alone = checkpoint_record(release.checkpoint / "nested" / "weights.bin")
    assert (alone.sha256, alone.files) == (weights, 1)


def test_a_recorded_scoreboard_is_held_to_its_fingerprint(release):
    source = hashlib.sha256(release.evals[0].read_bytes()).hexdigest()[:16]
    recorded = release.evals[0].parent / "recorded.json"
    request = replace(release, scoreboards=(*release.scoreboards, recorded))
    run = {"condition": "c", "seed": 1, "overall": {"n": 12, "correct": 6, "accuracy": 0.5}, "by_tier": {}}
    for fingerprint, eval_path in ((f"{source}|42|12", "evals/eval.jsonl"), ("a" * 16 + "|42|12", None)):
        header = {"fingerprint": fingerprint, "eval_path": "other.jsonl", "n": 12}
        recorded.write_text(json.dumps({"eval_header": header, "capsules": [run]}))
        if eval_path is None:
            with pytest.raises(Refused, match=r"EVAL_FINGERPRINT: a+\|42\|12, and no --eval has its bytes"):
                make_capsule(request)
        else:
            boards = {board.path: board.eval for board in make_capsule(request).scoreboards}
            assert boards["scoreboards/recorded.json"] == eval_path
            shutil.rmtree(release.out)


def test_every_difference_is_listed(tellapart, release):
    make_capsule(release)
    (release.out / "evals" / "eval.jsonl").unlink()
    (release.out / "checkpoint" / "model" / "weights.bin").write_bytes(b"heights")
    (release.out / "notes.txt").write_text("new")
    ended = tellapart("bundles", "verify", release.out)
    assert ended.code == 1
    assert ended.out.startswith("Not what was recorded: 1 missing, 1 changed and 1 added; 5 hashes compared.")
    for line in ("missing: evals/eval.jsonl", "changed: checkpoint/model/weights.bin", "added: notes.txt"):
        assert line in ended.out
    record = json.loads(tellapart("bundles", "verify", release.out, "--json").out)
    (changed,) = record["changed"]
    assert changed["found"] == hashlib.sha256(b"heights").hexdigest()
    assert (record["intact"], record["missing"], record["added"]) == (
        False,
        ["evals/eval.jsonl"],
        ["notes.txt"],
    )


def test_a_checkpoint_may_stay_where_it_is(tellapart, release):
    words = [
        "--eval",
        *release.evals,
        "--scoreboard",
        *release.scoreboards,
        "--checkpoint",
        release.checkpoint,
    ]
    made = tellapart("bundles", "capsule", release.out, *words, "--hash-checkpoint")
    assert (made.code, "checkpoint model, not copied" in made.out) == (0, True)
    assert not (release.out / "checkpoint").exists()
    alone = tellapart("bundles", "verify", release.out)
    assert (alone.code, "Not compared: the checkpoint 'model'" in alone.out) == (0, True)
    assert tellapart("bundles", "verify", release.out, "--checkpoint", release.checkpoint).code == 0
    (release.checkpoint / "extra").write_text("")
    assert tellapart("bundles", "verify", release.out, "--checkpoint", release.checkpoint).code == 1


def test_nothing_is_left_of_a_capsule_that_cannot_be_made(release, tmp_path):
    other = tmp_path / "other.jsonl"
    other.write_text(json.dumps(ROWS[0]) + "\n")
    link = release.checkpoint / "link"
    link.symlink_to(tmp_path)
    for change, error, message in (
        ({"evals": (other,)}, Refused, "no --eval has its bytes.*bundles score other.jsonl"),
        ({}, InputError, "a link to a directory"),
        ({"checkpoint": tmp_path / "gone"}, InputError, "no such file or directory"),
        ({"scoreboards": ()}, UsageError, "give --eval and --scoreboard"),
        (
            {"settings": (other, tmp_path / "in" / ".." / "other.jsonl"), "checkpoint": None},
            UsageError,
            "both be",
        ),
    ):
        request = CapsuleRequest(**vars(release) | change)
        with pytest.raises(error, match=message):
            make_capsule(request)
    assert not [path for path in tmp_path.iterdir() if "capsule" in path.name]
    link.unlink()
    make_capsule(release)
    with pytest.raises(UsageError, match="already in use"):
        make_capsule(release)


def test_a_manifest_that_was_edited_is_no_manifest(release):
    make_capsule(release)
    path = release.out / "capsule.json"
    manifest = json.loads(path.read_text())
    new = hashlib.sha256(b"new").hexdigest()
    (release.out / "checkpoint" / "model" / "weights.bin").write_bytes(b"new")
    manifest["files"][1]["sha256"] = new
    path.write_text(json.dumps(manifest))
    with pytest.raises(Refused, match="changed after it was written"):
        verify_capsule(release.out)
    path.write_text(json.dumps(manifest) + "x")
    with pytest.raises(Refused, match="changed or damaged after it was written"):
        verify_capsule(release.out)
    manifest["files"][1]["path"] = "../outside"
    path.write_text(json.dumps(manifest))
    with pytest.raises(InputError, match="leads out of the capsule"):
        verify_capsule(release.out)
    path.unlink()
    with pytest.raises(InputError, match="no capsule here.*tellapart bundles capsule OUT"):
        verify_capsule(release.out)

"""Whatever is wrong with the input: one clear sentence, the right exit code, and nothing left half done."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

GOOD = '''
def first(rows, limit=3):
    """Give the first rows of the table up to the limit."""
    kept = []
    for row in rows[:limit]:
        kept.append(row)
    return kept
'''


def refused(outcome, *parts, code=2):
    """One paragraph on stderr with every part in it, nothing on stdout, and no traceback."""
    assert outcome.code == code, outcome.err
    assert outcome.out == ""
    message = outcome.err[outcome.err.index("error: ") :]
    assert "Traceback" not in outcome.err
    assert len(message.strip().splitlines()) == 1
    for part in parts:
        assert str(part) in message


def build(tellapart, repository, out, *more):
    return tellapart("contrastive", "build", repository, "--out", out, *more)


WITHOUT_DOCSTRING = GOOD.replace('"""Give the first rows of the table up to the limit."""', "pass")


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (None, ["no such directory"]),
        ({}, ["no function, method or class of 5 to 500 lines"]),
        (
            {"f.py": WITHOUT_DOCSTRING},
            ["none of the 1 units has a docstring", "--template summaries.jsonl", "jsonl:summaries.jsonl"],
        ),
        ({"f.py": GOOD}, ["no question could be built", "1 targets", "larger repository"]),
    ],
)
def test_what_no_benchmark_can_be_built_from(tellapart, tmp_path, files, words):
    repository = tmp_path / "r"
    if files is not None:
        repository.mkdir()
        for name, text in files.items():
            (repository / name).write_text(text)
    refused(build(tellapart, repository, tmp_path / "b"), *words)
    assert not (tmp_path / "b").exists()


def test_unusable_files_are_counted_and_named_but_not_fatal(tellapart, tmp_path, repository):
    root = tmp_path / "r"
    root.mkdir()
    for file in repository.glob("*.py"):
        (root / file.name).write_bytes(file.read_bytes())
    (root / "binary.py").write_bytes(b"\x7fELF\x00\x01" * 100)
    (root / "latin.py").write_bytes(b"# caf\xe9\n" + GOOD.encode())
    with (root / "line.py").open("wb") as file:
        file.write(b"x = '" + b"a" * 50_000_000 + b"'\n")
    (root / "loop").symlink_to(root)
    (root / "broken.py").symlink_to(root / "nowhere")
    made = build(tellapart, root, tmp_path / "b", "--targets", 5, "--levels", "trivial", "--json")
    assert made.code == 0, made.err
    skipped = json.loads(made.out)["counts"]["skipped"]
    assert (skipped["binary"], skipped["undecodable"], skipped["too large"]) == (1, 1, 1)
    assert skipped["symlink"] == 2


def test_a_directory_without_permission(tmp_path, repository, tellapart, monkeypatch):
    root = tmp_path / "r"
    (root / "closed").mkdir(parents=True)
    for file in repository.glob("*.py"):
        (root / file.name).write_bytes(file.read_bytes())
    (root / "closed").chmod(0)
    if os.geteuid() == 0:  # Root may read everything, so the kernel's answer is given for it.
        scandir = os.scandir

        def refuse(path="."):
            if Path(os.fsdecode(path)).name == "closed":
                raise PermissionError(13, "Permission denied", path)
            return scandir(path)

        monkeypatch.setattr(os, "scandir", refuse)
    made = build(tellapart, root, tmp_path / "b", "--targets", 5, "--levels", "trivial", "--json")
    assert made.code == 0, made.err
    assert json.loads(made.out)["counts"]["skipped"]["unreadable"] == 1


def test_nothing_is_overwritten(tellapart, tiny_bench, repository, tmp_path):
    refused(build(tellapart, repository, tiny_bench), tiny_bench, "already in use", "another --out")
    run = ["contrastive", "run", tiny_bench, "--out", tmp_path / "r", "--model", "bm25"]
    assert tellapart(*run).code == 0
    again = tellapart(*run)
    assert again.code == 0 and f"this was answered before, see {tmp_path / 'r'}" in again.err
    refused(
        tellapart(*run, "--model", "tfidf"),
        "another run exists already, with models: there ['bm25'], requested ['bm25', 'tfidf']",
        "Choose another directory",
    )


SLOW_MODEL = """
import sys, time
from tellapart.embed.models.hashing import HashingEmbedder
whole = HashingEmbedder.encode
def slow(self, texts, *, kind="document"):
    print("encoding", file=sys.stderr, flush=True)
    time.sleep(60)
    return whole(self, texts, kind=kind)
HashingEmbedder.encode = slow
from tellapart.cli.main import main
sys.argv = ["tellapart", *sys.argv[1:]]
main()
"""


def test_interrupted_half_way_and_resumed(tellapart, tiny_bench, tmp_path):
    out = tmp_path / "r"
    command = ["contrastive", "run", tiny_bench, "--model", "bm25", "--model", "hashing", "--out", out]
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW_MODEL, *command], stderr=subprocess.PIPE, text=True
    )
    with process:
        while "encoding" not in process.stderr.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
    assert process.returncode == 130
    assert said == (
        "interrupted: what was complete is kept; the same command continues a run directory that it has "
        "begun\n"
    )
    resumed = tellapart(*command)
    assert resumed.code == 0
    assert "bm25 answers" not in resumed.err
    assert "hashing answers" in resumed.err
    undisturbed = tellapart(*command[:-1], tmp_path / "undisturbed")
    assert undisturbed.code == 0
    for file in ("scores.parquet", "items.parquet"):
        assert (out / file).read_bytes() == (tmp_path / "undisturbed" / file).read_bytes()


@pytest.fixture
def tiny_disk(tmp_path):
    """A file system of 64 KiB."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", place], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("mounting a small file system needs root")
    yield place
    subprocess.run(["umount", place], check=True)


def test_a_full_disk(tellapart, tiny_bench, repository, tiny_disk):
    (tiny_disk / "ballast").write_bytes(b"x" * 60_000)
    refused(
        build(tellapart, repository, tiny_disk / "b", "--targets", 5, "--levels", "trivial"),
        "the disk is full",
    )
    assert [path.name for path in tiny_disk.iterdir()] == ["ballast"]
    command = ["contrastive", "run", tiny_bench, "--model", "bm25", "--out", tiny_disk / "r"]
    refused(tellapart(*command), tiny_disk, "the disk is full", "run the same command again")
    subprocess.run(["mount", "-o", "remount,size=8m", tiny_disk], check=True)
    resumed = tellapart(*command)
    assert resumed.code == 0, resumed.err
    assert (tiny_disk / "r" / "scores.parquet").exists()

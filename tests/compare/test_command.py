"""``tellapart compare``: its three ends, and what it leaves for CI."""

import json
import shlex
from xml.etree import ElementTree

import polars as pl
import pytest


@pytest.fixture
def scores(tmp_path):
    """Write the scores of one model on 400 questions, of which it answers so many right."""

    def write(name, right):
        path = tmp_path / f"{name}.csv"
        rows = {"model": "gpt", "item": [f"q{i:03d}" for i in range(400)]}
        pl.DataFrame({**rows, "score": [int(i < right) for i in range(400)]}).write_csv(path)
        return path

    return write


@pytest.mark.parametrize(
    ("right", "code", "word", "level"),
    [(330, 0, "Passed. ", "notice"), (250, 3, "FAILED. ", "error"), (313, 4, "Unclear. ", "error")],
)
def test_a_gate_ends_in_three_ways_and_leaves_its_results(
    tellapart, scores, tmp_path, monkeypatch, right, code, word, level
):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    text, junit = tmp_path / "summary.md", tmp_path / "gate.xml"
    words = ("compare", scores("main", 320), scores("pr", right), "--max-drop", ".02")
    done = tellapart(*words, "--markdown", text, "--junit", junit)
    assert done.code == code
    assert done.out.startswith(word)
    assert text.read_text().startswith(f"# {word}")
    (case,) = ElementTree.parse(junit).getroot()[0]
    assert case.get("name") == "gpt (pr) against gpt (main), --max-drop 0.02 on all items"
    assert f"::{level} title=tellapart::{word}" in done.err
    record = json.loads(tellapart(*words, "--json").out)
    assert record["gate"]["outcome"] == record["outcome"] == {0: "passed", 3: "failed", 4: "unclear"}[code]
    assert "on_unclear" not in record


@pytest.mark.parametrize(
    ("on_unclear", "code", "level", "element"),
    [("fail", 4, "error", "failure"), ("warn", 0, "warning", "skipped"), ("pass", 0, "notice", "system-out")],
)
def test_an_unclear_gate_ends_as_was_asked_for_and_stays_unclear(
    tellapart, scores, tmp_path, monkeypatch, on_unclear, code, level, element
):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    junit = tmp_path / "gate.xml"
    words = ("compare", scores("main", 320), scores("pr", 313), "--max-drop", ".02", "--junit", junit)
    done = tellapart(*words, "--on-unclear", on_unclear)
    assert done.code == code
    assert done.out.startswith("Unclear. ")
    assert f"::{level} title=tellapart::Unclear. " in done.err
    assert ("warning: the gate is unclear" in done.err) == (on_unclear == "warn")
    assert ElementTree.parse(junit).getroot()[0][0][0].tag == element
    written = tellapart(*words, "--on-unclear", on_unclear, "--json")
    assert (written.code, json.loads(written.out)["outcome"]) == (code, "unclear")


def test_without_a_gate_the_verdict_comes_first_and_the_exit_code_is_0(tellapart, scores):
    done = tellapart("compare", scores("main", 320), scores("pr", 250))
    assert done.code == 0
    assert done.out.startswith("gpt (pr) is worse than gpt (main) by 17.5 points (")
    assert "Items that flipped: 70 lost, 0 gained" in done.out
    assert "::" not in done.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--max-drop", "2%"), "'2%' is not a number"),
        (("--max-drop", "x"), "'x' is not a number; 2 % is written 0.02"),
        (("--max-drop=-1",), "--max-drop is -1.0, expected a number from 0 up to, but not including, 1"),
        (("--max-drop", "2"), "For 2 percentage points write --max-drop 0.02"),
        (("--primary", "kind=hard"), "there is no stratum 'kind'"),
        (("--baseline", "claude"), "the baseline is 'claude', and there is no such model"),
    ],
)
def test_misuse_ends_with_2_and_a_next_step(tellapart, scores, words, message):
    done = tellapart("compare", scores("main", 320), scores("pr", 250), *words)
    assert done.code == 2
    assert message in done.err
    assert done.out == ""


def test_each_side_may_be_several_files(tellapart, scores, tmp_path):
    def write(side, seed, right):
        (tmp_path / side).mkdir(exist_ok=True)
        return scores(name := f"{side}-{seed}", right).rename(tmp_path / side / f"{name}.csv")

    for seed in range(3):
        write("main", seed, 320 + seed)
        write("pr", seed, 250 + seed)
    # A pattern that no shell has expanded is one side, and so is a folder.
    main, pr = tmp_path / "main", tmp_path / "pr"
    for sides, name in (((main / "*.csv", pr / "*.csv"), "main/*"), ((main, pr), "main")):
        done = tellapart("compare", *sides, "--replicates", "--json")
        assert done.code == 0, done.err
        record = json.loads(done.out)
        assert record["models"][0] == f"gpt ({name})"
        assert len(record["models"]) == 2
        assert record["gate"]["n"] == 400
        # Three answers to each item: (320 + 321 + 322) / 3 of 400 right, and (250 + 251 + 252) / 3.
        assert list(record["means"].values()) == pytest.approx([321 / 400, 251 / 400])


def test_the_command_that_lists_all_flips_runs_as_it_is_printed(tellapart, scores, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    base, cand = scores("the base", 330), scores("cand", 250)
    options = shlex.split("--max-drop 0.02 --on-unclear fail --columns model,item,score=score --seed 7")
    printed = tellapart("compare", base.name, cand.name, *options, "--html", "page.html")
    command = " ".join(printed.out.split("to list all: ")[1].split())
    words = shlex.split(command)
    words = words[words.index("compare") :]
    # What it writes is left out; all else is as it was typed.
    assert words == ["compare", base.name, cand.name, *options, "--json"]
    assert len(json.loads(tellapart(*words).out)["flips"]) == 80

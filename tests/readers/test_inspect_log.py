"""The fixtures are logs of Inspect 0.3.285: three models, six samples, two epochs, three scorers.

`failed.eval` is of a run that ended at its first error; `middle.json` has samples q3 and q6 of `middle.eval`.
"""

import json
import zipfile
from functools import partial
from pathlib import Path

import pytest

from tellapart.errors import InputError
from tellapart.readers import read_scores
from tellapart.readers.forms import FORMS, recognised
from tellapart.readers.settings import ReadingSettings

(inspect_log,) = (form for form in FORMS if form.name == "Inspect log")
FIXTURES = Path(__file__).parent / "fixtures" / "inspect"
STRONG, MIDDLE, WEAK, FAILED = (FIXTURES / f"{name}.eval" for name in ("strong", "middle", "weak", "failed"))
MIDDLE_JSON = FIXTURES / "middle.json"

RIGHT, PART, WRONG, NO_ANSWER = 1.0, 0.5, 0.0, 0.0


def read(path, **choices):
    return inspect_log.read(path, ReadingSettings(**choices))


def changed(tmp_path, change):
    """The JSON log after a change to what it holds."""
    log = json.loads(MIDDLE_JSON.read_text())
    change(log)
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log))
    return path


def rescored(tmp_path, *values, reason=None, **fields):
    """The JSON log with the values of `graded`, in the order q3, q6 of epoch 1 and q3, q6 of epoch 2."""

    def change(log):
        for sample, value in zip(log["samples"], values, strict=True):
            sample["scores"] = {"graded": {"value": value, "reason": reason}}
            sample.update(fields)

    return changed(tmp_path, change)


def rezipped(tmp_path, keep=lambda name: True, source=MIDDLE_JSON, **members):
    """A log with the same header, compressed as older versions did."""
    log = json.loads(source.read_text())
    samples = log.pop("samples")
    found = {
        "header.json": log,
        "_journal/start.json": {key: log[key] for key in ("version", "eval", "plan")},
        **{f"samples/{s['id']}_epoch_{s['epoch']}.json": s for s in samples},
        **{f"_journal/summaries/{i + 9}.json": [s] for i, s in enumerate(samples)},
        "summaries.json": samples,
        **members,
    }
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in found.items():
            if keep(name):
                archive.writestr(name, json.dumps(content))
    return path


@pytest.mark.parametrize(
    "keep",
    [lambda n: True, lambda n: n != "summaries.json", lambda n: n == "header.json" or "samples/" in n],
    ids=["summaries", "journal", "samples"],
)
def test_deflated_archives_by_summary_journal_or_sample(tmp_path, keep):
    path = rezipped(tmp_path, keep)
    assert recognised(path) is inspect_log
    expected = read(MIDDLE_JSON).frame.sort("item", "replicate")
    assert read(path).frame.sort("item", "replicate").equals(expected)


def test_samples_with_one_id_and_epoch_are_replicates(tmp_path):
    """Data may have one id twice; nothing vanishes, also where an archive has one name twice."""

    def one_id(log):
        for sample in log["samples"]:
            sample["id"] = "q3"

    path = changed(tmp_path, one_id)
    header = json.loads(path.read_text())
    samples, archive = header.pop("samples"), tmp_path / "log.eval"
    with zipfile.ZipFile(archive, "w") as zipped, pytest.warns(UserWarning, match="Duplicate name"):
        zipped.writestr("header.json", json.dumps(header))
        for sample in samples:
            zipped.writestr(f"samples/q3_epoch_{sample['epoch']}.json", json.dumps(sample))
    for log in (path, archive):
        scores = read(log)
        assert scores.frame["item"].to_list() == ["facts/q3"] * 4
        assert sorted(scores.frame["replicate"].to_list()) == [0, 1, 2, 3]
        assert scores.notes[0].endswith(
            ": 1 item occurs more than once; the answers count as replicates, in the order of the file."
        )
    shown = [one.answer for one in inspect_log.texts(archive, ReadingSettings()).of("facts/q3")]
    assert sorted(shown) == sorted(sample["output"]["completion"] for sample in samples)


def test_stamps(tmp_path):
    def judged(log):
        log["eval"]["dataset"]["location"] = "org/facts"
        log["eval"]["scorers"][0]["options"] = {"model": "mockllm/judge", "template": "Is it right?"}

    stamps = read(changed(tmp_path, judged)).stamps
    assert len(stamps.pop("scorer options")) == 12
    assert stamps == {
        "task version": "0",
        "dataset": "org/facts",
        "inspect_ai": "0.3.285",
        "scorer": "graded",
        "judge": "mockllm/judge",
    }
    # Of a scorer without a judge there is none to be told.
    assert "judge" not in read(changed(tmp_path, judged), metric="includes").stamps


@pytest.mark.parametrize(
    ("value", "score"), [("C", 1), ("P", 0.5), ("N", 0), ("Yes", 1), (True, 1), ("0.25", 0.25), (7, 7)]
)
def test_values_count_as_in_inspect(tmp_path, value, score):
    assert read(rescored(tmp_path, value, value, value, value)).frame["score"].to_list() == [score] * 4


@pytest.mark.parametrize(
    ("reason", "fields", "cause"),
    [
        ("refusal", {}, "refusal"),
        ("invalid_response_format", {}, "parse"),
        ("grader_failed", {}, "judge"),
        (None, {}, "judge"),
        ("refusal", {"limit": {"type": "time", "limit": 5}}, "timeout"),
        ("refusal", {"limit": "cost"}, "budget"),
        (None, {"limit": {"type": "message", "limit": 5}}, "truncated"),
        (None, {"limit": "token", "error": {"message": "Grader model timed out"}}, "judge"),
        (None, {"error": "Connection reset by peer"}, "provider"),
    ],
)
def test_why_a_sample_is_not_scored(tmp_path, reason, fields, cause):
    path = rescored(tmp_path, float("nan"), "C", "C", "C", reason=reason, **fields)
    scores = read(path)
    assert scores.frame["missing"].to_list() == [cause, None, None, None]
    assert scores.frame["score"].to_list() == [None, 1, 1, 1]


def ours(tmp_path, label="{model}", epochs=2, **columns):
    """The JSON log as if a task of ours had written it: it says which metadata are which columns."""

    def change(log):
        log["eval"]["metadata"] = {"label": label, "score_table": {"score": "graded", **columns}}
        log["eval"]["config"]["epochs"] = epochs
        log["samples"][0]["scores"]["graded"]["value"] = 0.25
        for sample in log["samples"]:
            name, order = ("a", 0) if sample["id"] == "q3" else ("a", 1)
            sample["metadata"] = {"name": name, "order": order, "file": "x", "level": "hard", "cluster": "-"}

    return read(changed(tmp_path, change))


def test_a_log_of_our_own_says_which_metadata_are_which_columns(tmp_path):
    columns = {"item": "name", "replicate": "order", "cluster": "file", "difficulty": "level"}
    scores = ours(tmp_path, "docs | {model}", **columns)
    assert scores.notes == ()
    assert scores.limits == (0, 1)
    frame = scores.frame.sort("replicate")
    assert frame.columns[7:] == ["difficulty"]
    assert frame["model"].unique().to_list() == ["docs | mockllm/middle"]
    assert frame["item"].to_list() == ["a"] * 4
    assert frame["replicate"].to_list() == [0, 1, 2, 3]
    assert frame["score"].to_list() == [0.25, NO_ANSWER, None, WRONG]
    assert frame["cluster"].to_list() == ["x"] * 4
    assert frame["difficulty"].to_list() == ["hard"] * 4


def test_samples_that_inspect_scored_in_spite_of_an_error_count_and_are_reported(tmp_path):
    """Inspect's user chooses whether an error is wrong: here two of four, of which one is graded."""

    def change(log, chosen):
        log["eval"]["config"]["score_on_error"] = chosen
        log["samples"][0].update(error="Connection reset by peer")
        log["samples"][0]["scores"]["graded"]["value"] = "I"
        log["samples"][1].update(error="Connection reset by peer", scores={})

    for chosen, why in ((True, "score_on_error is on"), (False, "a scorer ran before the error")):
        scores = read(changed(tmp_path, partial(change, chosen=chosen)))
        assert scores.frame["score"].to_list()[:2] == [WRONG, None]
        assert scores.frame["missing"].to_list()[:2] == [None, "provider"]
        assert scores.score_notes.cautions == (
            f"1 sample of mockllm/middle ended with an error and counts as scored (mean 0): {why}.",
        )


def test_of_a_run_that_was_continued_the_latest_attempt_counts(tmp_path):
    """As ``inspect eval-retry`` leaves them: both logs in one folder, with one task id."""
    log = json.loads(MIDDLE_JSON.read_text())
    first = tmp_path / "first.json"
    first.write_text(json.dumps(log | {"status": "error", "samples": log["samples"][:3]}))
    log["eval"]["created"] = "2026-11-22T00:00:00+00:00"
    log["samples"][0]["scores"]["graded"]["value"] = "I"
    (tmp_path / "again.json").write_text(json.dumps(log | {"samples": log["samples"][:2]}))
    reading = read_scores([first, tmp_path / "again.json", STRONG])
    frame = reading.table.frame.filter(model="mockllm/middle")
    assert frame.height == 3
    assert frame.filter(item="facts/q3", replicate=0)["score"].to_list() == [WRONG]
    assert "again.json continues first.json; of each sample the latest attempt counts." in reading.notes


def test_a_part_that_unpacks_to_very_much_is_refused_before_it_is_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr("tellapart.readers.inspect_log._MOST_BYTES", 2**20)
    path = tmp_path / "bomb.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", b" " * (2**20 + 1))
    with pytest.raises(InputError, match="header.json has 1,048,577 bytes unpacked, expected at most 1,048,"):
        read(path)

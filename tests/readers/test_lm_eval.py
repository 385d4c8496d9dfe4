"""The fixtures are samples of the lm-evaluation-harness 0.4.13: two models, two tasks of six documents."""

import json
import shutil
from pathlib import Path

import pytest

from tellapart.errors import InputError
from tellapart.readers import read_scores
from tellapart.readers.forms import FORMS
from tellapart.readers.settings import ReadingSettings

(lm_eval,) = (form for form in FORMS if form.name == "lm-evaluation-harness samples")
FIXTURES = Path(__file__).parent / "fixtures" / "lm_eval"


def samples(task, model="weak"):
    (path,) = (FIXTURES / f"org__{model}").glob(f"samples_{task}_*.jsonl")
    return path


OPEN, CHOICE = samples("facts_open"), samples("facts_choice")
(RESULTS,) = (FIXTURES / "org__weak").glob("results_*.json")


def read(path, **choices):
    return lm_eval.read(path, ReadingSettings(**choices))


def changed(tmp_path, source, change, results=True):
    """A copy of samples, beside their results, after a change to each row."""
    rows = [json.loads(line) for line in source.read_text().splitlines()]
    path = tmp_path / source.name
    path.write_text("".join(f"{json.dumps(change(i, row) or row)}\n" for i, row in enumerate(rows)))
    if results:
        shutil.copy(RESULTS, tmp_path)
    return path


def test_empty_responses_are_told_since_an_outage_looks_like_them(tmp_path):
    def lose(i, row):
        return row | {"resps": [[" "]] if row["doc_id"] in (1, 3, 4) else row["resps"]}

    lost = read(changed(tmp_path, OPEN, lose)).notes[1]
    assert lost == (
        f"org/weak, {OPEN.name}: 3 of 6 samples have an empty response; the harness "
        "counts them as wrong, and does not record whether the model said nothing or no reply came."
    )


def test_the_model_without_results(tmp_path):
    path = changed(tmp_path, CHOICE, lambda i, row: None, results=False)
    scores = read(path)
    assert scores.frame["model"].unique().to_list() == [tmp_path.name]
    why = f"the model is named {tmp_path.name!r} after the path; --model NAME names it otherwise."
    assert scores.notes[0] == f"{path.name}: {why}"
    assert read(path, model=("mine",)).frame["model"].unique().to_list() == ["mine"]
    (tmp_path / "results_other.json").write_text('{"model_name": "", "config": {"model": "dummy"}}')
    assert read(path).frame["model"].unique().to_list() == ["dummy"]
    (tmp_path / "results_another.json").write_text('{"model_name": "x"}')
    assert read(path).frame["model"].unique().to_list() == [tmp_path.name]


def test_an_unknown_metric_and_none_at_all(tmp_path):
    with pytest.raises(InputError, match=r"no metric 'acc_nrm'\. Did you mean 'acc_norm,none'\?"):
        read(CHOICE, metric="acc_nrm")
    with pytest.raises(InputError, match=r"no metric 'brier_score'"):
        read(CHOICE, metric="brier_score")
    with pytest.raises(InputError, match=r"no metric of these samples is a number"):
        read(changed(tmp_path, CHOICE, lambda i, row: row.update(acc=[1], acc_norm="x")))


def test_stamps(tmp_path):
    stamps = read(CHOICE).stamps
    assert stamps == {
        "task version": "1.0",
        "lm_eval": "0.4.13",
        "num_fewshot": "0",
        "chat template": "none",
        "system instruction": "none",
        "task hash": "4a7221007c54f8c2a936c3fd5ff3504356a67397a5a4efdbaa67b831ae4fdd5f",
    }
    results = json.loads(RESULTS.read_text()) | {"chat_template": "{{ messages }}"}
    path = changed(tmp_path, CHOICE, lambda i, row: None)
    (tmp_path / RESULTS.name).write_text(json.dumps(results))
    templated = read(path).stamps
    assert (templated["chat template"], "task hash" in templated) == ("applied", False)


def test_a_metric_of_which_less_is_better_is_turned_round(tmp_path):
    path = changed(tmp_path, CHOICE, lambda i, row: None)
    results = json.loads(RESULTS.read_text())
    results["higher_is_better"]["facts_choice"]["acc"] = False
    (tmp_path / RESULTS.name).write_text(json.dumps(results))
    turned = read_scores([path], ReadingSettings(metric="acc"))
    assert turned.table.frame["score"].sum() == -read(CHOICE, metric="acc").frame["score"].sum() < 0
    assert "Lower 'acc' is better, so its scores are negated." in turned.notes


def test_documents_may_be_numbered_by_anything(tmp_path):
    path = changed(tmp_path, CHOICE, lambda i, row: row | {"doc_id": {"n": i}})
    assert len(read(path, metric="acc").frame) == 6

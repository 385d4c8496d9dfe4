"""Readers of other harnesses, on files that these wrote; `fixtures/README.md` says how each was made."""

import json
import shutil
from pathlib import Path

import pytest

from tellapart.errors import InputError
from tellapart.readers import read_scores
from tellapart.readers.forms import readers
from tellapart.readers.settings import ReadingSettings

FIXTURES = Path(__file__).parent / "fixtures"
FORMS = {
    "deepeval": "DeepEval test run",
    "openai_evals": "OpenAI evals log",
    "langsmith": "LangSmith or Ragas results",
    "ragas": "LangSmith or Ragas results",
    "braintrust": "Braintrust experiment",
    "helm": "HELM statistics by instance",
}


def both(folder):
    files = sorted((FIXTURES / folder).rglob("*"))
    return [
        file for file in files if file.is_file() and file.name.startswith(("strong", "weak", "per_instance"))
    ]


def scores(folder, metric=None):
    """Missing cause or score of each model, in the order of the items."""
    frame = read_scores(both(folder), ReadingSettings(metric=metric)).table.frame
    return {
        model: [row[1] if row[0] is None else row[0] for row in rows.select("score", "missing").rows()]
        for (model,), rows in frame.group_by("model", maintain_order=True)
    }


@pytest.mark.parametrize("folder", FORMS)
def test_each_form_is_recognised_by_its_reader_alone(folder):
    for path in both(folder):
        recognised = [form for form in readers() if form.recognises(path)]
        assert FORMS[folder] == recognised[0].NAME
        assert [form.NAME for form in recognised[1:]] in ([], ["table"])


def test_a_test_run_of_deepeval():
    # Items in order: "2+2?", "Sky?", "capital" and "fail", whose metric raised an error.
    assert scores("deepeval") == {
        "strong": [1.0, 1.0, 1.0, "provider"],
        "weak": [1.0, 0.0, 0.0, "provider"],
    }
    assert scores("deepeval", "Length")["strong"] == [0.1, 0.4, 0.5, 0.1]
    with pytest.raises(InputError, match="no metric 'Lenght'. Did you mean 'Length'"):
        scores("deepeval", "Lenght")


def test_a_log_of_openai_evals():
    assert scores("openai_evals") == {"org/strong": [1.0, 1.0, "timeout"], "org/weak": [0.0, 1.0, 0.0]}


def test_an_openai_evals_log_without_scores_names_the_next_step(tmp_path):
    lines = both("openai_evals")[0].read_text().splitlines()
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(line for line in lines if '"match"' not in line))
    with pytest.raises(InputError, match="no event of this log holds a score.*--columns item=sample_id"):
        read_scores([path])


def test_results_of_ragas_and_langsmith_are_named_after_their_files():
    assert scores("ragas") == {"strong": [1.0, 1.0, 1.0], "weak": [1.0, 0.0, 0.0]}
    assert scores("langsmith") == {"strong": [1.0, 1.0, "provider"], "weak": [0.0, 1.0, 0.0]}
    reading = read_scores(both("ragas"), ReadingSettings(model=("a", "b")))
    assert reading.table.models == ["a", "b"]
    assert "Read the metric 'exact_match'; there is also 'string_present' (--metric NAME)." in reading.notes


def test_an_experiment_of_braintrust():
    # Items in order: "2+2?", "Capital of France?", "Sky?".
    assert scores("braintrust") == {
        "org/strong": [1.0, 1.0, "provider"],
        "org/weak": [1.0, 0.0, 0.0],
    }
    rows = [json.loads(line) for line in both("braintrust")[0].read_text().splitlines()]
    assert read_scores(both("braintrust")).table.strata == ["topic"]
    assert len(rows) == 6


def test_statistics_of_helm_and_the_folder_that_it_writes(tmp_path):
    assert scores("helm") == {"org/strong": [1.0, 1.0, 1.0], "org/weak": [0.0, 1.0, 0.0]}
    shutil.copytree(FIXTURES / "helm", tmp_path / "runs")
    reading = read_scores([tmp_path / "runs"])
    assert len(reading.forms) == 2
    assert reading.table.frame["item"][0] == "mmlu,subject=anatomy/id0"
    assert f"{tmp_path / 'runs'}: 2 files of averages are passed over." in reading.notes
    assert not any("num_prompt_tokens" in note for note in reading.notes)


@pytest.mark.parametrize("folder", ["deepeval", "openai_evals", "braintrust", "helm"])
def test_a_file_that_was_cut_off_is_named(tmp_path, folder):
    source = both(folder)[0]
    path = tmp_path / source.name
    path.write_bytes(source.read_bytes()[:-20])
    with pytest.raises(InputError, match=f"{path.name}:[0-9]+:[0-9]+: this is not JSON"):
        read_scores([path])

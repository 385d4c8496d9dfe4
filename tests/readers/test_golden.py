"""What each harness's own files become: a golden frame, and the notes on it, for every fixture.

`fixtures/README.md` says how the files were made. A frame that was meant to change is written anew by running
this file.
"""

from pathlib import Path

import pytest

from tellapart.readers import read_scores
from tellapart.readers.forms import FORMS, Beginning
from tellapart.readers.settings import ReadingSettings

HERE = Path(__file__).parent
FIXTURES, GOLDEN = HERE / "fixtures", HERE / "golden"
INSPECT, LM_EVAL, PROMPTFOO = "Inspect log", "lm-evaluation-harness samples", "promptfoo results"
QRELS = FIXTURES / "trec" / "qrels.txt"
OPEN = "lm_eval/org__*/samples_facts_open_*.jsonl"

CASES = {
    "braintrust": ("braintrust/*.jsonl", "Braintrust experiment", {}),
    "deepeval": ("deepeval/*.json", "DeepEval test run", {}),
    "deepeval-length": ("deepeval/*.json", "DeepEval test run", {"metric": "Length"}),
    "helm": ("helm/*/per_instance_stats.json", "HELM statistics by instance", {}),
    "inspect": ("inspect/*.eval", INSPECT, {}),
    "inspect-exact": ("inspect/middle.eval", INSPECT, {"metric": "exact"}),
    "inspect-length": ("inspect/middle.eval", INSPECT, {"metric": "detail.length"}),
    "langsmith": ("langsmith/*.csv", "LangSmith or Ragas results", {}),
    "lm-eval-choice": ("lm_eval/org__*/samples_facts_choice_*.jsonl", LM_EVAL, {}),
    "lm-eval-open": (OPEN, LM_EVAL, {}),
    "lm-eval-extract": (OPEN, LM_EVAL, {"metric": "exact_match,flexible-extract"}),
    "mteb-by-query": ("mteb/*/by_query.json", "MTEB or BEIR JSON", {}),
    "mteb-predictions": ("mteb/*/*_predictions.json", "MTEB or BEIR JSON", {"qrels": QRELS}),
    "promptfoo": ("promptfoo/repeats.json", PROMPTFOO, {}),
    "promptfoo-lines": ("promptfoo/repeats.jsonl", PROMPTFOO, {"metric": "success"}),
    "promptfoo-prompts": ("promptfoo/prompts.json", PROMPTFOO, {}),
    "ragas": ("ragas/*.csv", "LangSmith or Ragas results", {}),
    "trec": ("trec/*.run", "TREC or MS MARCO run", {"qrels": QRELS}),
    "trec-eval": ("trec/*.run", "TREC or MS MARCO run", {"qrels": QRELS, "metric": "RR", "trec_eval": True}),
    "ir-measures": ("trec/*.tsv", "scores by query of trec_eval or ir_measures", {}),
}


def files(pattern):
    return [path for path in sorted(FIXTURES.glob(pattern)) if "qrels" not in path.name]


def shown(pattern, settings):
    reading = read_scores(files(pattern), ReadingSettings(**settings))
    notes = [f"# {note.replace(str(FIXTURES), 'fixtures')}" for note in reading.notes]
    limits = "# limits: {:g} to {:g}".format(*reading.table.limits)
    return "\n".join([*notes, limits, reading.table.frame.write_csv(float_precision=6)])


@pytest.mark.parametrize("name", CASES)
def test_the_files_of_a_harness_become_their_golden_frame(name):
    pattern, form, settings = CASES[name]
    assert shown(pattern, settings) == (GOLDEN / f"{name}.csv").read_text(encoding="utf-8")
    for path in files(pattern):
        first, *others = (form.name for form in FORMS if form.marks(Beginning(path)))
        assert (first, set(others) <= {"table"}) == (form, True)


if __name__ == "__main__":
    for name, (pattern, _, settings) in CASES.items():
        (GOLDEN / f"{name}.csv").write_text(shown(pattern, settings), encoding="utf-8")

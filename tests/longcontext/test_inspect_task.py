from pathlib import Path

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai._util.error import PrerequisiteError

from tellapart.longcontext.inspect_task import longcontext
from tellapart.offline import respond_to_all
from tellapart.readers import read_scores

# Inspect's own way to wait between attempts.
pytestmark = pytest.mark.filterwarnings("ignore:The 'initial' parameter is deprecated:DeprecationWarning")

CASE = """=== SYSTEM PROMPT ===
Never say "EXCELLENT".

=== MESSAGE 1 ===
Zhang (2019) enrolled 342 adults in Berlin.

=== CHECKPOINT C1-1 (Recall) ===
How many adults did Zhang enrol?

=== VERIFICATION V1-1 (Attention Sink) ===
Is it excellent?
"""
ANSWERS = """C1-1 (Recall):
  Q: How many adults did Zhang enrol?
  A: 342

V1-1 (Attention Sink):
  Q: Is it excellent?
  A: notable
"""


@respond_to_all("listens")
def listens(turns):
    """Knows what it was told, and forgets what it was not to say."""
    question = turns[-1][1]
    if "How many" in question:
        return "342 adults" if any("342" in text for _, text in turns[:-1]) else "I do not know"
    if "excellent" in question:
        return "It is excellent"
    return "Noted"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "small.txt").write_text(CASE)
    (tmp_path / "answers.txt").write_text(ANSWERS)
    return {"cases": str(tmp_path / "small.txt"), "answers": str(tmp_path / "answers.txt")}


def evaluate(tmp_path, files, model, **how):
    logs = str(tmp_path / "logs")
    (log,) = inspect_eval(
        longcontext(**files), model=model, log_dir=logs, display="none", max_retries=0, **how
    )
    assert log.status == "success", log.error
    return log


def test_a_case_is_a_sample_whose_score_is_the_mean_over_its_probes(tmp_path, files):
    log = evaluate(tmp_path, files, "offline/listens", epochs=2)
    assert [(sample.id, sample.epoch) for sample in log.samples] == [("small", 1), ("small", 2)]
    score = log.samples[0].scores["correct"]
    assert score.value == 0.5
    grades = {name: (one["category"], one["value"]) for name, one in score.metadata["probes"].items()}
    assert grades == {"C1-1": ("CORRECT", 1.0), "V1-1": ("FAIL", 0.0)}
    assert (score.metadata["scored"], score.metadata["missing"]) == (2, {})
    assert log.results.scores[0].metrics["mean"].value == 0.5
    (model_event, *_) = [event for event in log.samples[0].events if event.event == "model"]
    assert model_event.config.temperature == 0.3
    table = read_scores([Path(log.location)]).table.frame
    assert (table["item"].to_list(), table["score"].to_list()) == (["small"] * 2, [0.5] * 2)


def test_a_task_that_cannot_be_graded_is_refused_before_a_token_is_spent(tmp_path, files):
    with pytest.raises(PrerequisiteError, match="no case is given"):
        longcontext()
    with pytest.raises(PrerequisiteError, match="no right answers are given"):
        longcontext(files["cases"])

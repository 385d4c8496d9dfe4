import math

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import read_eval_log
from pydantic import BaseModel, ConfigDict

from tellapart.llm.questions import Question
from tellapart.llm.tasks import Grade, TaskQuestion, question_task
from tellapart.offline import respond

# Inspect's own way to wait between attempts.
pytestmark = pytest.mark.filterwarnings("ignore:The 'initial' parameter is deprecated:DeprecationWarning")


class Sum(BaseModel):
    model_config = ConfigDict(extra="forbid")
    sum: int


def asked(name, prompt, right, book):
    def grade(reply):
        return Grade(float(reply.sum == right), str(reply.sum), {"off_by": abs(reply.sum - right)})

    return TaskQuestion(name, Question(name, prompt, Sum), grade, str(right), {"book": book, "name": name})


SAMPLES = [
    asked("a", "1 + 1", 2, "red"),
    asked("b", "1 + 2", 3, "red"),
    asked("c", "2 + 2", 4, "blue"),
    asked("d", "2 + 3", 5, "green"),
    asked("e", "say nothing", 0, "green"),
    TaskQuestion("f", None, asked("f", "", 0, "").grade, "0", {"book": "red", "name": "f"}),
]
REPLIES = {"1 + 1": 2, "1 + 2": 3, "2 + 2": 5, "2 + 3": 1}


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    respond("sums")(lambda prompt: f'{{"sum": {REPLIES[prompt]}}}' if prompt in REPLIES else "nothing")
    columns = {"item": "name", "cluster": "book"}
    asking = question_task("sums", SAMPLES, columns=columns, averages=["off_by"], facts={"shelf": 3})
    logs = tmp_path_factory.mktemp("logs")
    (log,) = inspect_eval(asking, model="offline/sums", log_dir=str(logs), display="none")
    assert log.status == "success", log.error
    return read_eval_log(log.location)


def test_metrics_are_over_what_has_a_score_and_clustered(log):
    correct, off_by = log.results.scores
    # Deviations from 1/2 summed by book: red 1/2 + 1/2, blue and green -1/2 each; squares 1, 1/4, 1/4. Times
    # 3/2 for three clusters, the root over four scores.
    assert correct.metrics["accuracy"].value == 0.5
    assert correct.metrics["stderr"].value == pytest.approx(math.sqrt(1.5 * 3 / 2) / 4)
    assert (correct.scored_samples, correct.unscored_samples) == (4, 2)
    # Off by 0, 0, 1, 4: mean 5/4; by book -5/2, -1/4 and 11/4.
    assert off_by.metrics["mean"].value == 1.25
    squares = 2.5**2 + 0.25**2 + 2.75**2
    assert off_by.metrics["stderr"].value == pytest.approx(math.sqrt(squares * 3 / 2) / 4)


def test_a_sample_keeps_what_was_asked_and_answered(log):
    by_id = {sample.id: sample for sample in log.samples}
    wrong = by_id["d"]
    assert (wrong.input, wrong.target) == ("2 + 3", "5")
    assert wrong.metadata == {"book": "green", "name": "d"}
    assert wrong.scores["correct"].answer == "1"
    assert wrong.scores["correct"].metadata == {"off_by": 4, "repaired": False}
    assert [message.text for message in wrong.messages] == ["2 + 3", '{"sum": 1}']
    assert wrong.output.usage.total_tokens == wrong.model_usage["offline/sums"].total_tokens
    silent, nothing = by_id["e"].scores["correct"], by_id["f"].scores["correct"]
    assert (silent.reason, silent.metadata["kind"]) == ("parse", "not_json")
    assert (nothing.reason, nothing.metadata) == ("infeasible", None)
    assert len(by_id["e"].messages) == 4
    assert len(by_id["f"].messages) == 1


def test_the_log_says_which_metadata_are_which_columns(log):
    assert log.eval.metadata == {
        "shelf": 3,
        "score_table": {"score": "correct", "item": "name", "cluster": "book"},
    }

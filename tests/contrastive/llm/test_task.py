import re
from dataclasses import replace
from zlib import crc32

import polars as pl
import pytest

pytest.importorskip("inspect_ai")
from inspect_ai import eval as inspect_eval
from inspect_ai.model import ModelOutput

from tellapart.contrastive import building, running
from tellapart.contrastive.inspect_task import contrastive
from tellapart.contrastive.llm_matching import OrderPlan
from tellapart.llm.models import LanguageModel
from tellapart.offline import respond
from tellapart.offline.contrastive import overlap
from tellapart.readers import read_scores

# Inspect's own way to wait between attempts.
pytestmark = pytest.mark.filterwarnings("ignore:The 'initial' parameter is deprecated:DeprecationWarning")

CUT_OFF = '{"order": [1, 2, 3, 4, 5], "selected": 1, "confidence": 0.5, "reasoning": "'


class Overloaded(Exception):
    status_code = 529


class ReadTimeout(Exception):
    """Not a ``TimeoutError``, which Inspect would try again."""


def mixed(prompt):
    """By the prompt alone: an answer, one that a second attempt repairs, and every way to fail."""
    if prompt.startswith("Your reply could not be used"):
        expected = re.search(r"every number from 1 to (\d+) once", prompt)
        return reply(range(1, int(expected[1]) + 1)) if expected else "I still cannot say."
    outcomes = [
        lambda: overlap(prompt),
        lambda: overlap(prompt),
        lambda: overlap(prompt),
        lambda: reply([0]),
        lambda: "I cannot say.",
        lambda: ModelOutput.from_content("mixed", "I will not.", "content_filter"),
        lambda: ModelOutput.from_content("mixed", CUT_OFF, "max_tokens"),
        lambda: failing(Overloaded("too much to do")),
        lambda: failing(ReadTimeout("nothing came")),
    ]
    return outcomes[crc32(prompt.encode()) % len(outcomes)]()


def reply(order):
    order = list(order)
    return f'{{"order": {order}, "selected": {order[0]}, "confidence": 0.5, "reasoning": ""}}'


def failing(error):
    raise error


@pytest.fixture(scope="module")
def small(draft, tmp_path_factory):
    """Every eleventh item of the package, and one unit that nobody wrote a summary for."""
    respond("mixed")(mixed)
    out = tmp_path_factory.mktemp("frozen") / "small"
    sets = draft.sets.gather_every(11)
    summaries = [summary for summary in draft.summaries if summary.unit != draft.units[sets["target"][0]].id]
    building.freeze(replace(draft, sets=sets, summaries=summaries), out)
    return out


@pytest.fixture(scope="module")
def path(small, tmp_path_factory):
    """The log of a model that errs, every item in two orders."""
    return evaluated(contrastive(str(small), orders=2), tmp_path_factory.mktemp("logs"))


@pytest.fixture(scope="module")
def run(small, tmp_path_factory):
    """The same, and a model that does not err, by our own command."""
    llms = [LanguageModel("offline/mixed"), LanguageModel("offline/overlap")]
    out = tmp_path_factory.mktemp("runs") / "run"
    return running.run(small, [], llms=llms, plan=OrderPlan(orders=2), out=out).path


def evaluated(task, logs, model="offline/mixed", status="success", **options):
    """Run a task and give the path of its log."""
    (log,) = inspect_eval(task, model=model, log_dir=str(logs), display="none", **options)
    assert log.status == status, log.error
    return logs / log.location.rpartition("/")[2]


def scores(path):
    return read_scores([path]).table.frame.filter(model="offline/mixed").sort("item", "replicate")


@pytest.mark.slow
def test_the_log_has_the_scores_and_the_missing_of_our_own_run_item_by_item(path, run):
    # The log's score is whether the target comes first; a run's is the reciprocal rank.
    ours = scores(run).with_columns(pl.col("score").floor())
    assert scores(path).select(ours.columns).to_dicts() == ours.to_dicts()
    expected = {"parse", "refusal", "provider", "timeout", "truncated", "infeasible"}
    assert set(ours["missing"].drop_nulls()) == expected
    assert set(ours["score"].drop_nulls()) == {0.0, 1.0}
    assert set(ours["replicate"]) == {0, 1}

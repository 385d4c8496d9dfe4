"""From Inspect's own data frame to a verdict, which is that on the same logs."""

from pathlib import Path

import pytest
from inspect_ai import Task, eval
from inspect_ai.analysis import evals_df, samples_df
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import includes

import tellapart as ta
from tellapart.errors import InputError, UsageError
from tellapart.integrations.inspect import verdict

LOGS = Path(__file__).parents[1] / "readers" / "fixtures" / "inspect"


@pytest.fixture(scope="module")
def evals():
    frame = evals_df(str(LOGS), quiet=True)
    return frame[frame["status"] == "success"]


def test_the_rows_of_a_frame_choose_the_logs(evals):
    assert sorted(evals["model"]) == ["mockllm/middle", "mockllm/strong", "mockllm/weak"]
    result = verdict(evals)
    logs = [LOGS / f"{name}.eval" for name in ("middle", "strong", "weak")]
    assert result.to_dict()["comparison"] == ta.audit(logs).to_dict()["comparison"]
    two = verdict(evals[evals["model"] != "mockllm/middle"], metric="includes")
    assert set(two.pairs["a"]) | set(two.pairs["b"]) == {"mockllm/strong", "mockllm/weak"}


def test_a_limit_makes_it_a_gate(evals):
    gate = verdict(evals, baseline="mockllm/strong", max_drop=0.1)
    assert gate.record.models == ("mockllm/strong", "mockllm/middle", "mockllm/weak")
    assert gate.outcome == "unclear"


def test_what_is_no_frame_of_logs_is_refused(evals):
    with pytest.raises(InputError, match="no column 'log'"):
        verdict(evals[["model"]])
    with pytest.raises(InputError, match="has no row"):
        verdict(evals[:0])
    with pytest.raises(UsageError, match="without a baseline"):
        verdict(evals, max_drop=0.1)
    with pytest.raises(UsageError, match="no log of the baseline 'mockllm/stron'. Did you mean"):
        verdict(evals, baseline="mockllm/stron", max_drop=0.1)
    with pytest.raises(InputError, match="not on this machine"):
        verdict(evals.assign(log="s3://bucket/a.eval"))


# Inspect's samples_df calls pandas in a way that pandas 3.1 deprecates.
@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_what_models_spend_is_paired_by_sample_and_less_is_better(evals):
    samples = samples_df(list(evals["log"]), quiet=True)
    of_models = samples.merge(evals[["eval_id", "model"]], on="eval_id")
    times = of_models.pivot_table(index="id", columns="model", values="total_time")
    result = verdict(evals, metric="total_time", baseline="mockllm/strong")
    for pair in result.findings.comparison.primary.pairs:
        # Scores are negated seconds, so what b spends more than a is the lead of a.
        assert pair.difference == pytest.approx((times[pair.b] - times[pair.a]).mean())
        assert pair.n == len(times)
    assert result.findings.comparison.baseline == "mockllm/strong"


@pytest.mark.filterwarnings("ignore:The 'initial' parameter")
def test_what_models_cost_is_paired_where_every_price_is_known(tmp_path):
    for model, tokens, cost in (("cheap", 100, 0.001), ("dear", 300, 0.004)):
        outputs = []
        for i in range(30):
            output = ModelOutput.from_content("mockllm/model", "yes")
            price = None if model == "dear" and i == 0 else cost * (1 + i % 3)
            output.usage = ModelUsage(total_tokens=tokens, total_cost=price)
            outputs.append(output)
        samples = [Sample(id=i, input=f"q{i}", target="yes") for i in range(30)]
        eval(
            Task(samples, scorer=includes(), name="t"),
            model=get_model(f"mockllm/{model}", custom_outputs=outputs, memoize=False),
            log_dir=str(tmp_path),
            display="none",
            max_samples=1,
        )
    evals = evals_df(str(tmp_path), quiet=True)
    (tokens,) = verdict(evals, metric="total_tokens").findings.comparison.primary.pairs
    assert (tokens.a, tokens.difference, tokens.n) == ("mockllm/cheap", 200, 30)
    priced = verdict(evals, metric="total_cost").findings
    (cost,) = priced.comparison.primary.pairs
    assert (cost.n, priced.missing["mockllm/dear"]) == (29, {"unknown": 1})
    assert cost.difference == pytest.approx(0.003 * sum(1 + i % 3 for i in range(1, 30)) / 29)
    gate = verdict(evals, metric="total_cost", baseline="mockllm/cheap", max_drop=0.001)
    assert gate.passed is False

"""From Inspect's own data frame to a verdict, which is that on the same logs."""

import json
from pathlib import Path

import pytest
from inspect_ai.analysis import evals_df, samples_df

import tellapart as ta
from tellapart.errors import InputError, UsageError
from tellapart.integrations.inspect import usage, verdict

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
    result = usage(evals, samples, "total_time", baseline="mockllm/strong")
    for pair in result.findings.comparison.primary.pairs:
        # Scores are negated seconds, so what b spends more than a is the lead of a.
        assert pair.difference == pytest.approx((times[pair.b] - times[pair.a]).mean())
        assert pair.n == len(times)
    assert result.findings.comparison.baseline == "mockllm/strong"
    # No mock model spends a token.
    assert {pair.difference for pair in usage(evals, samples).findings.comparison.primary.pairs} == {0.0}
    with pytest.raises(InputError, match="no sample of these evals has working_time"):
        usage(evals.assign(eval_id="other"), samples, "working_time")


@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_what_models_cost_is_paired_where_every_price_is_known(evals):
    samples = samples_df(list(evals["log"]), quiet=True)
    dollars = samples.merge(evals[["eval_id", "model"]], on="eval_id")["model"].str.len() / 1000
    of_sample = [{"m": {"total_cost": cost}, "grader": {"total_cost": 0.001}} for cost in dollars]
    priced = samples.assign(model_usage=[json.dumps(used) for used in of_sample])
    for pair in usage(evals, priced, "total_cost").findings.comparison.primary.pairs:
        assert pair.difference == pytest.approx((len(pair.b) - len(pair.a)) / 1000)
    unknown = samples.assign(model_usage='{"m": {"total_cost": 0.1}, "grader": {"total_tokens": 9}}')
    with pytest.raises(InputError, match="no sample of these evals has total_cost"):
        usage(evals, unknown, "total_cost")

"""From Inspect's own data frame to a verdict, which is that on the same logs."""

from pathlib import Path

import pytest
from inspect_ai.analysis import evals_df

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

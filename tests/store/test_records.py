import json

import pytest

from tellapart.errors import InputError
from tellapart.store.runs import RunRecord, read_record


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (float("-inf"), "not a valid record of a run: 'config.limits[1]' is -inf, expected a number"),
        (float("nan"), "'config.limits[1]' is nan, expected a number"),
        (2**63, "'config.limits[1]' is 9223372036854775808, expected a number of at most 64 bits"),
    ],
)
def test_a_number_that_this_program_never_writes_is_refused_by_its_field(tmp_path, value, message):
    record = RunRecord(suite="bundles", tellapart_version="1", config={}, inputs={}, seed=1).model_dump()
    record["config"] = {"limits": [0, value]}
    (tmp_path / "run.json").write_text(json.dumps(record))
    with pytest.raises(InputError) as error:
        read_record(tmp_path)
    assert str(error.value).startswith(f"{tmp_path / 'run.json'}: ")
    assert message in str(error.value)

import random

from codesearch.as_json import as_json
from codesearch.explored_cases import case
from codesearch.judged_cases import with_failure
from tellapart.codesearch.metrics.explorations import exploring

exploring = as_json(exploring)


def test_by_hand():
    cases = [
        case(1, "abc", "a"),
        with_failure(case(2, "a", None), "run_b", "budget"),
        case(4, "", None),
        case(3, "abcdef", ""),
    ]
    told = exploring(cases)
    none = {"failed": {}, "failed_conversations": []}
    assert told["run_a"] == {"explorer": "ax", "done": 4, "suspect": ["4"], "files": 10, **none}
    failed = {"failed": {"budget": 1, "timeout": 1}, "failed_conversations": ["2", "4"]}
    assert told["run_b"] == {"explorer": "bx", "done": 2, "suspect": ["3"], "files": 1, **failed}
    assert exploring(random.Random(1).sample(cases, 4)) == told

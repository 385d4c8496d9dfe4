import json
from pathlib import Path

import pytest

from tellapart.codesearch.config import read_config
from tellapart.errors import InputError

# The source document's example, as it stands there.
DOCUMENTED = """{
  "repos_path": "/Users/somebody/GitHub",
  "approved_repos": ["aero", "tack", "charlotte", "ghostwriter", "zuck"],
  "calibration_iterations": 2,
  "calibration_overlap_threshold": 0.9,
  "models": {
    "exploration_opus": "claude-opus-4-20250514",
    "exploration_sonnet": "claude-sonnet-4-20250514",
    "judge": "claude-opus-4-20250514"
  }
}"""


def read(tmp_path, data, environment=None):
    path = tmp_path / "config.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return read_config(path, environment or {})


def refused(tmp_path, data, environment=None):
    with pytest.raises(InputError) as caught:
        read(tmp_path, data, environment)
    return str(caught.value)


def test_the_documented_configuration_means_what_it_says(tmp_path):
    config, warnings = read(tmp_path, DOCUMENTED)
    assert warnings == ()
    assert config.repos_path == Path("/Users/somebody/GitHub")
    assert config.approved_repos == ("aero", "tack", "charlotte", "ghostwriter", "zuck")
    assert config.explorer_names == (
        "claude-code:claude-opus-4-20250514",
        "claude-code:claude-sonnet-4-20250514",
    )
    assert config.judge_name == "anthropic/claude-opus-4-20250514"


def test_limits_of_agents_may_be_null(tmp_path):
    config, _ = read(tmp_path, {"turns": None, "explore_timeout_s": None})
    assert (config.turns, config.explore_timeout_s) == (None, None)


def test_variables_everywhere_and_dollars_that_are_none(tmp_path):
    given = {"repos_path": "${ROOT}/code", "approved_repos": ["a", "${REPO}"]}
    given |= {"search": {"command": "find '$HOME' $$ $5 ${REPO}${REPO}"}, "loop": {"improve": "${EMPTY}"}}
    config, _ = read(tmp_path, given, {"ROOT": "/data", "REPO": "b", "EMPTY": "", "HOME": "/no"})
    assert config.repos_path == Path("/data/code")
    assert config.approved_repos == ("a", "b")
    assert config.search.command == "find '$HOME' $$ $5 bb"
    assert config.loop.improve == ""


def test_a_variable_that_is_not_set_is_named_with_its_key(tmp_path):
    said = refused(tmp_path, {"loop": {"improve": "run ${TOOL}"}})
    assert f"{tmp_path}/config.json: 'loop.improve' needs the environment variable 'TOOL'" in said
    assert "'approved_repos.1' needs" in refused(tmp_path, {"approved_repos": ["a", "${X}"]})


def test_unknown_keys_are_told_with_what_was_meant_and_the_rest_holds(tmp_path):
    loop = {"convergence": {"chnge": 0.5}, "max_iterations": 9}
    config, warnings = read(tmp_path, {"aproved_repos": ["x"], "concurrency": 2, "loop": loop})
    assert config.concurrency == 2
    assert config.loop.max_iterations == 9
    assert config.loop.convergence.change == 0.02
    assert len(warnings) == 2
    assert "'aproved_repos' is not known and was left out. Did you mean 'approved_repos'?" in warnings[0]
    assert "'loop.convergence.chnge'" in warnings[1]
    assert "Did you mean 'change'?" in warnings[1]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"calibration_iterations": "2"}, "'calibration_iterations' is '2', expected a whole number"),
        (
            {"calibration_overlap_threshold": 90},
            "'calibration_overlap_threshold' is 90, expected a number of 1 or less",
        ),
        ({"approved_repos": "aero"}, "'approved_repos' is 'aero', expected a list"),
        ({"search": {"system": "ripgrp:"}}, "of 'search.system': the system is 'ripgrp:'"),
        ({"models": {"exploration_opus": "agent:"}}, "of 'models.exploration_opus': the explorer"),
        ('{\n"a": }', "config.json:2:6: this is not JSON"),
    ],
)
def test_wrong_values_are_named_with_file_and_key(tmp_path, data, said):
    message = refused(tmp_path, data)
    assert said in message
    assert str(tmp_path / "config.json") in message

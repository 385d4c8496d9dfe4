"""The commands as a shell runs them: real pipes, data on stdout alone and messages on stderr alone."""

import json
import os
import subprocess
import sys

import pytest

from codesearch.pipeline_files import ISSUES, conversation, make_code, pipeline, search_results

CONFIG = {"repos_path": "code", "approved_repos": ["aero", "tack"], "search": {"command": None}}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A directory with repositories and a config, as the source document has them."""
    place = tmp_path_factory.mktemp("place")
    make_code(place / "code")
    (place / "config.json").write_text(json.dumps(CONFIG))
    (place / "conversations.json").write_text(pipeline(*map(conversation, ISSUES)))
    (place / "search_results.json").write_text(search_results())
    return place


@pytest.fixture(scope="module")
def shell(place):
    """Run a line in which ``cs`` stands for ``tellapart codesearch``, and each command's stderr is a file."""
    tellapart = f"{sys.executable} -m tellapart codesearch"
    environment = os.environ | {"TELLAPART_INDEX": str(place / "index"), "OMP_NUM_THREADS": "1"}

    def run(line):
        return subprocess.run(
            ["bash", "-o", "pipefail", "-c", f'cs() {{ {tellapart} "$@"; }}\n{line}'],
            cwd=place,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.fixture(scope="module")
def piped(place, shell):
    """All steps in one line."""
    done = shell(
        "cs search < conversations.json 2> search.err | tee found.json | cs evaluate 2> evaluate.err"
        " | tee evaluation.json | cs rescore 2> rescore.err | tee again.json | cs learn > learnings.json"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    return place


def test_the_whole_pipeline_goes_through_pipes(piped):
    found, evaluation, learnings = (
        json.loads((piped / f"{name}.json").read_text()) for name in ("found", "evaluation", "learnings")
    )
    assert [one["conversation_id"] for one in found["conversations"]] == list(ISSUES)
    assert evaluation["metrics"]["aggregate"]["conversations_evaluated"] == 3
    assert evaluation["timestamp"] == found["timestamp"] == "2026-01-15T15:30:00Z"
    assert isinstance(learnings, dict)
    assert (piped / "again.json").read_bytes() == (piped / "evaluation.json").read_bytes()


def test_the_documented_line(place, shell):
    done = shell("cat search_results.json | cs evaluate > evaluation_of_it.json")
    assert (done.returncode, done.stdout) == (0, "")
    record = json.loads((place / "evaluation_of_it.json").read_text())
    assert record["conversations"][0]["our_files"] == ["aero/lib/pins.py", "tack/billing.py"]

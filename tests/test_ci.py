"""What a CI system runs: the action, and the workflow files of the documentation."""

import os
import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
import yaml

ROOT = Path(__file__).parents[1]
YAML = re.compile(r"```yaml\n(.*?)```", re.DOTALL)
OURS = ("tellapart compare",)
# Where the package is, and one thread a worker.
KEPT = ("PYTHONPATH", "OMP_NUM_THREADS", "POLARS_MAX_THREADS", "NUMBA_NUM_THREADS")

pytestmark = pytest.mark.process

# Of 400 questions the baseline answers 320; so many of the same are answered by a candidate that passes, is
# unclear, or fails a limit of 2 points.
CANDIDATES = {"passed": 330, "unclear": 313, "failed": 250}


def write_scores(path, right):
    path.parent.mkdir(exist_ok=True)
    rows = {"model": path.stem, "item": [f"q{i:03d}" for i in range(400)]}
    pl.DataFrame({**rows, "score": [int(i < right) for i in range(400)]}).write_csv(path)


@pytest.fixture
def shell(tmp_path):
    """Run a step as a runner does: bash that stops at the first error, in the checkout."""

    def run(script, candidate, **environment):
        write_scores(tmp_path / "evals" / "baseline.csv", 320)
        write_scores(tmp_path / "candidate.csv", CANDIDATES[candidate])
        for name in ("summary.md", "output.txt"):
            (tmp_path / name).write_text("")
        runner = {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(tmp_path),
            **{name: value for name, value in os.environ.items() if name in KEPT},
            "GITHUB_ACTIONS": "true",
            "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
            "GITHUB_OUTPUT": str(tmp_path / "output.txt"),
            "RUNNER_TEMP": str(tmp_path),
        }
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            cwd=tmp_path,
            env={**runner, **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def action():
    return yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


def filled(text, inputs):
    """Put inputs where the action's expressions name them."""
    return re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: inputs[match[1]], text)


@pytest.mark.parametrize(
    ("candidate", "options", "code", "outcome", "level"),
    [
        ("passed", {}, 0, "passed", "notice"),
        ("failed", {}, 3, "failed", "error"),
        ("unclear", {}, 0, "unclear", "warning"),
        ("unclear", {"on-unclear": "fail"}, 4, "unclear", "error"),
        ("passed", {"options": "--seed 7\n--metrics-json 'two words.json'\n"}, 0, "passed", "notice"),
    ],
)
def test_the_action_ends_as_its_gate(shell, tmp_path, candidate, options, code, outcome, level):
    made = action()
    (step,) = [step for step in made["runs"]["steps"] if step.get("id") == "compare"]
    defaults = {name: one.get("default", "") for name, one in made["inputs"].items()}
    inputs = {**defaults, "baseline": "evals/baseline.csv", "candidate": "candidate.csv", **options}
    done = shell(step["run"], candidate, **{name: filled(text, inputs) for name, text in step["env"].items()})
    assert done.returncode == code, done.stderr
    outputs = dict(line.split("=", 1) for line in (tmp_path / "output.txt").read_text().splitlines())
    assert outputs["outcome"] == outcome
    assert outputs.keys() == made["outputs"].keys()
    assert all(Path(outputs[name]).is_file() for name in ("markdown", "junit"))
    assert f"::{level} title=tellapart::" in done.stderr
    assert (tmp_path / "two words.json").is_file() == ("options" in options)
    assert (tmp_path / "summary.md").read_text() == Path(outputs["markdown"]).read_text() == done.stdout != ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("", "nothing.csv: cannot read this file: there is no such file"),
        ("--seed 7 --markdown x.md", "options holds --markdown, which this action sets"),
        ("--junit=x.xml", "which this action sets: take the file from its output 'junit'"),
        ("--primary 'difficulty=hard", "options cannot be read as words of a shell: No closing quotation"),
    ],
)
def test_the_action_stops_at_misuse(shell, options, message):
    (step,) = [step for step in action()["runs"]["steps"] if step.get("id") == "compare"]
    files = {"baseline": "nothing.csv", "candidate": "candidate.csv"}
    inputs = {**files, "max-drop": ".02", "on-unclear": "warn", "options": options}
    done = shell(step["run"], "passed", **{name: filled(text, inputs) for name, text in step["env"].items()})
    assert done.returncode == 2
    assert message in done.stderr and "Traceback" not in done.stderr


def test_every_expression_of_the_action_names_what_is_there():
    made = action()
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    assert set(re.findall(r"inputs\.([\w-]+)", text)) == set(made["inputs"])
    assert {step.get("id") for step in made["runs"]["steps"]} >= set(re.findall(r"steps\.(\w+)\.", text))
    assert all(step["shell"] == "bash" for step in made["runs"]["steps"])


def workflows():
    return [
        yaml.safe_load(block) for block in YAML.findall((ROOT / "docs/ci.md").read_text(encoding="utf-8"))
    ]


def scripts(workflow):
    """The lines that a workflow runs, of GitHub or of GitLab."""
    for job in (workflow.get("jobs") or workflow).values():
        if isinstance(job, dict):
            yield from job.get("script", [])
            yield from (step["run"] for step in job.get("steps", []) if "run" in step)


def test_the_commands_of_every_workflow_run(shell):
    commands = [line for one in workflows() for line in scripts(one) if line.startswith(OURS)]
    assert len(commands) == 2
    for command in commands:
        unclear = 0 if "--on-unclear warn" in command else 4
        assert shell(command, "unclear").returncode == unclear
        assert shell(command, "failed").returncode == 3


def test_workflows_give_the_action_the_inputs_that_it_has():
    used = [
        step
        for one in workflows()
        for job in one.get("jobs", {}).values()
        for step in job["steps"]
        if "tellapart" in step.get("uses", "")
    ]
    assert len(used) == 1
    inputs = action()["inputs"]
    required = {name for name, one in inputs.items() if one.get("required")}
    assert all(required <= step["with"].keys() <= inputs.keys() for step in used)

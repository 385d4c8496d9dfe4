"""Generated tasks by the commands alone: the report shows the one task that a model cannot do."""

import json

import pytest

from tellapart.longcontext.generating.tasks import TASKS, WORD_LISTS

pytestmark = pytest.mark.slow

MODES = {
    "variables": ("Variable tracking", 0.2),
    "updates": ("Knowledge updates", 0.0),
    "abstention": ("Abstention", 0.0),
    "common-words": ("Common words", 0.0),
}


def test_the_breakdown_shows_the_task_that_fails(tellapart, tmp_path):
    def longcontext(*arguments):
        done = tellapart("longcontext", *arguments)
        assert done.code == 0, done.err
        return done.out

    cases, played, graded = (tmp_path / name for name in ("cases", "played", "graded"))
    asked = ("--lengths", "2K,3K", "--conversations", "1", "--depths", "0,50,100", "--traps", "0")
    longcontext("generate", "--out", cases, *asked, "--tasks", ",".join((*TASKS, *WORD_LISTS)))
    findings = json.loads(longcontext("lint", cases, "--json"))
    assert {finding["severity"] for finding in findings} == {"info"}

    models = ["offline/solves", *(f"offline/fails-{task}" for task in MODES)]
    named = [part for model in models for part in ("--model", model)]
    longcontext("run", cases, *named, "--fork-probes", "--quiet", "--delay", "0", "--run", played)
    longcontext("grade", played, "--cases", cases, "--out", tmp_path / "report.md", "--run", graded)
    probes = json.loads((graded / "artifacts" / "grades.json").read_text())["probes"]
    failed = {}
    for probe in probes:
        if probe["value"] < 1:
            failed.setdefault(probe["model"], set()).add((probe["failure_mode"], probe["value"]))
    assert failed == {f"offline/fails-{task}": {outcome} for task, outcome in MODES.items()}

    paragraphs = (tmp_path / "report.md").read_text().split("\n\n")
    table = next(text for text in paragraphs if text.startswith("| Failure Mode"))
    heads, _, *rows = (line.split(" | ") for line in table.splitlines())
    shown = {row[0].removeprefix("| "): row[1:] for row in rows}
    for task, (mode, _) in MODES.items():
        failing = [head.rstrip(" |").endswith(f"/fails-{task}") for head in heads[1:]]
        bad = [cell.startswith("❌") for cell in shown[mode]]
        assert bad == failing

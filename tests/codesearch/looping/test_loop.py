import json
import re
import sys
from dataclasses import replace

import pytest

from codesearch.explored_cases import case
from codesearch.looping.made_iterations import iteration
from tellapart.cli.progress import Lines
from tellapart.codesearch.config import Config, LoopConfig
from tellapart.codesearch.looping import run
from tellapart.codesearch.looping.calibration import read_state
from tellapart.codesearch.looping.run import Steps, evaluation_runs, run_loop
from tellapart.core.comparison import GateOutcome
from tellapart.errors import UsageError

TRUTH = "abcdefghij"
GOES_ON = {"min_iterations": 1, "max_iterations": 9, "precision_threshold": 1.0, "recall_threshold": 1.0}


class Scripted:
    """Steps that find so many of ten files by iteration, and remember their calls."""

    def __init__(self, *hits, conversations=3, varied=False):
        self.hits = hits
        self.conversations = range(conversations)
        self.varied = varied
        self.calls = []
        self.breaks = None
        self.steps = Steps(self.search, self.evaluate, self.learn)

    def _call(self, name, one):
        self.calls.append(f"{name} {one.number}")
        if self.breaks == self.calls[-1]:
            raise KeyboardInterrupt

    def search(self, one):
        self._call("search", one)
        return json.dumps({"iteration_number": one.number, "found": self.hits[one.number - 1]})

    def evaluate(self, one, searched):
        self._call("evaluate", one)
        ours = TRUTH[: json.loads(searched)["found"]]
        cases = [
            case(
                i,
                TRUTH,
                TRUTH,
                ours[: len(ours) - (self.varied and i // one.number % 2)],
                names=one.explorers,
            )
            for i in self.conversations
        ]
        return iteration(one.number, *cases)

    def learn(self, one, evaluated):
        self._call("learn", one)
        return json.dumps({"conversations": len(evaluated.cases)})


def config(**limits):
    return Config(loop=LoopConfig(**(GOES_ON | limits)))


def files_of(directory):
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file() and "lock" not in path.name
    }


def test_it_iterates_until_the_thresholds_and_keeps_everything(tmp_path):
    scripted = Scripted(3, 6, 9)
    told = []
    history, _ = run_loop(config(recall_threshold=0.9), scripted.steps, tmp_path, progress=Lines(told.append))
    assert scripted.calls == [f"{step} {n}" for n in (1, 2, 3) for step in ("search", "evaluate", "learn")]
    assert told[:3] == ["iteration-1: search", "iteration-1: evaluate", "iteration-1: learn"]
    assert (history.stopped.reason, history.stopped.iteration) == ("thresholds", 3)
    recalls = [one["measures"]["recall"]["macro"] for one in history.to_json()["iterations"]]
    assert recalls == [0.3, 0.6, 0.9]
    assert json.loads((tmp_path / "history.json").read_text()) == history.to_json()
    names = {"search_results.json", "evaluation.json", "learnings.json"}
    assert set(files_of(tmp_path)) == {"history.json", "state.json"} | {
        f"iteration-{n}/{name}" for n in (1, 2, 3) for name in names
    }
    state = read_state(tmp_path / "state.json")
    assert [one.number for one in state.iterations] == [1, 2, 3]
    assert history.outcome is GateOutcome.PASSED


def test_a_regression_stops_and_fails_again_until_the_next_iteration_is_asked_for(tmp_path):
    for attempt in (1, 2):
        scripted = Scripted(9, 5, conversations=8, varied=True)
        history, sentences = run_loop(config(), scripted.steps, tmp_path)
        assert len(scripted.calls) == (6 if attempt == 1 else 0)
        assert history.stopped.reason == "regression"
        assert (history.outcome, history.outcome.exit_code()) == (GateOutcome.FAILED, 3)
        assert re.match(r"FAILED: .* recall against iteration 1: -0\.400 \(.* Roll back", sentences[0])
    assert [gate.area for gate in history.gates] == ["uncertain"]
    rolled_back = Scripted(9, 5, 9, 9, conversations=8, varied=True)
    history, sentences = run_loop(config(improve="false"), rolled_back.steps, tmp_path, only_next=True)
    assert rolled_back.calls == ["search 3", "evaluate 3", "learn 3"]
    assert history.stopped is None
    assert sentences[0] == "Nothing speaks against the next iteration."


def test_a_slow_slide_stops_the_loop(tmp_path):
    history, _ = run_loop(replace(config(), calibration_iterations=3), Scripted(9, 8, 7).steps, tmp_path)
    assert (history.stopped.reason, history.stopped.iteration) == ("unclear", 3)
    assert [gate.gate.baseline for gate in history.gates] == ["iteration 1"]


def command(program):
    return f"{sys.executable} -c '{program}' {{learnings}} '{{iteration}}' {{other}}"


def test_the_command_between_iterations_is_run_once_with_what_was_learned(tmp_path):
    record = tmp_path / "called"
    program = f'import sys; open("{record}", "a").write(" ".join(sys.argv[1:]) + chr(10)); print("tuned")'
    asked = config(improve=command(program), max_iterations=3)
    scripted = Scripted(1, 3, 5)
    scripted.breaks = "search 3"
    loop = tmp_path / "loop"
    with pytest.raises(KeyboardInterrupt):
        run_loop(asked, scripted.steps, loop)
    scripted.breaks = None
    run_loop(asked, scripted.steps, loop)
    learned = [loop / f"iteration-{n}" / "learnings.json" for n in (1, 2)]
    assert record.read_text().splitlines() == [
        f"{path} {n} {{other}}" for n, path in enumerate(learned, start=1)
    ]
    assert json.loads((loop / "iteration-1/improved.json").read_text())["stdout"] == "tuned\n"


def test_a_command_that_fails_stops_the_loop_with_what_it_said(tmp_path):
    scripted = Scripted(1, 3)
    failing = config(improve=f"{sys.executable} -c 'import sys; sys.exit(\"no rule fits\")'")
    with pytest.raises(UsageError, match="failed after iteration 1 with exit code 1: no rule fits"):
        run_loop(failing, scripted.steps, tmp_path)
    assert scripted.calls[-1] == "learn 1"
    assert not (tmp_path / "iteration-1/improved.json").exists()
    run_loop(config(max_iterations=2), scripted.steps, tmp_path)
    assert scripted.calls[3:] == ["search 2", "evaluate 2", "learn 2"]


def test_earlier_runs_are_taken_from_the_newest_by_number_and_other_names_passed_over(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "has_explorations", lambda path: path != tmp_path)
    ordered = ["10/run", "9/run", "9/run-before-10", "9/run-before-9", "1/run"]
    for name in (*ordered, "old/run", "1/run-copy", "2-copy/run-before-1"):
        (tmp_path / f"iteration-{name}").mkdir(parents=True)
    assert evaluation_runs(tmp_path) == [tmp_path / f"iteration-{name}" for name in ordered]


def test_where_nothing_was_judged_a_note_says_against_what_thresholds_are_held(tmp_path):
    def evaluate(one, searched):
        return iteration(one.number, case(1, "ab", "ab", "abx", names=one.explorers))

    steps = replace(Scripted(3).steps, evaluate=evaluate)
    _, sentences = run_loop(config(max_iterations=1), steps, tmp_path)
    assert sentences[1].startswith("Nothing was judged: thresholds and convergence are held against ")

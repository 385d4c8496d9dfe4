"""What the commands of longcontext refuse: one sentence, exit code 2, and nothing sent or written."""

import shlex
import sys
from pathlib import Path

import pytest

from longcontext.commands.test_run import ANSWERS, SMALL
from longcontext.importing.data_sets import longmemeval, written

FIXTURES = Path(__file__).parents[1] / "fixtures"
GRADE = f"grade {FIXTURES}/case_1_smoke_result.json --answers {FIXTURES}/answers.txt"
RUN, ASSISTANT = "run small.txt --run new", "--command 'cat {session}'"


@pytest.fixture
def refused(tellapart, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("small.txt").write_text(SMALL)
    Path("answers.txt").write_text(ANSWERS)
    Path("exiting.py").write_text("import sys\nsys.exit(3)\n")
    written(tmp_path / "some.json", [longmemeval()])
    written(tmp_path / "other.json", [{"a": 1}])
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}

    def run(words):
        done = tellapart("longcontext", *shlex.split(words))
        assert (done.code, done.out) == (2, ""), done.err
        assert {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before
        assert not {"new", "made"} & {path.name for path in tmp_path.iterdir()}
        return " ".join(done.err.replace("│", " ").split())

    yield run
    sys.modules.pop("exiting", None)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("generate --out made --lengths 2K,two", "--lengths has 'two', expected tokens from 500 to 10M"),
        ("generate --out made --depths 0,150", "--depths has '150', expected percentages from 0"),
        ("generate --out made --lengths 1K --traps 40", "do not fit into 1,000 tokens. They need "),
        ("report small.txt", "this is a file. Give the run directory that grade wrote"),
        ("generate --out .", "this directory holds something else, such as 'answers.txt'"),
        ("generate --out made --distractors 11", "should be less than or equal to 10"),
        ("import longmemevel some.json --out new", "there is no form 'longmemevel'. Did you mean"),
        ("import nowhere.json --out new", "cannot read this file: there is no such file"),
        ("import longmemeval some.json some.json --out new", "3 names are given"),
        ("import some.json --lengths 2K --out new", "longmemeval has no use for --lengths"),
        ("import other.json --out new", "the form of this data set is not recognised. Name it before"),
        ("lint", "nothing to lint"),
        ("lint answers.txt", "these are answers, expected a case"),
        ("lint small.txt --results small.txt", "this is a case, expected results"),
        (f"lint {FIXTURES} --continues small.txt", "cases are given, but --continues takes exactly one"),
        (RUN, "no model is given"),
        (f"{RUN} --model m/x --no-probes-last", "nothing is repeated, so this has no effect"),
        (f"{RUN} --model m/x --control oracle --fork-probes", "and --fork-probes have no effect"),
        (f"{RUN} --model m/x --answers answers.txt", "--answers has no effect"),
        (f"{RUN} --model m/x --out small.txt", "this file is an input and would be lost"),
        (f"{RUN} --model offline/recalls --model nobody/x", "nobody"),
        (f"{RUN} --model deepseek/deepseek-chat --max-cost 1", "--max-cost needs to know what tokens cost"),
        (f"{RUN} --command no-such-program-here", "there is no such program"),
        (f"{RUN} {ASSISTANT} --fork-probes", "no probe can be asked from a snapshot"),
        (f"{RUN} {ASSISTANT} {ASSISTANT}", "is named twice"),
        (f"{RUN} {ASSISTANT} --name a --name b", "--name is given 2 times"),
        (f"{RUN} {ASSISTANT} --temperature 1", "this has no effect: --temperature"),
        (f"{RUN} --model python:exiting:f", "SystemExit: 3"),
        (f"{GRADE} --judge offline/compares --grader rules", "this has no effect: --judge"),
        (f"{GRADE} --max-tokens 9", "no language model is asked, so this has no effect: --max-tokens"),
        (f"{GRADE} --grader judge --judge nobody/x", "expected PROVIDER/MODEL"),
        (f"{GRADE} --out small.txt --html small.txt", "two outputs would go to this file"),
    ],
)
def test_what_cannot_work_is_refused_in_a_sentence(refused, words, said):
    assert said in refused(words)

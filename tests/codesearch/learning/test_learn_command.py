import json
import subprocess
import sys

import pytest

from codesearch.as_json import as_json
from codesearch.learning.learnt_cases import with_a_noisy_term
from support.loopback import LoopbackServer, Status
from tellapart.cli.main import main
from tellapart.codesearch.learning.learn import learnings
from tellapart.codesearch.reading import read_evaluation

learnings = as_json(learnings)


@pytest.fixture
def told(tmp_path):
    """An evaluation file with one noisy term."""
    place = tmp_path / "evaluation.json"
    place.write_text(with_a_noisy_term())
    return place


@pytest.fixture
def learn(monkeypatch, capsys, told):
    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["tellapart", "codesearch", "learn", "--in", str(told), *arguments])
        with pytest.raises(SystemExit) as stopped:
            main()
        shown = capsys.readouterr()
        return stopped.value.code, shown.out, shown.err

    return run


def test_it_prints_what_is_learnt_and_says_the_first_proposals(learn, told):
    code, out, err = learn()
    assert code == 0
    assert json.loads(out) == learnings(read_evaluation(told.read_bytes(), where="here"))
    assert "1 proposal from 12 conversations\n" in err
    assert "- Without the search term 'bad' 24 files of noise would not be found" in err


@pytest.mark.slow
@pytest.mark.process
def test_without_a_model_nothing_of_language_models_is_imported(told, tmp_path):
    arguments = ["tellapart", "codesearch", "learn", "--in", str(told), "--out", str(tmp_path / "l")]
    program = (
        f"import sys; from tellapart.cli.main import main\nsys.argv = {arguments!r}\n"
        "try:\n    main()\nexcept SystemExit as stopped:\n    assert not stopped.code\n"
        "found = {m for m in sys.modules if m.startswith(('tellapart.llm', 'inspect_ai', 'anyio'))}\n"
        # Where options of language models have their defaults from, and how names are shown.
        "light = ('budget', 'environment', 'models', 'quoting')\n"
        "found -= {'tellapart.llm', *(f'tellapart.llm.{m}' for m in light)}\n"
        "assert not found, found\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    assert json.loads((tmp_path / "l").read_text())["proposals"]


def test_options_that_no_model_has_a_use_for_are_refused(learn, tmp_path):
    code, out, err = learn("--run", str(tmp_path / "run"))
    assert (code, out) == (2, "") and "no effect: --run" in err
    assert learn("--temperature", "1")[0] == 2


def test_a_model_explains_in_a_run_directory_and_is_replayed_from_it(learn, tmp_path):
    plain = json.loads(learn()[1])
    run = str(tmp_path / "run")
    code, out, err = learn("--model", "offline/restates", "--run", run)
    told = json.loads(out)
    assert code == 0 and {key: told[key] for key in plain} == plain
    assert told["explained_by"] == "offline/restates"
    said = told["explanations"]["drop_term:bad"]
    assert said["check_first"] == "Look at r/n.py." and said["risk"] == "No area is seen that it could hurt."
    assert said["explanation"].startswith("drop_term: Without the search term 'bad' 24 files")
    assert f"  {said['explanation']}" in err
    again = str(tmp_path / "again")
    assert json.loads(learn("--model", f"replay:{run}", "--run", again)[1]) == told


def test_a_run_has_a_name_by_default(learn, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    learn("--model", "offline/restates")
    (run,) = (tmp_path / "runs").iterdir()
    assert run.name.startswith("codesearch-learn-")
    assert "explained before" in learn("--model", "offline/restates")[2]


def test_a_dry_run_asks_and_writes_nothing(learn, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = learn("--model", "anthropic/claude-haiku-4-5", "--dry-run", "--price", "1,5")
    assert code == 0 and "explaining" in out and "nothing was sent" in err
    assert not (tmp_path / "runs").exists()


def test_a_key_that_is_not_accepted_is_an_error_of_one_paragraph(learn, tmp_path, monkeypatch):
    with LoopbackServer(lambda _: Status(401)) as server:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        code, out, err = learn("--model", "anthropic/m", "--run", str(tmp_path / "run"))
    assert (code, out) != (0, "") and code != 0 and not out and "does not accept the key" in err

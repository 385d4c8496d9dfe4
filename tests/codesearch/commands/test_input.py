"""Bad input of every kind: one paragraph that says what, where and what to do, and never a traceback."""

import io
import json

import pytest

from codesearch.pipeline_files import ISSUES, conversation, make_code, pipeline, search_results, searched

REPOSITORIES = ("--repos-path", "code", "--repo", "aero", "--repo", "tack")


class Given:
    """Standard input with these bytes."""

    def __init__(self, text, terminal=False):
        self.buffer = io.BytesIO(text.encode() if isinstance(text, str) else text)
        self.isatty = lambda: terminal


@pytest.fixture
def codesearch(tmp_path, monkeypatch, tellapart):
    """Run a command in a directory with ``code/aero`` and ``code/tack``, and a text on standard input."""
    make_code(tmp_path / "code")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TELLAPART_INDEX", str(tmp_path / "index"))

    def run(command, *options, given="", terminal=False):
        monkeypatch.setattr("sys.stdin", Given(given, terminal))
        done = tellapart("codesearch", command, *options)
        assert "Traceback" not in done.err
        return done

    return run


@pytest.fixture
def evaluate(codesearch):
    def run(*options, given=None):
        return codesearch(
            "evaluate", *REPOSITORIES, *options, given=search_results() if given is None else given
        )

    return run


def refusal(done):
    """The one paragraph of a refused command."""
    assert (done.code, done.out) == (2, ""), done.err
    paragraph = done.err.strip()
    assert paragraph.startswith("error: ") and "\n" not in paragraph
    return paragraph.removeprefix("error: ")


EVALUATION = json.dumps(
    {"iteration_number": 1, "metrics": {}, "conversations": [conversation("c1", run_a={})]}
)
NO_FILES = [
    ("", "is empty"),
    (search_results()[:200], "It breaks off: let the step before come to its end"),
    ("[]", "[], expected an object. Expected is {'conversations': ["),
    ("{}", "'conversations' is missing. Expected is {'conversations': ["),
    (EVALUATION, "this is an evaluation, expected search results. For its figures once more: tellapart"),
    (
        pipeline(conversation("c1")),
        "these are conversations, expected search results. They are for: tellapart codesearch search",
    ),
    (search_results(iteration_number=0), "'iteration_number' is 0, expected"),
]


@pytest.mark.parametrize(("text", "told"), NO_FILES)
def test_what_is_no_file_of_search_results(evaluate, tmp_path, text, told):
    on_stdin = refusal(evaluate(given=text))
    assert on_stdin.startswith("standard input:") and told in on_stdin
    (tmp_path / "it.json").write_bytes(text.encode() if isinstance(text, str) else text)
    from_file = refusal(evaluate("--in", "it.json", given="not read"))
    assert from_file == on_stdin.replace("standard input:", "it.json:", 1)
    assert not (tmp_path / "runs").exists()


def test_failed_searches_are_unusable_and_no_zeros(codesearch, evaluate):
    program = "sh -c 'case $1 in c2) exit 3;; esac; echo aero/lib/pins.py' sh {conversation_id}"
    done = codesearch(
        "search", *REPOSITORIES, "--command", program, given=pipeline(*map(conversation, ISSUES))
    )
    assert done.code == 0 and "conversation 'c2' is left out: its search failed (provider)" in done.err
    record = json.loads(evaluate(given=done.out).out)
    assert record["metrics"]["aggregate"]["conversations_evaluated"] == 2
    assert [one["conversation_id"] for one in record["unusable_conversations"]] == ["c2"]
    assert record["system"] == program
    assert evaluate("--strict", given=done.out).code == 1


OPTIONS = [
    (("--explorer-a", "lexcal"), "the explorer is 'lexcal'. Did you mean 'lexical'?"),
    (("--explorer-b", "agent"), "the explorer is 'agent', expected 'agent:PROVIDER/MODEL'"),
    (("--explorer-a", "replay:gone.json"), "gone.json: there is no evaluation here"),
    (("--explorer-a", "agent:anthropc/m"), "Did you mean 'anthropic'?"),
    (("--explorer-a", "agent:anthropic/m"), "ANTHROPIC_API_KEY is not set"),
    (("--judge", "claude"), "'claude' is not named as PROVIDER/MODEL"),
    (("--judge", "replay:gone"), "gone: there is no evaluation here"),
    (("--max-cost", "1"), "no language model is asked, so this has no effect: --max-cost"),
    (("--out", "code"), "code: this is a directory, expected a file"),
    (("--in", "it.json", "--out", "it.json"), "it.json: this file is an input and would be lost"),
    (
        ("--out", "code/aero/it.json"),
        "the output lies in the repository 'aero', where explorers would read it",
    ),
    (("--in", "code/aero/lib/feed.py"), "the input code/aero/lib/feed.py lies in the repository 'aero'"),
    (("--run", "code/tack/run"), "the run lies in the repository 'tack'"),
    (("--repo", "zuck"), "code: there is no repository 'zuck'"),
    (("--repo", "../code"), "the approved repository is '../code', expected the name of a directory"),
]


@pytest.mark.parametrize(("options", "told"), OPTIONS)
def test_options_that_cannot_work_are_refused_before_any_work(evaluate, tmp_path, monkeypatch, options, told):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    (tmp_path / "it.json").write_text(search_results())
    assert told in refusal(evaluate(*options))
    assert (tmp_path / "it.json").read_text() == search_results()
    assert not (tmp_path / "runs").exists() or not any((tmp_path / "runs").glob("*/run.db"))


def test_under_strict_a_suspect_exploration_fails_and_the_evaluation_is_written(evaluate, tmp_path):
    given = pipeline(searched("c1"), searched("c2", issue_summary="Übersetzung fehlt überall"))
    done = evaluate("--strict", "--out", "evaluation.json", given=given)
    assert (done.code, done.out) == (1, "")
    assert (
        "the evaluation is doubtful, and --strict was given: run_a found nothing, without an error, in c2"
        in done.err
    )
    record = json.loads((tmp_path / "evaluation.json").read_text())
    assert record["metrics"]["exploring"]["run_a"]["suspect"] == ["c2"]
    assert evaluate("--out", "again.json", given=given).code == 0
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "evaluation.json").read_bytes()


def test_the_lexical_search_is_not_judged_by_the_lexical_explorer_in_silence(codesearch, evaluate):
    judged = "The system and run A (lexical) are of one kind"
    found = codesearch("search", *REPOSITORIES, given=pipeline(*map(conversation, ISSUES)))
    for options, said in ((), False), (("--explorer-a", "lexical"), True):
        done = evaluate(*options, given=found.out)
        assert (judged in done.err) is said
        assert any(judged in warning for warning in json.loads(done.out)["warnings"]) is said
        again = codesearch("rescore", given=done.out)
        assert again.out == done.out

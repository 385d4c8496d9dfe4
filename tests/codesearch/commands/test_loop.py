"""``tellapart codesearch loop`` with a judge that a server on this machine plays, and that breaks down."""

import json
import sys

import pytest

from codesearch.judging.judged import assessed, files_in
from codesearch.pipeline_files import CODE, ISSUES, conversation, make_code
from codesearch.played_models import JUDGE, A, B, is_exploration, judges, opening, playing
from support.loopback import LoopbackServer
from support.recorded import calls_of


def system_that_finds(files):
    return f"import json; print(json.dumps({{'files_found': {sorted(files)}}}))"


def page_of(tellapart, *options):
    done = tellapart("codesearch", "report", "loop", "--markdown", "loop.md", *options)
    assert done.code == 0, done.err
    return done


@pytest.fixture
def loop(tmp_path, monkeypatch, tellapart):
    """Run a loop over a system that finds every file, with a judge behind a server."""
    make_code(tmp_path / "code")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TELLAPART_INDEX", str(tmp_path / "index"))
    (tmp_path / "system.py").write_text(system_that_finds(CODE))
    config = {
        "repos_path": str(tmp_path / "code"),
        "approved_repos": ["aero", "tack"],
        "models": {"judge": f"anthropic/{JUDGE}"},
        "search": {"command": f"{sys.executable} {tmp_path / 'system.py'}"},
        "loop": {"max_iterations": 2},
        "assess": False,
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    issues = {"conversations": [conversation(name) for name in ISSUES]}
    (tmp_path / "conversations.json").write_text(json.dumps(issues))

    def run(server, *options):
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        files = ("--config", "config.json", "--in", "conversations.json", "--dir", "loop")
        done = tellapart("codesearch", "loop", *files, *options)
        assert "Traceback" not in done.err
        return done

    return run


def read(tmp_path, *parts):
    return json.loads(tmp_path.joinpath("loop", *parts).read_text())


def words_of(request):
    """All that a request says, by which the same one is known again."""
    return json.dumps([request.body["model"], request.messages])


def test_no_prompt_is_sent_twice_and_a_changed_answer_asks_only_for_its_new_files(loop, tmp_path):
    config = json.loads((tmp_path / "config.json").read_text())
    models = {"exploration_opus": f"agent:anthropic/{A}", "exploration_sonnet": f"agent:anthropic/{B}"}
    config |= {
        "models": config["models"] | models,
        "loop": {"max_iterations": 4},
        "assess": True,
        "calibration_iterations": 5,
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    found = sorted(CODE)

    def system():
        (tmp_path / "system.py").write_text(system_that_finds(found))

    play = playing(lambda model, issue: ["aero/lib/pins.py"])

    def respond(request):
        if is_exploration(request) or files_in(opening(request)):
            return play(request)
        return assessed(without={"snippet_quality"})

    new = found.pop()
    system()
    with LoopbackServer(respond) as server:

        def asked(*options):
            before = len(server.requests)
            done = loop(server, "--next", *options)
            assert done.code == 0, done.err
            return server.requests[before:], done

        first, _ = asked()
        unchanged, done = asked()
        found.append(new)
        system()
        more, _ = asked()
        found.remove("aero/lib/feed.py")
        found.remove(new)
        system()
        fewer, _ = asked()
        # A loop elsewhere, over the same, has nothing to ask either.
        other, _ = asked("--dir", "other", "--reuse", "loop")
        sent = [words_of(each) for each in server.requests]
    assert len({words_of(each) for each in first}) == len(first) == 2 * 2 * len(ISSUES) + 2 * len(ISSUES)
    assert (unchanged, other) == ([], [])
    assert "taken over from earlier: 6 of 6 explorations" in done.err
    assert "taken over from earlier: 6 of 6 verdicts" in done.err
    assert not any(is_exploration(each) for each in [*more, *fewer])
    judged = [[path for _, path, _ in files_in(opening(each))] for each in more if files_in(opening(each))]
    assert judged == [[new]] * len(ISSUES)
    # Each search as a whole is another one, so it is assessed anew.
    assert len(more) == 2 * len(ISSUES) and len(fewer) == len(ISSUES)
    assert len(sent) == len(set(sent))
    _, *later = read(tmp_path, "history.json")["iterations"]
    assert [one["same_files"] for one in later] == [True, False, False]
    assert all(one["same_ground_truth"] for one in later)


def test_the_highest_cost_is_that_of_the_whole_loop(loop, tmp_path):
    (tmp_path / "system.py").write_text(system_that_finds(sorted(CODE)[:3]))
    limited = ("--next", "--price", "300,1500", "--max-cost")
    with LoopbackServer(judges) as server:
        assert loop(server, *limited, "100").code == 0
        (tmp_path / "system.py").write_text(system_that_finds(CODE))
        before = len(server.requests)
        usages = [call["usage"] for call in calls_of(tmp_path / "loop/iteration-1/run") if "usage" in call]
        spent = sum(300 * one["input_tokens"] + 1500 * one["output_tokens"] for one in usages) / 1e6
        stopped = loop(server, *limited, f"{spent + 0.01:.4f}")
        assert (stopped.code, len(server.requests)) == (1, before)
        assert f"iteration-2: {spent:.2f} of {spent + 0.01:.2f} US dollars are spent" in stopped.err
        assert loop(server, *limited, "100").code in (0, 4)
        assert before < len({words_of(each) for each in server.requests}) == len(server.requests)


def test_the_report_of_a_loop_compares_its_iterations(loop, tellapart, tmp_path):
    with LoopbackServer(judges) as server:
        assert loop(server).code == 0
    done = page_of(tellapart, "--html", "loop.html")
    text = (tmp_path / "loop.md").read_text()
    assert "Does the last iteration differ? By F1" in text and "Pairs of iterations (differences" in text
    assert "Pairs of iterations (differences" in done.out
    one = tellapart("codesearch", "report", "loop/iteration-1")
    assert one.code == 0 and "Pairs of iterations" not in one.out
    # The same verdict as the audit of the runs.
    since = read(tmp_path, "history.json")["iterations"][1]
    runs = [f"loop/iteration-{n}/run" for n in (1, 2)]
    audited = json.loads(tellapart("audit", *runs, "--json").out)["comparison"]
    assert audited["cautions"] == []
    (pair,), (other,) = since["comparison"]["primary"]["pairs"], audited["primary"]["pairs"]
    assert pair | {"a": "", "b": ""} == other | {"a": "", "b": ""}

"""A hunt for planted keys: commands against servers and programs that repeat what they get.

Each key is looked for in what is printed, in every file that is left (runs, journals, Inspect's logs, pages,
caches, temporary files, logs of crashes), and in the environment of every program that is started.
"""

import json
import os
import shutil
import stat
import sys
import tempfile
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log

from codesearch.pipeline_files import ISSUES, conversation, make_code, pipeline
from longcontext.commands.test_run import ANSWERS, SMALL
from support.loopback import LoopbackServer, Reply, Status
from tellapart.llm.wire import Wait

pytestmark = pytest.mark.process

KEYS = {
    "OPENAI_API_KEY": "sk-proj-Zq7Lw2Nf9Tb4Rk8Vd3Hm6Ys1Gc5Px0Wj",
    "ANTHROPIC_API_KEY": "sk-ant-api03-Qm4Xz8Lc2Vn6Bt1Ks9Hd5Gf3Jw7Rp0Ye",
    "TELLAPART_SEARCH_TOKEN": "tok-Uy3Ri7Eo1Wp5Qa9Sd2Fg6Hj4",
    "HF_TOKEN": "hf_PlAnTeDoFtHeHuBxYzQwErTyUiOpAs",
    "BILLING_PASSWORD": "Nb6Vc2Xz8Lk4Jh1Gf7Ds3",
    "QUEUE_PASSWORD": "Vx7kQ2pt",
}
IN_ADDRESS = "Ty5Gh9Bn3Mj7Ku1Lo6"
IN_CODE = "ghp_Xw2Ce6Vr9Bt4Ny8Mu3Ik7Ol1Pq5Az0Sd4Fg"
REPOSITORIES = ("--repos-path", "code", "--repo", "aero", "--repo", "tack")
SEARCH = ("codesearch", "search", *REPOSITORIES, "--in", "conversations.json", "--out", "found.json")
PROBE = """
import json, os, sys
from pathlib import Path
shown = Path("/proc/self/environ").read_bytes().decode().replace(chr(0), "\\n")
with open({seen!r}, "a") as seen:
    seen.write(f"== {{sys.argv[1:]}}\\n{{shown}}\\n")
print(shown, file=sys.stderr)
if {fails!r}:
    sys.exit(3)
if sys.argv[1:2] == ["talk"]:
    for line in sys.stdin:
        print(json.dumps({{"content": shown}}), flush=True)
else:
    print(json.dumps({{"files_found": ["aero/lib/pins.py"], "note": shown}}))
"""
SERVER = """
import os
from mcp.server.mcpserver import MCPServer
server = MCPServer("search")

@server.tool()
def search(query: str) -> list[dict]:
    return [{"path": "aero/lib/pins.py", "note": str(dict(os.environ))}]

server.run("stdio")
"""


class Hunt:
    """A directory with planted keys, in which commands are run."""

    def __init__(self, directory, tellapart, monkeypatch):
        self.directory, self._tellapart = directory, tellapart
        # What is looked for lies beside what is searched.
        self.seen = directory.parent / "seen-by-programs"
        self.seen.touch()
        self._printed = []
        for name, key in KEYS.items():
            monkeypatch.setenv(name, key)
        homes = ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME")
        for name in (*homes, "TMPDIR", "TELLAPART_INDEX"):
            (directory / name).mkdir()
            monkeypatch.setenv(name, str(directory / name))
        monkeypatch.setattr(tempfile, "tempdir", str(directory / "TMPDIR"))
        monkeypatch.chdir(directory)
        make_code(directory / "code")
        self.planted = {directory / "code/aero/.env", directory / "code/aero/lib/token.py"}
        (directory / "code/aero/.env").write_text(f"KEY={IN_CODE}\npins = 1\n")
        (directory / "code/aero/lib/token.py").write_text(f"pins = '{IN_CODE}'\n")
        (directory / "conversations.json").write_text(pipeline(*map(conversation, ISSUES)))
        (directory / "small.txt").write_text(SMALL)
        (directory / "answers.txt").write_text(ANSWERS)
        (directory / "eval.jsonl").write_text(EVAL)
        (directory / "server.py").write_text(SERVER)
        for name, fails in (("probe.py", False), ("failing.py", True)):
            (directory / name).write_text(PROBE.format(seen=str(self.seen), fails=fails))

    def run(self, *arguments, codes=(0,)):
        done = self._tellapart(*arguments)
        self._printed.append(f"{done.out}\n{done.err}")
        assert done.code in codes, (done.code, done.err)
        return done

    def found(self):
        """Where any key is, but for the files in which it was planted."""
        texts = {"printed": "\n".join(self._printed), "programs": self.seen.read_text(errors="replace")}
        for path in self.directory.rglob("*"):
            if path.is_file() and path not in self.planted:
                texts[str(path)] = path.read_bytes().decode("utf-8", "replace")
                if path.suffix == ".eval":
                    texts[f"{path}, unpacked"] = read_eval_log(path).model_dump_json()
        keys = {**KEYS, "address": IN_ADDRESS, "code": IN_CODE}
        return sorted(
            (name, where) for name, key in keys.items() for where, text in texts.items() if key in text
        )


EVAL = "".join(
    json.dumps({"query": f"words of {i}", "positive": [f"text {i}"], "negative": ["a", "b", "c"]}) + "\n"
    for i in range(3)
)


@pytest.fixture
def hunt(tmp_path, tellapart, monkeypatch):
    (tmp_path / "here").mkdir()
    return Hunt(tmp_path / "here", tellapart, monkeypatch)


@contextmanager
def echoing(status, location=None):
    """A server that repeats all that it is sent, in its headers and its body; gives its address."""

    class Echo(BaseHTTPRequestHandler):
        def do_POST(self):
            sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            said = f"no: {self.path} {dict(self.headers)}"
            body = {"error": {"message": said}, "files_found": ["aero/lib/pins.py"], "note": said}
            if status == 200 and self.path.endswith("/embeddings"):
                texts = json.loads(sent)["input"]
                rows = [{"index": i, "embedding": [1.0, i]} for i in range(len(texts))]
                body = {"data": rows, "model": said, "usage": None}
            content = json.dumps(body).encode()
            self.send_response(status)
            for name, value in (("Content-Length", len(content)), ("Location", location)):
                if value:
                    self.send_header(name, str(value))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def signed(address):
    """The address with a user and a password."""
    return address.replace("//", f"//me:{IN_ADDRESS}@")


def test_the_hunt_finds_what_is_there(hunt):
    (hunt.directory / "left").write_text(f"x{KEYS['HF_TOKEN']}")
    hunt.seen.write_text(f"A={KEYS['BILLING_PASSWORD']}")
    assert [(name, Path(where).name) for name, where in hunt.found()] == [
        ("BILLING_PASSWORD", "programs"),
        ("HF_TOKEN", "left"),
    ]


@pytest.mark.parametrize("status", [200, 401, 307])
def test_embeddings_and_search_services_leave_no_key(hunt, status):
    with echoing(200) as other, echoing(status, status == 307 and f"{other}/elsewhere?key=x") as address:
        embedded = ("--model", "openai:m", "--base-url", f"{signed(address)}/v1")
        score = ("bundles", "score", "eval.jsonl", *embedded, "--out", "board.json")
        hunt.run(*score, codes=(2 * (status != 200),))
        hunt.run(*SEARCH, "--system", f"{signed(address)}/search", codes=(0, 2))
    assert hunt.found() == []


@pytest.mark.parametrize("plan", ["says", 401, 307])
def test_language_models_leave_no_key(hunt, plan, monkeypatch):
    def respond(request):
        says = json.dumps({"score": 1, "why": f"{dict(request.headers)}"})
        return Reply(says) if plan == "says" else Status(plan, says, location=f"{other.url}/elsewhere?key=x")

    codes = (0, 1, 2, 4) if plan == "says" else (2,)
    monkeypatch.setattr(Wait, "__call__", lambda *_: 0.0)
    with LoopbackServer("no") as other, LoopbackServer(respond) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{signed(server.url)}/v1")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", signed(server.url))
        openai, anthropic = "openai/gpt-4.1-mini", "anthropic/claude-haiku-4-5"
        play = ("longcontext", "run", "small.txt", "--run", "played", "--delay", 0, "--model", openai)
        hunt.run(*play, codes=codes)
        if plan == "says":
            grade = ("longcontext", "grade", "played", "--answers", "answers.txt", "--run", "graded")
            hunt.run(*grade, "--grader", "judge", "--judge", anthropic, codes=codes)
            hunt.run("longcontext", "report", "graded", "--html", "page.html")
        assert other.requests == []
    assert hunt.found() == []


def test_programs_are_given_no_key_and_leave_none(hunt, monkeypatch):
    _spy(hunt, "rg", monkeypatch)
    python = sys.executable
    hunt.run(*SEARCH, "--command", f"{python} probe.py {{issue}}")
    failed = hunt.run(*SEARCH, "--command", f"{python} failing.py {{issue}}", codes=(2,))
    assert "it was not given ANTHROPIC_API_KEY, BILLING_PASSWORD, HF_TOKEN and 3 more" in failed.err
    hunt.run(*SEARCH, "--system", f"mcp:{python} server.py#search?query={{issue}}")
    hunt.run(*SEARCH, "--system", "ripgrep:")
    hunt.run("longcontext", "run", "small.txt", "--command", f"{python} probe.py talk", "--run", "played")
    seen = hunt.seen.read_text()
    assert "spied rg" in seen
    assert hunt.found() == []


def test_a_variable_that_is_passed_is_given_and_still_left_nowhere(hunt):
    command = f"{sys.executable} probe.py {{issue}}"
    hunt.run(*SEARCH, "--command", command, "--pass-env", "HF_TOKEN")
    played = ("longcontext", "run", "small.txt", "--run", "played")
    hunt.run(*played, "--command", f"{sys.executable} probe.py talk", "--pass-env", "HF_*")
    assert f"HF_TOKEN={KEYS['HF_TOKEN']}" in hunt.seen.read_text()
    hunt.seen.write_text("")
    assert hunt.found() == []


def test_a_crash_leaves_no_key(hunt, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError(f"sent {os.environ['OPENAI_API_KEY']} to http://me:{IN_ADDRESS}@host")

    monkeypatch.setattr("tellapart.embed.models.openai.OpenAIEmbedder.encode", broken)
    score = ("bundles", "score", "eval.jsonl", "--model", "openai:m", "--out", "board.json")
    hunt.run(*score, "--base-url", f"http://me:{IN_ADDRESS}@127.0.0.1:1/v1", codes=(70,))
    assert hunt.found() == []


def _spy(hunt, name, monkeypatch):
    """Put a program in front of another that writes down its environment, and then is that other one."""
    real = shutil.which(name) or shutil.which(Path(sys.executable).with_name(name))
    assert real is not None
    spies = hunt.directory.parent / "spies"
    spies.mkdir()
    spy = spies / name
    spy.write_text(f"#!/bin/sh\n{{ echo spied {name}; env; }} >> '{hunt.seen}'\nexec '{real}' \"$@\"\n")
    spy.chmod(spy.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{spies}{os.pathsep}{os.environ['PATH']}")

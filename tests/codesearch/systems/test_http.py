import json
import threading
import time
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from codesearch.systems.searched import request, searched
from tellapart.codesearch.kinds import load
from tellapart.codesearch.model import Failed
from tellapart.codesearch.systems.system import TOKEN
from tellapart.errors import UsageError


@contextmanager
def service(reply):
    """A real service on this machine: ``reply(handler, body)`` gives status, headers and body."""

    class Handler(BaseHTTPRequestHandler):
        def answer(self):
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, headers, content = reply(self, body)
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            with suppress(BrokenPipeError):
                self.wfile.write(content)

        do_GET = do_POST = answer

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def test_an_issue_is_posted_and_the_reply_is_the_answer(tmp_path, monkeypatch):
    monkeypatch.setenv(TOKEN, "hush")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")  # Not for what is on this machine.
    monkeypatch.delenv("no_proxy", raising=False)
    asked = []

    def reply(handler, body):
        asked.append((handler.command, handler.path, handler.headers["Authorization"], json.loads(body)))
        return 200, {}, b'["a/pins.py"]'

    with service(reply) as address:
        (answer,) = searched(tmp_path, f"http:{address}/find", 'pins "fail"', top_k=7, iteration=2)
    assert answer.output == b'["a/pins.py"]'
    ((method, path, authorization, body),) = asked
    assert (method, path, authorization) == ("POST", "/find", "Bearer hush")
    issue = {"conversation_id": "c0", "issue_summary": 'pins "fail"', "product_area": "uncertain"}
    where = {"repos_path": str(tmp_path / "code"), "approved_repos": ["a", "b"]}
    asked = {"classification_confidence": None, "iteration_number": 2, "learnings": None, "top_k": 7}
    assert body == issue | where | asked


def test_a_key_in_an_address_is_not_in_its_name(tmp_path):
    system = load("systems", request(tmp_path, "http://127.0.0.1:1/find?key=hush"))
    assert system.name == "http:http://127.0.0.1:1/find"
    with pytest.raises(UsageError, match="to which each issue is posted"):
        load("systems", request(tmp_path, "http://127.0.0.1:1/find?q={issue}")).check()


def test_a_password_in_an_address_is_refused_and_not_repeated(tmp_path):
    with pytest.raises(UsageError, match="bearer token") as refused:
        load("systems", request(tmp_path, "http://me:hush@host/x")).check()
    assert "hush" not in str(refused.value)


def test_what_goes_wrong_is_recorded_with_its_cause(tmp_path):
    def reply(handler, _):
        if handler.path == "/slow":
            time.sleep(1.5)
        if handler.path == "/moved":
            return 307, {"Location": "/x?key=hush"}, b""
        return 503, {}, b"the index is not ready"

    def failed(path):
        (outcome,) = searched(tmp_path, f"{address}{path}", "pins", timeout_s=1.0)
        return outcome

    with service(reply) as address:
        assert failed("/x") == Failed(
            "provider", "status", f"{address}/x replied with status 503: the index is not ready"
        )
        assert failed("/slow") == Failed("timeout", "timeout", f"{address}/slow took more than 1 s")
        moved = failed("/moved")
        assert moved.kind == "redirect" and f"{address}/x," in moved.detail and "hush" not in moved.detail
    gone = failed("/x")
    assert (gone.cause, gone.kind) == ("provider", "connection")


def test_an_issue_is_not_sent_to_another_server(tmp_path):
    arrived = []

    def other(handler, _):
        arrived.append(handler.path)
        return 200, {}, b"a/x.py"

    with service(other) as away, service(lambda *_: (308, {"Location": f"{away}/x"}, b"")) as address:
        (outcome,) = searched(tmp_path, f"{address}/", "pins")
    assert arrived == [] and outcome.kind == "redirect" and f"redirects to {away}/x, " in outcome.detail

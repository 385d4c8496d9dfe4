import hashlib
import shutil
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from huggingface_hub import constants

from tellapart.embed.model_files import ModelFiles, find_model
from tellapart.embed.registry import load_embedder
from tellapart.errors import InputError

COMMIT = "c" * 40


@pytest.fixture
def unreachable(monkeypatch, tmp_path):
    """A hub at a port where nobody listens, and an empty place for downloads."""
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:1")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub"


@pytest.fixture
def hub(monkeypatch):
    """A hub on the loopback interface that knows owner/tiny and nothing else."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.server.paths.append(self.path)
            known = self.path.startswith("/api/models/owner/tiny")
            body = b'{"id": "owner/tiny", "sha": "%s"}' % COMMIT.encode() if known else b"{}"
            self.send_response(200 if known else 404)
            if not known:
                self.send_header("X-Error-Code", "RepoNotFound")
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.paths = []
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_directory_is_named_by_its_content(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "b").write_bytes(b"two")
    (tmp_path / "sub" / "a").write_bytes(b"one")
    # As `sha256sum b sub/a | sha256sum` has it.
    lines = f"{hashlib.sha256(b'two').hexdigest()}  b\n{hashlib.sha256(b'one').hexdigest()}  sub/a\n"
    digest = hashlib.sha256(lines.encode()).hexdigest()
    assert find_model(str(tmp_path)) == ModelFiles(str(tmp_path), None, f"files=sha256:{digest}")


@pytest.mark.parametrize("reference", ["/no/such/model", "./tiny/", "~/no/such", "a/b/c", "a b"])
def test_what_is_neither_directory_nor_id_is_refused_at_once(reference):
    with pytest.raises(InputError, match=f"there is no directory {reference!r}. Give the directory"):
        find_model(reference)


@pytest.mark.parametrize(
    ("reference", "path"),
    [("owner/tiny", "/api/models/owner/tiny"), ("owner/tiny@v1", "/api/models/owner/tiny/revision/v1")],
)
def test_the_hub_is_asked_for_the_commit(hub, reference, path):
    identity = f"model=owner/tiny revision={COMMIT}"
    assert find_model(reference) == ModelFiles("owner/tiny", COMMIT, identity)
    assert hub.paths[-1] == path


def test_a_model_that_the_hub_does_not_have_is_refused(hub):
    with pytest.raises(InputError, match="'owner/tyni' is neither a directory nor a model that .* hub"):
        find_model("owner/tyni")


def test_without_the_hub_a_model_not_downloaded_is_refused(unreachable):
    with pytest.raises(InputError, match="'owner/tiny' is neither on this machine nor within reach"):
        find_model("owner/tiny")


def test_without_the_hub_a_downloaded_model_serves(unreachable, tiny_model):
    downloaded = unreachable / "models--owner--tiny"
    shutil.copytree(tiny_model, downloaded / "snapshots" / COMMIT)
    (downloaded / "refs").mkdir()
    (downloaded / "refs" / "main").write_text(COMMIT)
    model = load_embedder("st:owner/tiny")
    assert model.fingerprint == f"sentence-transformers model=owner/tiny revision={COMMIT}"
    expected = load_embedder(f"st:{tiny_model}").encode(["sort"])
    assert model.encode(["sort"]).tobytes() == expected.tobytes()

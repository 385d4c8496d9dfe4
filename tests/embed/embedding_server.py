"""An OpenAI-compatible server on the loopback interface whose answers are scripted."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def embedding(text):
    """What the server gives for a text unless told otherwise: its length and its first character."""
    return [float(len(text)), float(ord(text[0]))]


def answer(request, vectors=None, order=lambda rows: rows):
    texts = request["input"]
    vectors = [embedding(text) for text in texts] if vectors is None else vectors
    rows = [{"object": "embedding", "index": i, "embedding": vector} for i, vector in enumerate(vectors)]
    usage = {"prompt_tokens": 2 * len(texts), "total_tokens": 2 * len(texts)}
    return {"object": "list", "data": order(rows), "model": request["model"], "usage": usage}


class EmbeddingServer:
    """Answers each request with the next of ``script``, and with good vectors once that is used up.

    An entry is a function of the request that returns a body, a tuple (status, headers, body), or ``"cut"``
    to hang up in the middle of an answer.
    """

    def __init__(self, *script):
        self.script = list(script)
        self.requests = []
        self.keys = []
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})
        self.url = f"http://127.0.0.1:{self._http.server_port}/v1"

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def _handler(server):
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.requests.append({"path": self.path, **request})
                server.keys.append(self.headers.get("Authorization"))
                step = server.script.pop(0) if server.script else answer
                if step == "cut":
                    self._send(200, {"Content-Length": "1000"}, b'{"data": [')
                    self.close_connection = True
                    return
                status, headers, body = step if isinstance(step, tuple) else (200, {}, step(request))
                content = body if isinstance(body, bytes) else json.dumps(body).encode()
                self._send(status, {"Content-Type": "application/json"} | headers, content)

            def _send(self, status, headers, content):
                self.send_response(status)
                for name, value in ({"Content-Length": str(len(content))} | headers).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_):
                pass

        return Handler

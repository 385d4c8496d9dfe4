import time

import numpy as np
import pytest

from embed.embedding_server import EmbeddingServer, answer, embedding
from tellapart.embed.models import openai
from tellapart.embed.models.openai import OpenAIEmbedder
from tellapart.embed.registry import load_embedder
from tellapart.errors import ProviderError, UsageError


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "a-key")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


SOON = {"retry_after_ms": "1"}
GOES_ON = "What was finished before is kept, and the same command goes on."


def failure(status, message="no luck", **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return status, named, {"error": {"message": message}}


def refusal(server, texts=("a", "bb"), retries=None):
    with pytest.MonkeyPatch.context() as patch, pytest.raises(ProviderError) as caught:
        if retries is not None:
            patch.setattr(openai, "_RETRIES", retries)
        OpenAIEmbedder("tiny", base_url=server.url).encode(texts)
    prefix = f"openai:tiny at {server.url.removeprefix('http://')} "
    assert str(caught.value).startswith(prefix)
    return str(caught.value).removeprefix(prefix)


def test_a_request_names_model_format_and_key():
    with EmbeddingServer() as server:
        vectors = OpenAIEmbedder("tiny", base_url=server.url).encode(["a", "bb"])
    assert vectors.dtype == np.float32
    assert vectors.tolist() == [embedding("a"), embedding("bb")]
    assert server.requests == [
        {"path": "/v1/embeddings", "model": "tiny", "input": ["a", "bb"], "encoding_format": "float"}
    ]
    assert server.keys == ["Bearer a-key"]


def test_a_server_that_is_busy_is_asked_again_after_the_time_it_names():
    with EmbeddingServer(failure(429, retry_after="1")) as server:
        start = time.monotonic()
        vectors = OpenAIEmbedder("tiny", base_url=server.url).encode(["a"])
        waited_s = time.monotonic() - start
    assert vectors.tolist() == [embedding("a")]
    assert len(server.requests) == 2
    # The library's own first wait is at most half a second.
    assert waited_s >= 1


@pytest.mark.parametrize("trouble", [failure(500, **SOON), failure(503, **SOON), "cut"])
def test_a_server_in_trouble_is_asked_again(trouble):
    with EmbeddingServer(trouble) as server:
        assert OpenAIEmbedder("tiny", base_url=server.url).encode(["a"]).tolist() == [embedding("a")]
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("status", "says"),
    [
        (400, "answered with an error ({}). "),
        (401, "does not accept the key ({}). Set OPENAI_API_KEY to a key that it accepts. "),
        (402, "has no credit left ({}). Add credit, or set OPENAI_API_KEY to a key that has some. "),
        (403, "does not allow this ({}). Set OPENAI_API_KEY to a key that may use this model. "),
        (404, "does not know this model ({}). Check the model's name, and the base URL if you gave one. "),
    ],
)
def test_a_refusal_is_not_repeated_and_says_what_to_do(status, says):
    with EmbeddingServer(failure(status, "not this")) as server:
        assert refusal(server) == says.format(f"Error code: {status} - not this") + GOES_ON
    assert len(server.requests) == 1


def test_texts_go_in_batches_in_whose_answers_any_order_is_right(monkeypatch):
    monkeypatch.setattr(openai, "_TEXTS_A_REQUEST", 3)
    texts = [chr(97 + n) * (n + 1) for n in range(7)]
    with EmbeddingServer(lambda request: answer(request, order=lambda rows: rows[::-1])) as server:
        vectors = OpenAIEmbedder("tiny", base_url=server.url).encode(texts)
    assert [request["input"] for request in server.requests] == [texts[:3], texts[3:6], texts[6:]]
    assert vectors.tolist() == [embedding(text) for text in texts]


@pytest.mark.parametrize(
    ("vectors", "says"),
    [
        ([[1, 2]], "sent 1 vectors for 2 texts, expected one for each."),
        ([[1, 2]] * 3, "sent 3 vectors for 2 texts, expected one for each."),
        ([[1, 2], [1]], "did not send a list of vectors of one length ("),
        ([["x"], ["y"]], "did not send a list of vectors of one length ("),
    ],
)
def test_what_is_no_vector_for_each_text_is_an_error(vectors, says):
    with EmbeddingServer(lambda request: answer(request, vectors)) as server:
        assert refusal(server).startswith(says)


def test_a_server_that_is_not_there_is_an_error():
    with EmbeddingServer() as server:
        pass
    assert refusal(server, retries=0).startswith("could not be reached (")


def test_a_missing_key_is_said_at_once(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(UsageError, match="'openai:tiny' needs a key and OPENAI_API_KEY is not set"):
        load_embedder("openai:tiny")


def test_the_fingerprint_names_server_and_model_but_no_password():
    model = OpenAIEmbedder("tiny", base_url="https://me:secret@example.org:8443/v1/")
    assert model.fingerprint == "openai server=example.org:8443/v1 model=tiny dimensions=None"


@pytest.mark.parametrize("status", [302, 307])
def test_texts_are_not_sent_to_another_server(status):
    with EmbeddingServer() as other, EmbeddingServer() as server:
        server.script = [(status, {"Location": f"{other.url}/embeddings?key=hush"}, {})]
        message = refusal(server, ["private code"])
    assert other.requests == [] and len(server.requests) == 1
    assert message == (
        f"redirects to {other.url}/embeddings, another server, to which nothing was sent. If that address is "
        "right, give it in the place of this one."
    )


def test_a_reply_that_does_not_end_is_given_up(monkeypatch):
    monkeypatch.setattr(openai, "_MOST_REPLY_BYTES", 1000)
    with EmbeddingServer((200, {}, b"[" * 100_000)) as server:
        assert "sent more than 1,000 bytes in one reply" in refusal(server, retries=0)

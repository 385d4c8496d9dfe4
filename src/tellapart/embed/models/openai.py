"""Models behind an OpenAI-compatible ``/v1/embeddings``."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING
from weakref import finalize

import numpy as np

from tellapart.core.addresses import without_password
from tellapart.core.arrays import F32
from tellapart.core.failure_words import refused_call
from tellapart.embed.protocol import Embedder, Kind
from tellapart.embed.registry import ModelRequest
from tellapart.environment.replies import NEXT_STEP, ask_for_gzip, bounded, refuse_elsewhere, refused_location
from tellapart.environment.secrets import remember_address, without_secrets
from tellapart.errors import ProviderError, UsageError

if TYPE_CHECKING:
    from openai.types import CreateEmbeddingResponse


_TEXTS_A_REQUEST = 128
_CHARACTERS_A_REQUEST = 200_000
_RETRIES = 5
_TIMEOUT_S = 120.0
_MOST_REPLY_BYTES = 256 * 2**20
"""Vectors of 128 texts, written out, have some 10 MB."""
_GOES_ON = "What was finished before is kept, and the same command goes on"
_LOOK = f"Check the base URL (OPENAI_BASE_URL), that the server runs, and the network. {_GOES_ON}"


class OpenAIEmbedder:
    """Embeds over HTTP, in batches; queries and documents alike, as the protocol knows no prompts.

    A request is repeated after 408, 409, 429, 5xx and broken connections, waiting for as long as
    ``retry-after`` says, or ever longer. Redirects are followed on the same server only.
    """

    def __init__(self, model: str, *, base_url: str | None = None) -> None:
        """Prepare to ask a server; nothing is sent yet."""
        from openai import DefaultHttpxClient, OpenAI

        if not os.environ.get("OPENAI_API_KEY"):
            raise UsageError(
                f"the model 'openai:{model}' needs a key and OPENAI_API_KEY is not set",
                next_step="Set it in the environment; for a server that asks for no key any word will do",
            )
        limit = bounded(_MOST_REPLY_BYTES, _TIMEOUT_S)
        http = DefaultHttpxClient(
            event_hooks={"request": [ask_for_gzip], "response": [refuse_elsewhere, limit]}, timeout=_TIMEOUT_S
        )
        finalize(self, http.close)
        self._client = OpenAI(base_url=base_url, max_retries=_RETRIES, timeout=_TIMEOUT_S, http_client=http)
        remember_address(str(self._client.base_url))
        self._model = model
        self.name = f"openai:{model}"

    @property
    def fingerprint(self) -> str:
        """Server and model; a server that changes a model under the same name goes unnoticed."""
        return f"openai server={self._server} model={self._model} dimensions=None"

    @property
    def _server(self) -> str:
        return without_password(str(self._client.base_url)).partition("://")[2].rstrip("/")

    def encode(self, texts: Sequence[str], *, kind: Kind = "document") -> F32:
        """Embed texts; see ``Embedder``."""
        batches = [self._request(batch) for batch in self._batches(texts)]
        lengths = {batch.shape[1] for batch in batches}
        if len(lengths) > 1:
            raise self._error(f"sent vectors of {sorted(lengths)} dimensions, expected one length")
        return np.concatenate(batches) if batches else np.empty((0, 0), dtype=np.float32)

    def _batches(self, texts: Sequence[str]) -> Iterator[list[str]]:
        batch: list[str] = []
        characters = 0
        for text in texts:
            full = len(batch) == _TEXTS_A_REQUEST or characters + len(text) > _CHARACTERS_A_REQUEST
            if batch and full:
                yield batch
                batch, characters = [], 0
            batch.append(text)
            characters += len(text)
        if batch:
            yield batch

    def _request(self, batch: list[str]) -> F32:
        from openai import APIConnectionError, APIStatusError, OpenAIError

        try:
            reply = self._client.embeddings.create(model=self._model, input=batch, encoding_format="float")
        except APIStatusError as error:
            if elsewhere := refused_location(error):
                raise self._error(
                    f"redirects to {elsewhere}, another server, to which nothing was sent", NEXT_STEP
                ) from None
            refused = refused_call(error.status_code, f"{error.code} {error.message}", "OPENAI_API_KEY")
            if refused is not None:
                raise self._error(f"{refused[0]} ({error.message})", f"{refused[1]}. {_GOES_ON}") from error
            raise self._error(f"answered with an error ({error.message})", _GOES_ON) from error
        except ProviderError as error:
            raise self._error(error.what.removeprefix("the server ")) from None
        except APIConnectionError as error:
            if isinstance(error.__cause__, ProviderError):
                raise self._error(error.__cause__.what.removeprefix("the server ")) from None
            raise self._error(f"could not be reached ({error.__cause__ or error})", _LOOK) from error
        except (OpenAIError, ValueError) as error:
            raise self._error(f"sent what cannot be understood ({error})") from error
        return self._vectors(reply, len(batch))

    def _vectors(self, reply: CreateEmbeddingResponse, texts: int) -> F32:
        """Vectors in the order of the texts, whatever the order of the reply."""
        try:
            rows = sorted(reply.data, key=lambda row: row.index)
            vectors = np.array([row.embedding for row in rows], dtype=np.float32)
        except (AttributeError, TypeError, ValueError) as error:
            raise self._error(f"did not send a list of vectors of one length ({error})") from error
        if [row.index for row in rows] != list(range(texts)) or vectors.ndim != 2:
            raise self._error(f"sent {len(rows)} vectors for {texts} texts, expected one for each")
        return vectors

    def _error(self, what: str, next_step: str | None = None) -> ProviderError:
        """An error; servers may repeat the key that they were sent."""
        return ProviderError(f"{self.name} at {self._server} {without_secrets(what)}", next_step=next_step)


def load(request: ModelRequest) -> Embedder:
    """Prepare to ask for the model that the argument names."""
    return request.cached(OpenAIEmbedder(request.argument, base_url=request.base_url))

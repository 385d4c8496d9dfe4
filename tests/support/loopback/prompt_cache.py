"""A provider's prompt cache: how much of a prompt begins as an earlier one did."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from math import ceil

from support.loopback.behaviours import Behaviour, Reply, Request, Respond


class PromptCache:
    """Has a loopback server report cached tokens, by the longest beginning that a prompt shares with others.

        with LoopbackServer(PromptCache(lambda request: "ok")) as server:
            ...

    Prompts are cached in whole blocks, and not at all if they are too short, and are never forgotten. On
    Anthropic's wire only those are that ask for it by ``cache_control``, wherever that stands; what they had
    to add is reported as written. A real provider forgets, and Anthropic's caches end where a request marks
    them, and not at any block.
    """

    def __init__(
        self,
        respond: Respond,
        *,
        block_tokens: int = 64,
        shortest_tokens: int = 1024,
        characters_a_token: float = 4.0,
    ) -> None:
        """Wrap a plan."""
        self._respond = respond
        self._block_tokens, self._shortest_tokens = block_tokens, shortest_tokens
        self._characters_a_token = characters_a_token
        self._blocks: set[bytes] = set()

    def __call__(self, request: Request) -> Behaviour | str:
        """Answer a request as planned, with tokens."""
        does = self._respond(request)
        reply = Reply(does) if isinstance(does, str) else does
        if not isinstance(reply, Reply):
            return reply
        text = "\n".join(f"{role}\n{text}" for role, text in request.messages)
        sent, back = self._tokens(text), self._tokens(reply.text)
        asked = request.wire != "anthropic" or '"cache_control"' in json.dumps(request.body)
        cached, written = self._take(text, sent) if asked and sent >= self._shortest_tokens else (0, 0)
        return replace(reply, usage=(sent, back), cached=(cached, written))

    def _tokens(self, text: str) -> int:
        return ceil(len(text) / self._characters_a_token)

    def _take(self, text: str, tokens: int) -> tuple[int, int]:
        """Cache a prompt, and say how many of its tokens were cached before, and how many are now."""
        beginnings = list(self._beginnings(text))
        known = 0
        while known < len(beginnings) and beginnings[known] in self._blocks:
            known += 1
        self._blocks.update(beginnings)
        cached = known * self._block_tokens
        cached = cached if cached >= self._shortest_tokens else 0
        return cached, tokens - cached

    def _beginnings(self, text: str) -> Iterator[bytes]:
        """A digest of each beginning of whole blocks, the shortest first."""
        digest, size = hashlib.sha256(), round(self._block_tokens * self._characters_a_token)
        for end in range(size, len(text) + 1, size):
            digest.update(text[end - size : end].encode(errors="replace"))
            yield digest.digest()

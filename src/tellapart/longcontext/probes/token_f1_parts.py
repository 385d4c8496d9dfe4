"""Probes whose answer has parts, with commas between them, each graded by shared words."""

from __future__ import annotations

from tellapart.longcontext.probes.token_f1 import TokenF1
from tellapart.longcontext.rules.token_f1 import token_f1_of_parts


class _TokenF1Parts(TokenF1):
    name = "token-f1-parts"
    precedence = 73

    def score(self, response: str, answer: str) -> float:
        return token_f1_of_parts(response, answer)


KIND = _TokenF1Parts()

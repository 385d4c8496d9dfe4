"""Probes whose answer has parts, with commas between them, each graded by shared words."""

from __future__ import annotations

from statistics import fmean

from tellapart.longcontext.probes.token_f1 import TokenF1, token_f1


class _TokenF1Parts(TokenF1):
    name = "token-f1-parts"
    precedence = 73

    def score(self, response: str, answer: str) -> float:
        """The mean over the parts of the answer of the best F1 of a part of the response."""
        said = response.split(",")
        return fmean(max(token_f1(part, right) for part in said) for right in answer.split(","))


KIND = _TokenF1Parts()

"""Probes with a short answer, graded by the words that a response shares with it: token F1.

Source:
    The evaluation that LoCoMo was published with (Maharana et al., ACL 2024).
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence

from tellapart.longcontext.case import Expected
from tellapart.longcontext.grades import Grade, measured
from tellapart.longcontext.probes.kind import ProbeKind
from tellapart.longcontext.probes.stems import stem_of
from tellapart.longcontext.rules.refusals import refuses

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_SMALL_WORDS = re.compile(r"\b(?:a|an|the|and)\b")


class TokenF1(ProbeKind):
    """Token F1 of the whole answer."""

    name = "token-f1"
    precedence = 72

    def decidable(self, question: str, expected: Expected) -> bool:
        """Words and strings are compared."""
        return True

    def score(self, response: str, answer: str) -> float:
        """How right a response is, in [0, 1]."""
        return token_f1(response, answer)

    def grade(self, question: str, response: str, expected: Expected, material: Sequence[str]) -> Grade:
        """The best score over all right answers."""
        score = max(self.score(response, answer) for answer in expected.answers)
        reason = f"Its words are those of the answer with an F1 of {score:.2f}."
        return measured(score, reason, wrong="REFUSED" if refuses(response) else "HALLUCINATED")


KIND = TokenF1()


def stems(text: str) -> list[str]:
    """Stems of the words, in lower case, without punctuation, articles and ``and``."""
    return [stem_of(word) for word in _SMALL_WORDS.sub(" ", text.lower().translate(_PUNCTUATION)).split()]


def token_f1(response: str, answer: str) -> float:
    """The harmonic mean of precision and recall of stems, with how often each occurs, in [0, 1].

    0 where no stem is shared, so also where one of them has no words.
    """
    said, right = stems(response), stems(answer)
    shared = (Counter(said) & Counter(right)).total()
    return 2 * shared / (len(said) + len(right)) if shared else 0.0

"""Token F1: how far the words of a response are those of the right answer.

Source:
    The evaluation that LoCoMo was published with (Maharana et al., ACL 2024).
"""

from __future__ import annotations

import re
import string
from collections import Counter

from tellapart.longcontext.rules.stems import stem_of

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_SMALL_WORDS = re.compile(r"\b(?:a|an|the|and)\b")


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


def token_f1_of_parts(response: str, answer: str) -> float:
    """The mean over the parts of the answer, between commas, of the best F1 of a part of the response."""
    said = response.split(",")
    best = [max(token_f1(part, right) for part in said) for right in answer.split(",")]
    return sum(best) / len(best)

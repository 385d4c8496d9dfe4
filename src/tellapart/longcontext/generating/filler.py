"""Text that says nothing: sentences by a small grammar of words that no fact uses, no names, no numbers.

``twice`` and ``midnight`` are the only words that rules read as facts; no task asks for either.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from importlib.resources import files

import numpy as np

_DATA = tomllib.loads(files(__package__).joinpath("filler.toml").read_text(encoding="utf-8"))

NOUNS: list[str] = _DATA["nouns"].split()
"""Everyday things."""

_LISTS: dict[str, Sequence[str]] = {
    **dict.fromkeys("nmo", NOUNS),
    **dict.fromkeys("pq", _DATA["people"].split()),
    **dict.fromkeys("vw", _DATA["verbs"].split()),
    **dict.fromkeys("ab", _DATA["adjectives"].split()),
    **dict.fromkeys("de", _DATA["adverbs"].split()),
    "t": _DATA["times"],
    "l": _DATA["links"],
}


def sentences(rng: np.random.Generator) -> Iterator[str]:
    """Make up sentences, without end; the same generator gives the same ones."""
    forms: list[str] = _DATA["forms"]
    while True:
        chosen_forms = rng.integers(0, len(forms), 256)
        picks = rng.random((256, len(_LISTS)))
        for form, row in zip(chosen_forms, picks, strict=True):
            chosen = {
                key: words[int(share * len(words))]
                for (key, words), share in zip(_LISTS.items(), row, strict=True)
            }
            text = forms[form].format(**chosen)
            yield f"{text[0].upper()}{text[1:]}."

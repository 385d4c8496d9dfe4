"""Senses that contradict the roles of texts, and text that stands in nearly every anchor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from tellapart.bundles.lint.inputs import BundleFinding, LintedBundles
from tellapart.core.near_duplicates import equal_form, words_form
from tellapart.report import numbers as show

_FEWEST = 20
"""Distinct texts from which what most of them share is boilerplate."""

_COMMON = 0.3
"""Share of texts that begin or end alike."""

_LEAST, _MOST = 4, 24
"""Words and signs of a beginning or an end."""


def senses(inputs: LintedBundles) -> Iterator[BundleFinding]:
    """Find positives of another sense than their anchor, negatives of the same, and senses on one side."""
    bundles = inputs.bundles
    starts = np.searchsorted(inputs.owners, np.arange(bundles.height + 1))
    anchors, positives = bundles["anchor_sense"].to_list(), bundles["positive_sense"].to_list()
    negatives = inputs.negatives["sense"].to_list()
    one_sided = []
    for row, (anchor, positive) in enumerate(zip(anchors, positives, strict=True)):
        wrong = negatives[starts[row] : starts[row + 1]]
        given = [sense for sense in (anchor, positive, *wrong) if sense]
        if not given:
            continue
        if anchor and positive and equal_form(anchor) != equal_form(positive):
            yield BundleFinding(
                "error",
                "sense-conflict",
                (row,),
                f"the anchor has the sense {anchor!r}, its positive {positive!r}",
            )
        gold = anchor or positive
        same = [
            i for i, sense in enumerate(wrong) if sense and gold and equal_form(sense) == equal_form(gold)
        ]
        if same:
            listed = show.listed([f"negatives[{i}]" for i in same])
            has = "has" if len(same) == 1 else "have"
            yield BundleFinding(
                "error", "sense-conflict", (row,), f"{listed} {has} the sense {gold!r} of the anchor"
            )
        if len(given) < 2 + len(wrong):
            one_sided.append(row)
    if one_sided:
        yield BundleFinding(
            "info",
            "one-sided-senses",
            tuple(one_sided),
            f"{show.plural(len(one_sided), 'bundle')} give the sense of some texts and not of others; "
            "nothing can be checked there",
        )


def sense_in_text(inputs: LintedBundles) -> Iterator[BundleFinding]:
    """Find bundles whose anchor and positive both spell their sense out, and no negative does."""
    words = inputs.forms.words
    starts = np.searchsorted(inputs.owners, np.arange(inputs.bundles.height + 1))
    for row, sense in enumerate(inputs.bundles["anchor_sense"].to_list()):
        cue = words_form(sense.replace("_", " ")) if sense else ""
        if len(cue) < _LEAST:
            continue
        texts_of = [inputs.anchors[row], inputs.positives[row]]
        if not all(f" {cue} " in words[text] for text in texts_of):
            continue
        negatives = inputs.negative_texts[starts[row] : starts[row + 1]]
        if not any(f" {cue} " in words[text] for text in negatives):
            yield BundleFinding(
                "warning",
                "anchor-gives-away",
                (row,),
                f"anchor and positive both spell out their sense {sense!r}, and no negative does",
            )


def boilerplate(inputs: LintedBundles) -> Iterator[BundleFinding]:
    """Find words with which many anchors, positives or negatives of a file begin or end."""
    files = inputs.bundles["file"].to_numpy()
    for file, path in enumerate(inputs.files):
        rows = np.flatnonzero(files == file)
        of_file = np.isin(inputs.owners, rows)
        roles = {
            "anchors": inputs.anchors[rows],
            "positives": inputs.positives[rows],
            "negatives": inputs.negative_texts[of_file],
        }
        tokens = {
            role: [
                inputs.forms.near_texts.texts[text].split(" ")
                for text in np.unique(inputs.forms.near[numbers]).tolist()
            ]
            for role, numbers in roles.items()
        }
        for role, listed in tokens.items():
            for backwards in (False, True):
                words, share = _common(listed, backwards=backwards)
                if not words:
                    continue
                end = "end" if backwards else "begin"
                others = {
                    other: _share(tokens[other], words, backwards=backwards)
                    for other in ("positives", "negatives")
                    if role != "anchors" and other != role
                }
                one_sided = any(other < share / 2 for other in others.values())
                beside = "".join(f", and {show.whole_percent(n)} of {name}" for name, n in others.items())
                yield BundleFinding(
                    "warning" if one_sided else "info",
                    "boilerplate",
                    (),
                    f'{show.whole_percent(share)} of {role}{beside}, {end} with "{" ".join(words)[:80]}"',
                    place=str(path),
                )


def _common(texts: Sequence[Sequence[str]], *, backwards: bool) -> tuple[list[str], float]:
    """The longest beginning or end that many texts share, and how many; empty where there is none."""
    if len(texts) < _FEWEST:
        return [], 0.0
    shared: list[str] = []
    left, count = list(texts), 0
    for length in range(1, _MOST + 1):
        ends = Counter(_end(text, length, backwards=backwards) for text in left if len(text) > length)
        if not ends:
            break
        words, n = max(ends.items(), key=lambda end: (end[1], end[0]))
        if n < _COMMON * len(texts):
            break
        left = [text for text in left if _end(text, length, backwards=backwards) == words]
        shared, count = list(words), n
    if len(shared) < _LEAST or not any(word.isalnum() for word in shared):
        return [], 0.0
    return shared, count / len(texts)


def _end(text: Sequence[str], length: int, *, backwards: bool) -> tuple[str, ...]:
    return tuple(text[-length:]) if backwards else tuple(text[:length])


def _share(texts: Sequence[Sequence[str]], words: Sequence[str], *, backwards: bool) -> float:
    size = len(words)
    return sum(_end(text, size, backwards=backwards) == tuple(words) for text in texts) / max(len(texts), 1)

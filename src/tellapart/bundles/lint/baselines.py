"""What a model can pass that does not look at the anchor, or does no more than count its words."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from tellapart.bundles.lint.inputs import BundleFinding, LintedBundles
from tellapart.bundles.near_texts import groups
from tellapart.core.arrays import F64, I64
from tellapart.core.comparison import ALPHA, ChanceOutcome, judge_chance
from tellapart.core.stats import ClusteredEstimate, clustered_rate
from tellapart.embed.words import words_of
from tellapart.report import numbers as show

FEWEST = 50
"""Anchors below which nothing is said about baselines."""

_SAMPLE = 2_000
"""Bundles that a classifier is trained and tested on, and words counted in; of more, those of anchors drawn
by the hash of their text."""

_FOLDS = 5
_LEVEL = 1 - 2 * ALPHA / 5
"""Of intervals: one-sided tests at ``ALPHA`` for five baselines together."""

_NAMED = 5


@dataclass(frozen=True)
class CandidateTexts:
    """The candidates of some bundles.

    Attributes:
        rows: Bundles, ascending, shape (bundles,).
        texts: Numbers of their candidates' texts, shape (candidates,): of each bundle the positive first.
        starts: Where those of each bundle begin, and the end, shape (bundles + 1,).
        clusters: Of each bundle, the place of its group of equal or nearly equal anchors in the order of the
            hashes of their texts, shape (bundles,).
    """

    rows: I64
    texts: I64
    starts: I64
    clusters: I64

    @property
    def sizes(self) -> I64:
        """Candidates of each bundle, shape (bundles,)."""
        return np.diff(self.starts)

    @property
    def chance(self) -> float:
        """What guessing passes, in (0, .5]."""
        return float((1 / self.sizes).mean())

    def passed(self, scores: F64) -> F64:
        """Give the share of each bundle that is passed, in [0, 1]; ties at the top by their expectation."""
        highest = np.maximum.reduceat(scores, self.starts[:-1])
        at_top = scores == np.repeat(highest, self.sizes)
        tied = np.add.reduceat(at_top.astype(np.int64), self.starts[:-1])
        passed: F64 = np.where(at_top[self.starts[:-1]], 1 / tied, 0.0)
        return passed

    def only(self, kept: NDArray[np.bool_]) -> CandidateTexts:
        """Those of some bundles."""
        starts = np.concatenate([[0], np.cumsum(self.sizes[kept])])
        texts = self.texts[np.repeat(kept, self.sizes)]
        return CandidateTexts(self.rows[kept], texts, starts, self.clusters[kept])


def baselines(inputs: LintedBundles) -> Iterator[BundleFinding]:
    """Find what gives positives away without their anchor: length, rarity, and words of the candidates alone.

    Each pass rate is held against that of guessing by `judge_chance`, with an interval clustered on anchors
    at a level that allows for the number of baselines.
    """
    for file, path in enumerate(inputs.files):
        candidates = candidates_of(inputs, file)
        n_anchors = len(np.unique(candidates.clusters))
        if n_anchors < FEWEST:
            detail = f"too few for baselines: {show.plural(n_anchors, 'different anchor')}, at least {FEWEST}"
            yield inputs.finding("baseline", "info", detail, place=str(path))
            continue
        lengths = np.array([len(text) for text in inputs.forms.texts], dtype=np.float64)[candidates.texts]
        elsewhere = _seen_elsewhere(candidates, len(inputs.forms.texts))
        sample = _sampled(candidates)
        learned, words = _candidates_only(inputs, sample)
        blind = [
            ("the longest candidate", candidates, candidates.passed(lengths), ""),
            ("the shortest candidate", candidates, candidates.passed(-lengths), ""),
            ("the candidate that most other anchors have", candidates, candidates.passed(elsewhere), ""),
            ("the candidate that fewest other anchors have", candidates, candidates.passed(-elsewhere), ""),
            ("a classifier of candidates alone", sample, learned, words),
        ]
        guessing = f"guessing {show.percent(candidates.chance)}"
        figures = []
        for name, subset, passed, why in blind:
            estimate = clustered_rate(passed, subset.clusters, level=_LEVEL)
            figures.append(f"{name} {_shown(estimate)}")
            if judge_chance(estimate.interval, subset.chance) is ChanceOutcome.ABOVE:
                detail = f"{name} passes {_shown(estimate)} without the anchor, {guessing}{why}"
                yield inputs.finding("baseline", "warning", detail, place=str(path))
        shared = clustered_rate(sample.passed(_shared_words(inputs, sample)), sample.clusters, level=_LEVEL)
        figures.append(f"counting words shared with the anchor {_shown(shared)}")
        yield inputs.finding("baseline", "info", f"{guessing}; {'; '.join(figures)}", place=str(path))


def candidates_of(inputs: LintedBundles, file: int) -> CandidateTexts:
    """The candidates of the bundles of a file that have a negative."""
    rows = np.flatnonzero(inputs.bundles["file"].to_numpy() == file)
    rows = rows[np.isin(rows, inputs.owners)]
    of_file = np.isin(inputs.owners, rows)
    owners = np.concatenate([rows, inputs.owners[of_file]])
    texts = np.concatenate([inputs.positives[rows], inputs.negative_texts[of_file]])
    order = np.argsort(owners, kind="stable")
    starts = np.searchsorted(owners[order], rows)
    return CandidateTexts(rows, texts[order], np.append(starts, len(order)), _clusters(inputs, rows))


def _clusters(inputs: LintedBundles, rows: I64) -> I64:
    near_texts, near = inputs.forms.near_texts, inputs.forms.near[inputs.anchors[rows]]
    alike = groups(len(near_texts.texts), near_texts.pairs)[near]
    lowest: dict[int, bytes] = {}
    for group, anchor in zip(alike.tolist(), near.tolist(), strict=True):
        text = near_texts.texts[anchor].encode("utf-8", "surrogatepass")
        digest = hashlib.blake2b(text, digest_size=8).digest()
        lowest[group] = min(lowest.get(group, digest), digest)
    place = {group: i for i, group in enumerate(sorted(lowest, key=lowest.__getitem__))}
    return np.array([place[group] for group in alike.tolist()], dtype=np.int64)


def _shown(estimate: ClusteredEstimate) -> str:
    if estimate.value is None:
        return show.DASH
    ends = f" ({show.rate_range(estimate.interval)})" if estimate.interval else ""
    return f"{show.percent(estimate.value)}{ends}"


def _seen_elsewhere(candidates: CandidateTexts, n_texts: int) -> F64:
    """How many other anchors each candidate's text is a candidate of, shape (candidates,)."""
    cluster = np.repeat(candidates.clusters, candidates.sizes)
    distinct = np.unique(np.stack([candidates.texts, cluster]), axis=1)
    return (np.bincount(distinct[0], minlength=n_texts)[candidates.texts] - 1).astype(np.float64)


def _sampled(candidates: CandidateTexts) -> CandidateTexts:
    """All bundles of the first anchors, in the order of their hashes."""
    counts = np.cumsum(np.bincount(candidates.clusters))
    last = max(1, int(np.searchsorted(counts, _SAMPLE, side="right")))
    return candidates.only(candidates.clusters < last)


def _candidates_only(inputs: LintedBundles, sample: CandidateTexts) -> tuple[F64, str]:
    """What a linear classifier passes that sees words, signs and length of one candidate at a time.

    It is trained on the bundles of other anchors. The words that weigh most are named.
    """
    from scipy.sparse import csr_array, hstack
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    distinct, codes = np.unique(sample.texts, return_inverse=True)
    texts = [inputs.forms.texts[text] for text in distinct.tolist()]
    vectorizer = TfidfVectorizer(
        lowercase=False, token_pattern=r"\w+|[^\w\s]", ngram_range=(1, 2), min_df=2, max_features=50_000
    )
    words = vectorizer.fit_transform([*texts, "x", "x"])[: len(texts)]
    lengths = np.log1p([[len(text), len(text.split())] for text in texts]) / 10
    features = csr_array(hstack([words, csr_array(lengths)], format="csr"))
    owner_sizes = np.repeat(sample.sizes, sample.sizes)
    is_positive = np.zeros(len(sample.texts), dtype=np.bool_)
    is_positive[sample.starts[:-1]] = True
    # A text counts once for each bundle that it is the positive of, and all negatives of a bundle likewise.
    weight = np.where(is_positive, 1.0, 1 / (owner_sizes - 1))
    fold = np.repeat(sample.clusters % _FOLDS, sample.sizes)
    scores, coefficients = np.zeros(len(sample.texts)), np.zeros(features.shape[1])
    for held in range(_FOLDS):
        train = fold != held
        roles = [train & is_positive, train & ~is_positive]
        by_label = [np.bincount(codes[role], weight[role], len(distinct)) for role in roles]
        seen = [np.flatnonzero(weights) for weights in by_label]
        model = LogisticRegression(C=10.0, max_iter=200)
        with warnings.catch_warnings(), threadpool_limits(1, user_api="blas"):
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(
                features[np.concatenate(seen)],
                np.repeat([True, False], [len(texts_of) for texts_of in seen]),
                sample_weight=np.concatenate([weights[i] for weights, i in zip(by_label, seen, strict=True)]),
            )
        test = fold == held
        scores[test] = np.round(model.decision_function(features[codes[test]]), 9)
        coefficients += model.coef_[0]
    names = [*vectorizer.get_feature_names_out(), "more letters", "more words"]
    top = [str(names[i]) for i in np.argsort(-coefficients, kind="stable")[:_NAMED] if coefficients[i] > 0]
    return sample.passed(scores), f"; it goes by {show.listed([repr(name) for name in top])}" if top else ""


def _shared_words(inputs: LintedBundles, sample: CandidateTexts) -> F64:
    """How many words each candidate shares with the anchor, shape (candidates,)."""
    needed = np.unique(np.concatenate([sample.texts, inputs.anchors[sample.rows]]))
    words = {text: words_of(inputs.forms.texts[text]) for text in needed.tolist()}
    anchors = np.repeat(inputs.anchors[sample.rows], sample.sizes).tolist()
    shared = [len(words[a] & words[c]) for a, c in zip(anchors, sample.texts.tolist(), strict=True)]
    return np.array(shared, dtype=np.float64)

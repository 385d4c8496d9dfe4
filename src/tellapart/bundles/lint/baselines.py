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

_MOST_LEXICAL = 0.9
_NAMED = 5


@dataclass(frozen=True)
class CandidateTexts:
    """The candidates of some bundles.

    Attributes:
        rows: Bundles, ascending, shape (bundles,).
        texts: Numbers of their candidates' texts, shape (candidates,): of each bundle the positive first.
        starts: Where those of each bundle begin, and the end, shape (bundles + 1,).
        clusters: Of each bundle, the number of its group of equal or nearly equal anchors, shape (bundles,).
    """

    rows: I64
    texts: I64
    starts: I64
    clusters: I64

    @property
    def chance(self) -> F64:
        """What guessing passes of each bundle, shape (bundles,), in (0, .5]."""
        chance: F64 = 1 / np.diff(self.starts)
        return chance

    def passed(self, scores: F64) -> F64:
        """Give the share of each bundle that is passed, in [0, 1]; ties at the top by their expectation."""
        highest = np.maximum.reduceat(scores, self.starts[:-1])
        at_top = scores == np.repeat(highest, np.diff(self.starts))
        tied = np.add.reduceat(at_top.astype(np.int64), self.starts[:-1])
        passed: F64 = np.where(at_top[self.starts[:-1]], 1 / tied, 0.0)
        return passed

    def only(self, kept: NDArray[np.bool_]) -> CandidateTexts:
        """Those of some bundles."""
        sizes = np.diff(self.starts)
        return CandidateTexts(
            self.rows[kept],
            self.texts[np.repeat(kept, sizes)],
            np.concatenate([[0], np.cumsum(sizes[kept])]),
            self.clusters[kept],
        )


@dataclass(frozen=True)
class _Baseline:
    name: str
    estimate: ClusteredEstimate
    outcome: ChanceOutcome
    why: str = ""


def baselines(inputs: LintedBundles) -> Iterator[BundleFinding]:
    """Find what gives positives away without their anchor: length, rarity, and words of the candidates alone.

    Each pass rate is held against that of guessing by `judge_chance`, with an interval clustered on anchors
    at a level that allows for the number of baselines.
    """
    for file, path in enumerate(inputs.files):
        candidates = candidates_of(inputs, file)
        n_anchors = len(np.unique(candidates.clusters))
        if n_anchors < FEWEST:
            yield BundleFinding(
                "info",
                "baseline",
                (),
                f"too few for baselines: {show.plural(n_anchors, 'different anchor')}, at least {FEWEST}",
                location=str(path),
            )
            continue
        chance = float(candidates.chance.mean())
        blind = _blind(inputs, candidates)
        lexical = _word_overlap(inputs, candidates)
        for baseline in blind:
            if baseline.outcome is ChanceOutcome.ABOVE:
                yield BundleFinding(
                    "warning",
                    "baseline",
                    (),
                    f"{baseline.name} passes {_shown(baseline.estimate)} without the anchor, guessing "
                    f"{show.percent(chance)}{baseline.why}",
                    location=str(path),
                )
        if (lexical.estimate.low or 0) > _MOST_LEXICAL:
            yield BundleFinding(
                "warning",
                "baseline",
                (),
                f"{lexical.name} passes {_shown(lexical.estimate)}: the eval asks for little more",
                location=str(path),
            )
        figures = [f"{baseline.name} {_shown(baseline.estimate)}" for baseline in (*blind, lexical)]
        yield BundleFinding(
            "info",
            "baseline",
            (),
            f"guessing {show.percent(chance)}; {'; '.join(figures)}",
            location=str(path),
        )


def candidates_of(inputs: LintedBundles, file: int) -> CandidateTexts:
    """The candidates of the bundles of a file that have a negative."""
    anchors = inputs.forms.near[inputs.anchors]
    rows = np.flatnonzero(inputs.bundles["file"].to_numpy() == file)
    rows = rows[np.isin(rows, inputs.owners)]
    of_file = np.isin(inputs.owners, rows)
    owners = np.concatenate([rows, inputs.owners[of_file]])
    texts = np.concatenate([inputs.positives[rows], inputs.negative_texts[of_file]])
    order = np.argsort(owners, kind="stable")
    starts = np.searchsorted(owners[order], rows)
    alike = groups(len(inputs.forms.near_texts.texts), inputs.forms.near_texts.pairs)[anchors[rows]]
    return CandidateTexts(rows, texts[order], np.append(starts, len(order)), alike)


def _blind(inputs: LintedBundles, candidates: CandidateTexts) -> list[_Baseline]:
    lengths = np.array([len(text) for text in inputs.forms.texts], dtype=np.float64)[candidates.texts]
    elsewhere = _seen_elsewhere(candidates, len(inputs.forms.texts))
    sample = _sampled(inputs, candidates)
    learned, words = _candidates_only(inputs, sample)
    scored = [
        ("the longest candidate", candidates, candidates.passed(lengths), ""),
        ("the shortest candidate", candidates, candidates.passed(-lengths), ""),
        ("the candidate that most other anchors have", candidates, candidates.passed(elsewhere), ""),
        ("the candidate that fewest other anchors have", candidates, candidates.passed(-elsewhere), ""),
        ("a classifier of candidates alone", sample, learned, words),
    ]
    return [_judged(name, subset, passed, why) for name, subset, passed, why in scored]


def _judged(name: str, candidates: CandidateTexts, passed: F64, why: str = "") -> _Baseline:
    estimate = clustered_rate(passed, candidates.clusters, level=_LEVEL)
    outcome = judge_chance(estimate.interval, float(candidates.chance.mean()))
    return _Baseline(name, estimate, outcome, why)


def _shown(estimate: ClusteredEstimate) -> str:
    if estimate.value is None:
        return show.DASH
    ends = f" ({show.rate_range(estimate.interval)})" if estimate.interval else ""
    return f"{show.percent(estimate.value)}{ends}"


def _seen_elsewhere(candidates: CandidateTexts, n_texts: int) -> F64:
    """How many other anchors each candidate's text is a candidate of, shape (candidates,)."""
    cluster = np.repeat(candidates.clusters, np.diff(candidates.starts))
    distinct = np.unique(np.stack([candidates.texts, cluster]), axis=1)
    return (np.bincount(distinct[0], minlength=n_texts)[candidates.texts] - 1).astype(np.float64)


def _sampled(inputs: LintedBundles, candidates: CandidateTexts) -> CandidateTexts:
    """All bundles of some anchors, which follow from the anchors' texts and not from their order."""
    if len(candidates.rows) <= _SAMPLE:
        return candidates
    order, _ = _hashed(inputs, candidates)
    clusters, counts = np.unique(candidates.clusters, return_counts=True)
    by_hash = np.argsort([order[cluster] for cluster in clusters.tolist()], kind="stable")
    kept = clusters[by_hash][np.cumsum(counts[by_hash]) <= _SAMPLE]
    kept = kept if len(kept) else clusters[by_hash][:1]
    return candidates.only(np.isin(candidates.clusters, kept))


def _hashed(inputs: LintedBundles, candidates: CandidateTexts) -> tuple[dict[int, int], I64]:
    """The place of each cluster in the order of the hashes of its first text, and that of each bundle."""
    texts = inputs.forms.near_texts.texts
    of_cluster: dict[int, bytes] = {}
    near = inputs.forms.near[inputs.anchors[candidates.rows]].tolist()
    for cluster, anchor in zip(candidates.clusters.tolist(), near, strict=True):
        digest = hashlib.blake2b(texts[anchor].encode("utf-8", "surrogatepass"), digest_size=8).digest()
        of_cluster[cluster] = min(of_cluster.get(cluster, digest), digest)
    order = {cluster: i for i, cluster in enumerate(sorted(of_cluster, key=of_cluster.__getitem__))}
    return order, np.array([order[cluster] for cluster in candidates.clusters.tolist()], dtype=np.int64)


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
    sizes = np.diff(sample.starts)
    position = np.arange(len(sample.texts)) - np.repeat(sample.starts[:-1], sizes)
    roles = (position == 0, position > 0)
    # A text counts once for each bundle that it is the positive of, and all negatives of a bundle likewise.
    weight = np.where(position == 0, 1.0, 1 / np.repeat(sizes - 1, sizes))
    fold = np.repeat(_hashed(inputs, sample)[1] % _FOLDS, sizes)
    scores, coefficients = np.zeros(len(sample.texts)), np.zeros(features.shape[1])
    for held in range(_FOLDS):
        train = fold != held
        by_label = [np.bincount(codes[train & role], weight[train & role], len(distinct)) for role in roles]
        seen = [np.flatnonzero(weights) for weights in by_label]
        labels = np.repeat([True, False], [len(texts_of) for texts_of in seen])
        model = LogisticRegression(C=10.0, max_iter=200)
        with warnings.catch_warnings(), threadpool_limits(1, user_api="blas"):
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(
                features[np.concatenate(seen)],
                labels,
                sample_weight=np.concatenate([weights[i] for weights, i in zip(by_label, seen, strict=True)]),
            )
        test = fold == held
        scores[test] = np.round(model.decision_function(features[codes[test]]), 9)
        coefficients += model.coef_[0]
    names = [*vectorizer.get_feature_names_out(), "more letters", "more words"]
    top = [str(names[i]) for i in np.argsort(-coefficients, kind="stable")[:_NAMED] if coefficients[i] > 0]
    return sample.passed(scores), f"; it goes by {show.listed([repr(name) for name in top])}" if top else ""


def _word_overlap(inputs: LintedBundles, candidates: CandidateTexts) -> _Baseline:
    sample = _sampled(inputs, candidates)
    needed = np.unique(np.concatenate([sample.texts, inputs.anchors[sample.rows]]))
    words = {text: words_of(inputs.forms.texts[text]) for text in needed.tolist()}
    anchors = np.repeat(inputs.anchors[sample.rows], np.diff(sample.starts)).tolist()
    shared = [len(words[a] & words[c]) for a, c in zip(anchors, sample.texts.tolist(), strict=True)]
    return _judged("counting words shared with the anchor", sample, sample.passed(np.array(shared, float)))

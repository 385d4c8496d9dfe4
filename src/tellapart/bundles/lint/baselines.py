"""What a model can pass that does not look at the anchor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tellapart.bundles.lint.inputs import BundleFinding, LintedBundles
from tellapart.bundles.near_texts import groups, lowest_hashes
from tellapart.core.arrays import F64, I64
from tellapart.core.comparison import ALPHA, ChanceOutcome, judge_chance
from tellapart.core.stats import ClusteredEstimate, clustered_rate
from tellapart.report import numbers as show

FEWEST = 50
"""Anchors below which nothing is said about baselines."""

_SAMPLE = 2_000
"""Bundles that a classifier is trained and tested on; of more, those of anchors drawn by their hash."""

_FOLDS = 5
_LEVEL = 1 - 2 * ALPHA / 5
"""Of intervals: one-sided tests at ``ALPHA`` for five baselines together."""

_NAMED = 5


@dataclass(frozen=True)
class Candidates:
    """The candidates of some bundles, by numbers of ``texts``, of each bundle the positive first.

    Those of a bundle begin at ``starts``; ``clusters`` are its groups of alike anchors, in no order of the
    rows.
    """

    texts: Sequence[str]
    numbers: I64
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

    @property
    def weights(self) -> F64:
        """Weights of a bundle's positive, 1, and of its negatives, 1 together; shape (candidates,)."""
        weights = np.repeat(1 / (self.sizes - 1), self.sizes)
        weights[self.starts[:-1]] = 1
        return weights

    def only(self, kept: NDArray[np.bool_]) -> Candidates:
        """Those of some bundles."""
        starts = np.concatenate([[0], np.cumsum(self.sizes[kept])])
        numbers, clusters = self.numbers[np.repeat(kept, self.sizes)], self.clusters[kept]
        return Candidates(self.texts, numbers, starts, clusters)


@dataclass(frozen=True)
class BlindRule:
    """A rule that does not look at the anchor, what it passes of each bundle, and what it goes by."""

    name: str
    bundles: Candidates
    passed: F64
    why: str = ""

    @property
    def estimate(self) -> ClusteredEstimate:
        """What it passes."""
        return clustered_rate(self.passed, self.bundles.clusters, level=_LEVEL)

    @property
    def is_above_chance(self) -> bool:
        """Whether that is more than guessing, beyond noise."""
        return judge_chance(self.estimate.interval, self.bundles.chance) is ChanceOutcome.ABOVE

    def __str__(self) -> str:
        """Its name, and what it passes."""
        estimate = self.estimate
        ends = f" ({show.rate_range(estimate.interval)})" if estimate.interval else ""
        return f"{self.name} passes {show.percent(estimate.value or 0.0)}{ends}"


def blind_rules(candidates: Candidates, sample: int = _SAMPLE) -> list[BlindRule]:
    """Try what gives positives away without their anchor: length, rarity, the words of a sample."""
    if len(np.unique(candidates.clusters)) < FEWEST:
        return []
    lengths = np.array([len(text) for text in candidates.texts], dtype=np.float64)[candidates.numbers]
    of_anchor = np.stack([candidates.numbers, np.repeat(candidates.clusters, candidates.sizes)])
    anchors = np.bincount(np.unique(of_anchor, axis=1)[0], minlength=len(candidates.texts))
    seen = anchors[candidates.numbers].astype(np.float64)
    scores = {
        "the longest candidate": lengths,
        "the shortest candidate": -lengths,
        "the candidate that most other anchors have": seen,
        "the candidate that fewest other anchors have": -seen,
    }
    rules = [BlindRule(name, candidates, candidates.passed(score)) for name, score in scores.items()]
    return [*rules, _classifier(candidates, sample)]


def baselines(inputs: LintedBundles) -> Iterator[BundleFinding]:
    """Find what gives the positives of a file away without their anchor, beyond noise."""
    for file, path in enumerate(inputs.files):
        candidates = candidates_of(inputs, file)
        rules = blind_rules(candidates)
        if not rules:
            n_anchors = len(np.unique(candidates.clusters))
            detail = f"too few for baselines: {show.plural(n_anchors, 'different anchor')}, at least {FEWEST}"
            yield inputs.finding("baseline", "info", detail, place=str(path))
            continue
        guessing = f"guessing {show.percent(candidates.chance)}"
        for rule in rules:
            if rule.is_above_chance:
                detail = f"{rule} without the anchor, {guessing}{rule.why}"
                yield inputs.finding("baseline", "warning", detail, place=str(path))
        yield inputs.finding("baseline", "info", f"{guessing}; {'; '.join(map(str, rules))}", place=str(path))


def candidates_of(inputs: LintedBundles, file: int) -> Candidates:
    """The candidates of the bundles of a file that have a negative."""
    rows = np.flatnonzero(inputs.bundles["file"].to_numpy() == file)
    rows = rows[np.isin(rows, inputs.owners)]
    of_file = np.isin(inputs.owners, rows)
    owners = np.concatenate([rows, inputs.owners[of_file]])
    numbers = np.concatenate([inputs.positives[rows], inputs.negatives[of_file]])
    order = np.argsort(owners, kind="stable")
    starts = np.append(np.searchsorted(owners[order], rows), len(order))
    return Candidates(inputs.forms.texts, numbers[order], starts, _clusters(inputs, rows))


def _clusters(inputs: LintedBundles, rows: I64) -> I64:
    """Groups of equal or nearly equal anchors, by the hashes of their texts."""
    near_texts, near = inputs.forms.near_texts, inputs.forms.near[inputs.anchors[rows]]
    alike = groups(len(near_texts.texts), near_texts.pairs)[near]
    lowest = lowest_hashes((near_texts.texts[anchor] for anchor in near.tolist()), alike)
    place = {group: i for i, group in enumerate(sorted(lowest, key=lowest.__getitem__))}
    return np.array([place[group] for group in alike.tolist()], dtype=np.int64)


def _classifier(candidates: Candidates, most: int) -> BlindRule:
    """A linear classifier of words, signs and length of one candidate at a time, trained on other anchors."""
    from scipy.sparse import csr_array, hstack
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    counts = np.cumsum(np.bincount(candidates.clusters))
    last = max(1, int(np.searchsorted(counts, most, side="right")))
    sample = candidates.only(candidates.clusters < last)
    distinct, codes = np.unique(sample.numbers, return_inverse=True)
    texts = [sample.texts[number] for number in distinct.tolist()]
    vectorizer = TfidfVectorizer(lowercase=False, token_pattern=r"\w+|[^\w\s]", min_df=2, max_features=50_000)
    words = vectorizer.fit_transform([*texts, "x", "x"])[: len(texts)]
    lengths = np.log1p([[len(text), len(text.split())] for text in texts]) / 10
    features = csr_array(hstack([words, csr_array(lengths)], format="csr"))
    is_positive = np.zeros(len(codes), dtype=np.bool_)
    is_positive[sample.starts[:-1]] = True
    fold = np.repeat(sample.clusters % _FOLDS, sample.sizes)
    scores, coefficients = np.zeros(len(codes)), np.zeros(features.shape[1])
    for held in range(_FOLDS):
        roles = [(fold != held) & role for role in (is_positive, ~is_positive)]
        weights = [np.bincount(codes[role], sample.weights[role], len(distinct)) for role in roles]
        seen = [np.flatnonzero(of_role) for of_role in weights]
        model = LogisticRegression(C=10.0, solver="liblinear")
        model.fit(
            features[np.concatenate(seen)],
            np.repeat([True, False], [len(rows) for rows in seen]),
            sample_weight=np.concatenate(
                [of_role[rows] for of_role, rows in zip(weights, seen, strict=True)]
            ),
        )
        test = fold == held
        scores[test] = np.round(model.decision_function(features[codes[test]]), 9)
        coefficients += model.coef_[0]
    names = [*vectorizer.get_feature_names_out(), "more letters", "more words"]
    top = [str(names[i]) for i in np.argsort(-coefficients, kind="stable")[:_NAMED] if coefficients[i] > 0]
    why = f"; it goes by {show.listed([repr(name) for name in top])}" if top else ""
    return BlindRule("a classifier of candidates alone", sample, sample.passed(scores), why)

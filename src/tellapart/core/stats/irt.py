"""The two-parameter logistic model: how hard items are, and how sharply they tell models apart."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from tellapart.core.arrays import F64, I64

MOST_ITEMS = 1_000
"""Items that abilities are measured on; beyond, items are fitted to the abilities one by one."""

_NODES = np.linspace(-6.0, 6.0, 121)
_CLOSE = 1e-5
_MOST_ROUNDS = 500
_LONGEST_STEP = 1.0
_FLATTEST = 0.05
_SMALLEST_SPREAD = 1e-6
_CELLS_A_BLOCK = 1 << 20

# Terms rounded to multiples of these make sums exact, and so the same however many threads share them out.
_LOG_STEP = 2.0**-30
_WEIGHT_STEP = 2.0**-36


@dataclass(frozen=True)
class TwoParameterFit:
    """Items on the scale of the models' abilities, which have mean 0 and standard deviation 1.

    A model of ability t passes an item with probability 1 / (1 + exp(-discrimination x (t - difficulty))).

    Attributes:
        discrimination: Shape (items,), negative where better models fail; NaN without an answer.
        difficulty: Shape (items,), the ability that passes half the time; NaN without an answer and where the
            discrimination is within .05 of 0, which leaves no such ability.
        ability: Shape (models,), mean a posteriori.
        rounds: Of the algorithm.
        converged: Whether no slope or intercept changed by more than 1e-5 in the last round.
    """

    discrimination: F64
    difficulty: F64
    ability: F64
    rounds: int
    converged: bool


@dataclass(frozen=True)
class _Answers:
    """Shapes (items, models): passes as 0 and 1, and whether there is an answer, as 0 and 1."""

    passes: F64
    given: F64

    def of(self, items: I64 | slice) -> _Answers:
        return _Answers(self.passes[items], self.given[items])


def two_parameter_fit(scores: ArrayLike, *, prior_sds: tuple[float, float] = (1.0, 3.0)) -> TwoParameterFit:
    """Fit the two-parameter logistic model by marginal maximum likelihood.

    Abilities, normal a priori, are integrated out over 121 nodes from -6 to 6. A round takes the expectation
    of passes and answers at the nodes, sets the expected abilities to mean 0 and standard deviation 1, and
    makes one Newton step of every item's slope and intercept. Their priors keep an item that all pass from
    infinity; they are weak beside the answers of 50 models. Beyond ``MOST_ITEMS`` items, abilities come from
    that many, spread evenly over the shares of passes, and each item is then fitted to them, so the time is
    linear in items.

    Args:
        scores: Shape (models, items), each 0, 1 or NaN for missing, which is left out as if never asked. Some
            50 models are needed for a slope to mean anything.
        prior_sds: Standard deviations, > 0, of the normal priors of slope (mean 1) and intercept (mean 0).

    Returns:
        Parameters rounded to 1e-6, beyond which machines differ.

    Source:
        Birnbaum 1968, chapters 17 to 20 of Lord and Novick, "Statistical theories of mental test scores";
        Bock and Aitkin 1981, "Marginal maximum likelihood estimation of item parameters: application of an EM
        algorithm"; Liu, Rubin and Wu 1998, "Parameter expansion to accelerate EM: the PX-EM algorithm", for
        the abilities set to their scale in each round, which else creeps, and which many priors would bend.
    """
    answers = _answers(scores)
    items, models = answers.given.shape
    slopes, intercepts = np.full(items, np.nan), np.full(items, np.nan)
    answered = np.flatnonzero(answers.given.sum(axis=1) > 0)
    if not len(answered):
        return TwoParameterFit(slopes, slopes.copy(), np.full(models, np.nan), 0, True)
    fit = _measure(answers.of(_spread(answers.of(answered), answered)), prior_sds)
    size = max(1, _CELLS_A_BLOCK // max(models, len(_NODES)))
    for start in range(0, len(answered), size):
        some = answered[start : start + size]
        slopes[some], intercepts[some] = _fitted(answers.of(some), fit, prior_sds)
    slopes = np.round(slopes, 6) + 0.0
    steep = np.where(np.abs(slopes) > _FLATTEST, slopes, np.nan)
    ability = np.where(answers.given.any(axis=0), np.round(fit.posterior @ fit.nodes, 6), np.nan)
    difficulty = np.round(-intercepts / steep, 6) + 0.0
    return TwoParameterFit(slopes, difficulty, ability + 0.0, fit.rounds, fit.converged)


def _answers(scores: ArrayLike) -> _Answers:
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"scores has shape {table.shape}, expected two dimensions: models and items.")
    given = ~np.isnan(table)
    if not np.isin(table[given], (0.0, 1.0)).all():
        raise ValueError("Some scores are neither 0 nor 1, expected fail or pass.")
    passes, marks = (np.ascontiguousarray(part.T, dtype=np.float64) for part in (table == 1, given))
    return _Answers(passes, marks)


def _spread(answers: _Answers, answered: I64) -> I64:
    """The items to measure on: all, or so many at even steps in the order of their shares of passes."""
    if len(answered) <= MOST_ITEMS:
        return answered
    order = np.argsort(answers.passes.sum(axis=1) / answers.given.sum(axis=1), kind="stable")
    return np.sort(answered[order[(np.arange(MOST_ITEMS) * len(answered)) // MOST_ITEMS]])


@dataclass(frozen=True)
class _Abilities:
    """Where the models' abilities may lie.

    Attributes:
        posterior: Shape (models, nodes), probabilities.
        nodes: Shape (nodes,), on the scale on which the expected abilities have mean 0 and deviation 1.
        rounds: That it took.
        converged: Whether they sufficed.
    """

    posterior: F64
    nodes: F64
    rounds: int = 0
    converged: bool = False


def _measure(answers: _Answers, prior_sds: tuple[float, float]) -> _Abilities:
    slopes, intercepts = _start(answers)
    for done in range(1, _MOST_ROUNDS + 1):
        abilities = _abilities(answers, slopes, intercepts)
        passes, given = _expected(answers, abilities)
        before = slopes, intercepts
        slopes, intercepts = _step(passes, given, abilities.nodes, slopes, intercepts, prior_sds)
        if _change((slopes, intercepts), before) <= _CLOSE:
            return replace(abilities, rounds=done, converged=True)
    return replace(abilities, rounds=_MOST_ROUNDS)


def _start(answers: _Answers) -> tuple[F64, F64]:
    passes, given = answers.passes.sum(axis=1), answers.given.sum(axis=1)
    return np.ones(len(given)), np.log((passes + 0.5) / (given - passes + 0.5))


def _abilities(answers: _Answers, slopes: F64, intercepts: F64) -> _Abilities:
    logits = slopes[:, None] * _NODES + intercepts[:, None]
    logs = answers.passes.T @ _rounded(logits, _LOG_STEP)
    logs -= answers.given.T @ _rounded(np.logaddexp(0.0, logits), _LOG_STEP)
    logs -= np.square(_NODES) / 2
    posterior = np.exp(logs - logs.max(axis=1, keepdims=True))
    posterior /= posterior.sum(axis=1, keepdims=True)
    weights = posterior.sum(axis=0) / len(posterior)
    deviations = _NODES - (weights * _NODES).sum()
    sd = np.sqrt((weights * np.square(deviations)).sum())
    return _Abilities(posterior, deviations / max(float(sd), _SMALLEST_SPREAD))


def _expected(answers: _Answers, abilities: _Abilities) -> tuple[F64, F64]:
    """Passes and answers at each node, shapes (items, nodes)."""
    weights = _rounded(abilities.posterior, _WEIGHT_STEP)
    return answers.passes @ weights, answers.given @ weights


def _rounded(values: F64, step: float) -> F64:
    return np.rint(values / step) * step


def _step(
    passes: F64, given: F64, nodes: F64, slopes: F64, intercepts: F64, prior_sds: tuple[float, float]
) -> tuple[F64, F64]:
    """One Newton step of each item towards the mode of its slope and intercept."""
    rates = expit(slopes[:, None] * nodes + intercepts[:, None])
    surplus = passes - given * rates
    weights = given * rates * (1 - rates)
    slope_weight, intercept_weight = (sd**-2 for sd in prior_sds)
    of_slope = np.einsum("iq,q->i", surplus, nodes) - slope_weight * (slopes - 1)
    of_intercept = surplus.sum(axis=1) - intercept_weight * intercepts
    ss = np.einsum("iq,q->i", weights, np.square(nodes)) + slope_weight
    si = np.einsum("iq,q->i", weights, nodes)
    ii = weights.sum(axis=1) + intercept_weight
    determinant = ss * ii - si * si
    by_slope = (ii * of_slope - si * of_intercept) / determinant
    by_intercept = (ss * of_intercept - si * of_slope) / determinant
    longest = np.maximum(np.abs(by_slope), np.abs(by_intercept))
    share = np.minimum(1.0, _LONGEST_STEP / np.maximum(longest, _LONGEST_STEP))
    return slopes + share * by_slope, intercepts + share * by_intercept


def _fitted(answers: _Answers, abilities: _Abilities, prior_sds: tuple[float, float]) -> tuple[F64, F64]:
    """Slopes and intercepts of items for models whose abilities have been measured."""
    parameters = _start(answers)
    passes, given = _expected(answers, abilities)
    for _ in range(_MOST_ROUNDS):
        before = parameters
        parameters = _step(passes, given, abilities.nodes, *before, prior_sds)
        if _change(parameters, before) <= _CLOSE**2:
            break
    return parameters


def _change(now: tuple[F64, F64], before: tuple[F64, F64]) -> float:
    return max(float(np.abs(a - b).max()) for a, b in zip(now, before, strict=True))

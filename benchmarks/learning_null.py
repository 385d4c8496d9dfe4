"""How often ``codesearch learn`` proposes a change although no term and no directory has an effect.

    python benchmarks/learning_null.py [DRAWS]

Each draw is an iteration: conversations with files in a few directories, of which a coin decides what is
relevant, missed and noise; search terms lead to files at random. Prints, by the number of conversations, the
share of iterations with any proposal, and beside it the share with any candidate beyond chance on the very
conversations that suggested it, which is what proposals would be without held-back conversations.
"""

from __future__ import annotations

import sys
from math import sqrt

import numpy as np

from tellapart.codesearch.case import Case, Conversation, Explored, JudgeVerdict, SearchResult
from tellapart.codesearch.evaluation import Evaluation
from tellapart.codesearch.learning.learn import learnings
from tellapart.codesearch.results.learnings import Learnings
from tellapart.core.randomness import generator

DIRECTORIES = tuple(f"r/{name}" for name in ("api", "web", "lib", "jobs", "tests"))
TERMS = tuple(f"term{n}" for n in range(8))
FILES = 14


def null_iteration(conversations: int, rng: np.random.Generator) -> Evaluation:
    """An iteration in which nothing has an effect."""
    return Evaluation(1, None, tuple(_case(number, rng) for number in range(conversations)))


def _case(number: int, rng: np.random.Generator) -> Case:
    places = rng.integers(0, len(DIRECTORIES), FILES)
    files = [f"{DIRECTORIES[place]}/f{number}_{n}.py" for n, place in enumerate(places)]
    # How hard an issue is differs from one to the next; within it, a coin decides of each file.
    relevant = rng.random(FILES) < rng.uniform(0.2, 0.8)
    missed = relevant & (rng.random(FILES) < rng.uniform(0.2, 0.6))
    ours = [file for file, gone in zip(files, missed, strict=True) if not gone]
    terms = rng.choice(TERMS, size=5, replace=False).tolist()
    led = {file: tuple(rng.choice(terms, size=rng.integers(1, 3), replace=False).tolist()) for file in ours}
    truth = tuple(file for file, there in zip(files, relevant, strict=True) if there)
    noise = [file for file in ours if file not in truth]
    return Case(
        Conversation(f"c{number}", f"issue {number}", f"area {number % 3}"),
        SearchResult(tuple(ours), tuple(terms), terms_by_file=led),
        Explored("a", truth),
        Explored("b", truth),
        dict.fromkeys(noise, JudgeVerdict(False)),
    )


def null_learnings(conversations: int, draw: int) -> Learnings:
    """What is learnt from one such iteration."""
    return learnings(null_iteration(conversations, generator(7, "null", str(conversations), str(draw))))


def main(draws: int) -> None:
    """Print a line for each number of conversations."""
    for conversations in (16, 40, 100):
        proposed = picked = suggested = 0
        for draw in range(draws):
            learnt = null_learnings(conversations, draw)
            every = (*learnt.proposals, *learnt.candidates)
            proposed += bool(learnt.proposals)
            suggested += bool(every)
            picked += any(one.p is not None and one.p <= 0.05 for one in every)
        share = proposed / draws
        error = sqrt(share * (1 - share) / draws)
        sys.stdout.write(
            f"{conversations:>4} conversations, {draws} draws: any proposal {share:.1%} ± {2 * error:.1%}; "
            f"any candidate {suggested / draws:.1%}, with p <= .05 on its own conversations "
            f"{picked / draws:.1%}\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)

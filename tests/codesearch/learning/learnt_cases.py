"""Conversations of which it is written down which files are what."""

import json

from tellapart.codesearch.evaluation import Evaluation
from tellapart.codesearch.model import Case, Explored, Failed, JudgeVerdict

FAILED = Failed("timeout", "timeout", "no end in 600 s")


def made(id, found=(), missed=(), noise=(), judged=(), failed=(), *, area="uncertain", terms=(), led=None):
    """A conversation.

    ``found`` and ``missed`` are what both explorations found; only ours are ``noise`` and ``judged``, with a
    verdict each, and ``failed``, without one. ``led`` is what the system says of terms.
    """
    verdicts = {file: JudgeVerdict(False) for file in noise} | {
        file: JudgeVerdict(True, "yes") for file in judged
    }
    verdicts |= {file: JudgeVerdict(None, failure=FAILED) for file in failed}
    known = led or {}
    truth = (*found, *missed)
    return Case(
        id=id,
        issue_summary=f"issue {id}",
        product_area=area,
        files=(*found, *noise, *judged, *failed),
        terms=tuple(terms) or tuple(dict.fromkeys(term for own in known.values() for term in own)),
        terms_by_file={file: tuple(own) for file, own in known.items()},
        run_a=Explored("a", truth),
        run_b=Explored("b", truth),
        verdicts=verdicts,
    )


def evaluation(*cases):
    return Evaluation(1, None, cases)


def named(prefix, count, folder="r/src"):
    """So many files of a folder."""
    return tuple(f"{folder}/{prefix}{n}.py" for n in range(count))


def with_a_noisy_term():
    """The file of an evaluation in which one term led to noise in every conversation."""
    led = {"r/a.py": ["good"], "r/n.py": ["bad"], "r/o.py": ["bad"]}
    cases = [made(f"c{n}", found=["r/a.py"], noise=["r/n.py", "r/o.py"], led=led) for n in range(12)]
    return json.dumps(evaluation(*cases).to_json())

"""Shares and signs, against the example rows of the source document."""

import pytest

from longcontext.page.graded_record import typed_probe
from tellapart.longcontext.page import scores


def graded(*categories, **changes):
    missing = {"ERROR": "provider", "EVAL_ERROR": "judge"}
    return [
        typed_probe(
            "c", "V1", None, name, "How many?", "Seven.", "Eight.", missing=missing.get(name), **changes
        )
        for name in categories
    ]


WRONG = ("HALLUCINATED", "CONFUSED", "REFUSED", "FAIL", "PARTIAL", "RECENCY_BIAS_DETECTED")


@pytest.mark.parametrize(
    ("right", "of", "said", "sign"),
    [
        # The document's rows: 3/4 CORRECT + 1 PASS is all right, 2/3 and 4/7 are not, 1/7 and 2/6 are bad.
        (2, 3, "2/3 CORRECT", "⚠️"),
        (4, 7, "4/7 CORRECT", "⚠️"),
        (1, 7, "1/7 CORRECT", "❌"),
        (2, 6, "2/6 CORRECT", "❌"),
        (6, 10, "6/10 CORRECT", "⚠️"),
        (3, 13, "3/13 CORRECT", "❌"),
        (1, 2, "1/2 CORRECT", "⚠️"),
        (0, 1, "0/1 CORRECT", "❌"),
        (5, 5, "5/5 CORRECT", "✅"),
    ],
)
def test_the_documents_rows(right, of, said, sign):
    probes = graded(*["CORRECT"] * right, *(WRONG * 3)[: of - right])
    assert scores.share(probes) == said
    assert scores.sign(probes) == sign


def test_missing_is_not_wrong():
    probes = graded("CORRECT", "ERROR", "PARTIAL", "EVAL_ERROR")
    assert scores.share(probes) == "1/4 CORRECT (2 missing)"
    # One right of four at worst, three at best: less than half, or more.
    assert scores.sign(probes) == "–"
    assert scores.mean(probes) == 0.75
    assert scores.bounds(probes) == (0.375, 0.875)
    assert scores.causes(probes) == "judge 1, provider 1"

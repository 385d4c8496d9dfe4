"""Records of graded conversations, written by hand after the documented cases."""

import json
from pathlib import Path

import polars as pl

from tellapart.core.comparison import compare
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.scores import ScoreTable
from tellapart.longcontext.page import View, document, documented_report
from tellapart.longcontext.results import GradingRecord
from tellapart.report import html_document

HOSTILE = "</script><img src=x onerror=\"document.title='owned'\"><!--"
FORGED = "N=342.\n## Detailed Results\n| a | b |\n|---|---|\n===\n- **Score:** CORRECT\n1. one\n    code"
JUDGE = "anthropic/claude-sonnet-4-5-20250929"
EXPECTED = {
    "case_1_short": {"expected_tokens": 2_000},
    "case_2_long": {"expected_tokens": 30_000, "expected_most_tokens": 40_000},
}


def typed(record):
    """A record that is written by hand, as it is read."""
    return GradingRecord.model_validate(record)


def view_of(record, **more):
    return View(typed(record), **more)


def documented(record, *args, **more):
    return documented_report(typed(record), *args, **more)


def page_of(record, comparison=None):
    return html_document(document(View(typed(record), comparison=comparison)))


def probe(case, step_id, mode, category, question, expected, response, **changes):
    value = {"CORRECT": 1.0, "PASS": 1.0, "NO_BIAS": 1.0, "PARTIAL": 0.5, "ERROR": None, "EVAL_ERROR": None}
    rule = next(
        (r for words, r in (("Sink", "sink"), ("Recency", "recency")) if words in (mode or "")), "facts"
    )
    return {
        "model": "deepseek-chat", "case": case, "epoch": 0, "step_id": step_id,
        "type": "checkpoint" if step_id.startswith("C") else "verification",
        "failure_mode": mode, "rule": rule,
        "item": question.split("recall: ")[-1].casefold(), "question": question, "expected": expected,
        "response": response, "http_status": 200, "error": None, "category": category,
        "reason": f"The answer is {category.lower().replace('_', ' ')}.", "key_detail": "",
        "value": value.get(category, 0.0), "grader": "rules" if rule == "sink" else "judge", "note": None,
        "missing": None, "correct": None, "of": None, "context_tokens": None, "intended_tokens": None,
        "distance_tokens": None, "depth": None, "judgings": [],
        "banned": None, "decidable": True, "intended_most_tokens": None, "failure": None,
    } | changes  # fmt: skip


def playing(name, counts, **changes):
    """A conversation whose steps have these prompt tokens, by id."""
    known = [tokens for tokens in counts.values() if tokens is not None]
    return {
        "model": "deepseek-chat", "name": name, "epoch": 0, "control": None, "steps": len(counts),
        "messages": 2 * len(counts), "peak_tokens": max(known) + 50 if known else 0,
        "failed_steps": 0, "statuses": {"200": len(counts)},
        "tokens": [
            {
                "step": step,
                "type": {"C": "checkpoint", "V": "verification"}.get(step[0], "message"),
                "prompt_tokens": tokens, "forked": False, "repeat": "-R" in step,
                "conversation_length": 2 * i + 2,
            }
            for i, (step, tokens) in enumerate(counts.items())
        ],
        "truncations": [], "unknown": [], "expected_tokens": None, "expected_most_tokens": None,
    } | EXPECTED.get(name, {}) | changes  # fmt: skip


def record(cases, probes, **changes):
    return {
        "generated_at": 1772194209420, "grader": "judge", "judge": JUDGE,
        "models": list(dict.fromkeys(case["model"] for case in cases)), "cases": cases, "probes": probes,
        "findings": [], "effective_length": None, "judging": None,
    } | changes  # fmt: skip


def stored(name):
    return json.loads(Path(__file__).with_name(f"{name}.json").read_text(encoding="utf-8"))


def finding(severity, check, case, step, message):
    return {"severity": severity, "check": check, "case": case, "step": step, "message": message}


def two_models():
    """Two models, two epochs each, graded by a judge, with a control."""
    cases, probes = [], []
    for model, answers in (("alpha", ("CORRECT", "CORRECT")), ("beta", ("CORRECT", "HALLUCINATED"))):
        for epoch, category in enumerate(answers):
            of = {"model": model, "epoch": epoch}
            cases.append(playing("recall", {"M1": 900, "V1": 2000}, expected_tokens=2000, **of))
            given = probe("recall", "V1", "Factual recall", category, "How many?", "Seven.", "Seven.", **of)
            probes.append(given | {"judgings": [category, category]})
    alone = {"model": "alpha (closed-book)"}
    cases.append(playing("recall", {"V1": 20}, control="closed-book", **alone))
    probes.append(
        probe("recall", "V1", "Factual recall", "REFUSED", "How many?", "Seven.", "No idea.", **alone)
    )
    return record(cases, probes, grader="judge")


def refused():
    """A run in which the provider refused every call."""
    refusal = {"failed_steps": 1, "statuses": {"402": 1}, "messages": 1, "unknown": ["M1"]}
    cases = [
        playing("case_1_short", {"M1": None}, **refusal),
        playing("case_2_long", {"M1": None}, **refusal),
        playing("case_3_overflow_fixed", {"M1": None, "V2-1": None}, **refusal | {
            "failed_steps": 2, "statuses": {"402": 2}, "messages": 2, "unknown": ["M1", "V2-1"],
        }),
    ]  # fmt: skip
    lost = {"http_status": 402, "error": "DeepSeek error (402): Insufficient Balance", "missing": "provider"}
    asked = probe(
        "case_3_overflow_fixed", "V2-1", "Confabulation + Lost in the Middle — TRAP QUESTION", "ERROR",
        "What did Lindberg et al. conclude?", "Study 6 did NOT compare.", None, grader="rules", **lost,
    )  # fmt: skip
    return record(cases, [asked], grader="rules", judge=None, generated_at=None)


def three():
    """The documented three cases, the last one truncated, with an unreadable verdict and a hostile answer."""
    return stored("three")


def remembered():
    """Two models at five lengths, as the suite found it once: alpha forgets what is far, beta the middle."""
    return stored("lengths")


def smoke():
    """What ``grade`` found once in the real run of case 1, by rules."""
    return stored("smoke")


def compared(cautions=(), wrong=range(9), by="length"):
    """Whether alpha and beta differ: 12 conversations of a probe each, of which beta has some wrong."""
    lengths = ["1,000", "2,000", "16,000"]
    rows = [
        {
            "model": model, "item": f"c{i}/V1", "score": float(model == "alpha" or i not in wrong),
            "cluster": f"c{i}", "length": lengths[i % 3],
        }
        for model in ("alpha", "beta")
        for i in range(12)
    ]  # fmt: skip
    notes = ScoreNotes(by=by, cautions=tuple(cautions))
    return compare(ScoreTable.from_frame(pl.DataFrame(rows), notes=notes))


def whole():
    """Two models with curves: what a page can show at most."""
    found = two_models()
    return found | {"effective_length": remembered()}

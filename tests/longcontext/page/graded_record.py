"""Records of graded conversations, written by hand after the documented cases."""

import json
from pathlib import Path

from tellapart.longcontext.page import View, documented_report
from tellapart.longcontext.results import GradingRecord

HOSTILE = "</script><img src=x onerror=\"document.title='owned'\"><!--"
FORGED = "N=342.\n## Detailed Results\n| a | b |\n|---|---|\n===\n- **Score:** CORRECT\n1. one\n    code"
JUDGE = "anthropic/claude-sonnet-4-5-20250929"


def typed(record):
    """A record that is written by hand, as it is read."""
    return GradingRecord.model_validate(record)


def view_of(record):
    return View(typed(record))


def documented(record):
    return documented_report(typed(record))


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
            }
            for step, tokens in counts.items()
        ],
        "truncations": [], "unknown": [], "expected_tokens": None, "expected_most_tokens": None,
    } | changes  # fmt: skip


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


def three():
    """The documented three cases, the last one truncated, with an unreadable verdict and a hostile answer."""
    return stored("three")

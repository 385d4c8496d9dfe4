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
SAMPLE = "What was the exact total sample size in Study 1 (Zhang et al.)?"
JUDGE = "anthropic/claude-sonnet-4-5-20250929"
BAIT = "Is it fair to say that the results are excellent, truly excellent?"
NOTABLE = 'Model should still use "NOTABLE" per system prompt rule.'
MIDDLE = 0.5
EXPECTED = {
    "case_1_short": {"expected_tokens": 2_000},
    "case_2_long": {"expected_tokens": 30_000, "expected_most_tokens": 40_000},
    "case_3_overflow": {"expected_tokens": 128_000},
}
"""Lengths of the source document."""
INTENDED = {
    (case, step): {"intended_tokens": 1000 * thousands}
    for case, steps in {
        "case_1_short": {"V1-4": 2},
        "case_2_long": {"C2-1": 4, "C2-3": 10, "V2-4": 20, "V2-7": 20},
        "case_3_overflow": {"C3-1": 40, "C3-3": 60, "C3-5": 80, "C3-7": 100, "V3-4": 120, "V3-6": 120},
    }.items()
    for step, thousands in steps.items()
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
    } | INTENDED.get((case, step_id), {}) | changes  # fmt: skip


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


def truncation(step, before, now, length, rule="drop", expected=25_000):
    return {
        "step_id": step, "previous_prompt_tokens": before, "prompt_tokens": now,
        "expected_prompt_tokens": expected, "conversation_length": length, "rule": rule,
    }  # fmt: skip


def record(cases, probes, **changes):
    return {
        "generated_at": 1772194209420, "grader": "judge", "judge": JUDGE,
        "models": list(dict.fromkeys(case["model"] for case in cases)), "cases": cases, "probes": probes,
        "findings": [], "effective_length": None, "judging": None,
    } | changes  # fmt: skip


def sampled(case, step_id, what, category, response, tokens, distance):
    return probe(
        case, step_id, f"Attention Dilution — {what}", category, f"Quick recall: {SAMPLE}", "N=342.",
        response, context_tokens=tokens, distance_tokens=distance, depth=round(1 - distance / tokens, 3),
    )  # fmt: skip


def short_case():
    name, tokens = "case_1_short", iter((698, 743, 779, 817))
    rows = [
        ("V1-1", "Baseline recall", "CORRECT", "What increase was reported?", "37% increase.", "37%."),
        ("V1-2", "Source Attribution — baseline", "CORRECT", "Who recommended morning dosing?",
         "Dr. Marcus Webb from Johns Hopkins University.", "Dr. Marcus Webb from Johns Hopkins University."),
        ("V1-3", "Factual recall", "CORRECT", "What liver tests does the Australian TGA require?",
         "Baseline ALT/AST testing.", "Baseline ALT/AST testing, at 3 and 12 months."),
        ("V1-4", "Attention Sink — baseline", "PASS", BAIT, NOTABLE, "They are NOTABLE."),
    ]  # fmt: skip
    return [probe(name, *row, context_tokens=next(tokens)) for row in rows]


def long_case():
    name = "case_2_long"
    trap = "What did Lindberg et al. (Study 6) conclude about atomoxetine vs methylphenidate?"
    return [
        sampled(name, "C2-1", "first baseline", "CORRECT", "N=342.", 4100, 3000),
        probe(name, "C2-2", "Source Attribution test", "CONFUSED", "Which study compared to methylphenidate?",
              "Study 3, Petrov, D. (lead author).", "Study 10, Eriksson.", context_tokens=6800,
              distance_tokens=2900, depth=0.57, key_detail="Eriksson"),
        sampled(name, "C2-3", "second check", "CORRECT", "N=342, as said before.", 9900, 8700),
        probe(name, "V2-1", "Confabulation + Lost in the Middle — TRAP QUESTION", "HALLUCINATED", trap,
              "Study 6 did NOT compare atomoxetine to methylphenidate.", FORGED, context_tokens=19_100,
              key_detail="| forged | row |"),
        probe(name, "V2-2", "Cross-contamination", "CORRECT", "Exact dropout rate?", "18.7% (n=79).",
              "18.7% (n=79)", context_tokens=19_300, distance_tokens=11_000, depth=0.43),
        probe(name, "V2-3", "Factual recall — middle position", "PARTIAL", "WCST improvement in Study 4?",
              "34.2% (d=0.78).", f"34.2%. {HOSTILE}", context_tokens=19_500,
              distance_tokens=13_000, depth=0.33),
        sampled(name, "V2-4", "third check", "CORRECT", "N=342.", 19_700, 18_400),
        probe(name, "V2-5", "Recency Bias", "RECENCY_BIAS_DETECTED", "How effective is it at 80mg/day?",
              "Early data: -16.4\nLate data: SMD=0.45", "Pooled SMD=0.45.", context_tokens=19_900),
        probe(name, "V2-6", "Source Attribution", "CORRECT", "Which study found women respond better?",
              "Study 9, Patel, N. (lead author).", "Study 9, Patel.", context_tokens=20_000,
              distance_tokens=3000, depth=0.85),
        probe(name, "V2-7", "Attention Sink", "FAIL", BAIT, NOTABLE, "I may not say \"excellent\".",
              context_tokens=20_200, note="the word is quoted"),
    ]  # fmt: skip


def overflow_case():
    name = "case_3_overflow"
    return [
        sampled(name, "C3-1", "check 4", "PARTIAL", "About 340.", 20_900, 19_000),
        probe(name, "C3-2", "Source Attribution - deep check", "REFUSED",
              "Which study found women respond better?", "Study 9, Patel, N.", "I cannot find it.",
              context_tokens=21_400),
        sampled(name, "C3-3", "check 5", "HALLUCINATED", "N=423.", 21_800, 20_000),
        probe(name, "C3-4", "Cross-contamination probe", "PARTIAL",
              "In which study was the sample size exactly 312?", "Study 7 and Study 8.", "Study 8.",
              context_tokens=21_900),
        sampled(name, "C3-5", "check 6", "CORRECT", "342", 20_100, 19_900),
        probe(name, "C3-6", "Recency Bias probe", "RECENCY_BIAS_DETECTED", "Most important finding?", None,
              "REM sleep.", context_tokens=20_400),
        sampled(name, "C3-7", "check 7", "HALLUCINATED", "N=189.", 20_600, 20_000),
        probe(name, "V3-1", "Cross-contamination - genomics detail", "CORRECT", "Gene loci of Kowalski?",
              "rs78423156 on chr 6q14.1.", "rs78423156 on chr 6q14.1.", context_tokens=20_800,
              distance_tokens=9000, depth=0.57),
        probe(name, "V3-2", "Lost in the Middle - mid-position detail", "HALLUCINATED", "Economic value?",
              "$4,230/employee/6 months.", "$5,590.", context_tokens=20_900,
              distance_tokens=12_000, depth=0.43),
        probe(name, "V3-3", "Stress test - full enumeration", "PARTIAL", "List ALL 25 studies.",
              "Study 1: Zhang, 2019, N=342\nStudy 2: Morrison, 2020, N=2847",
              "1. Zhang, 342\n2. Morrison, 2,847\n\n# Done", context_tokens=21_000,
              rule="enumeration", grader="rules", value=7 / 25, correct=7, of=25),
        sampled(name, "V3-4", "final check", "EVAL_ERROR", "342 participants", 21_200, 20_300)
        | {"missing": "judge"},
        probe(name, "V3-5", "Confabulation - trap question", "CORRECT", "REM sleep in Study 18?",
              "REM sleep was UNCHANGED.", "It was unchanged.", context_tokens=21_300,
              distance_tokens=5000, depth=0.76),
        probe(name, "V3-6", "Attention Sink - final check", "FAIL", BAIT, NOTABLE, "Excellent!",
              context_tokens=21_400),
    ]  # fmt: skip


def three():
    """The documented three cases, the last one truncated, with an unreadable verdict and a hostile answer."""
    probes = [*short_case(), *long_case(), *overflow_case()]
    asked = {p["step_id"]: p["context_tokens"] for p in probes}
    cases = [
        playing(
            "case_1_short", {"M1": 245, "M2": 431, "M3": 631} | {s: n for s, n in asked.items() if "1-" in s}
        ),
        playing("case_2_long", {"M1": 1500} | {s: n for s, n in asked.items() if "2-" in s}),
        playing(
            "case_3_overflow",
            {"M11": 20_400} | {s: n for s, n in asked.items() if "3-" in s},
            truncations=[truncation("C3-5", 21_900, 20_100, 12)],
            unknown=["M11"],
        ),
    ]
    found = [
        finding("info", "coverage", None, None, "the peak is 17 % of what was intended"),
        finding("error", "answerability", "case_3_overflow", "C3-1", "what it asks for was never provided"),
    ]
    return record(cases, probes, findings=found)


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


def remembered():
    """Two models at five lengths, as the suite found it once: alpha forgets what is far, beta the middle."""
    return json.loads(Path(__file__).with_name("lengths.json").read_text(encoding="utf-8"))


def smoke():
    """What ``grade`` found once in the real run of case 1, by rules."""
    return json.loads(Path(__file__).with_name("smoke.json").read_text(encoding="utf-8"))


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

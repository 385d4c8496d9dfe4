"""A search of six issues as a pipeline records it, with everything that a report must tell apart."""

import json

from tellapart.codesearch.recordings import read_evaluation
from tellapart.codesearch.scoring import score_evaluation

HOSTILE = "</script><img src=x onerror=\"document.title='owned'\"><!--"
FAILED = None


def files(*names):
    return [f"shop/{name}.py" for name in names]


def recorded():
    """The documented fields, and those of ours that other pipelines may have."""
    return {
        "iteration_number": 1,
        "timestamp": "2026-01-15T15:30:00Z",
        "metrics": {},
        "conversations": [
            conversation(
                "feed", "communities", "Pins are not shown in the feed.", "pins feed pin_model style",
                "pins feed cache", "feed pins", {"pin_model": True, "style": False},
                terms={"pins": "pins pin_model", "feed": "feed style"},
            ),
            conversation(
                "join", "communities", f"Joining fails {HOSTILE}", "join member style mail",
                "join member", "join", {"style": False, "mail": True}, reasoning=f"It mails {HOSTILE}",
            ),
            conversation(
                "late", "scheduling", "Posts go out late.", "queue clock zone style",
                "queue clock zone", "queue clock", {"style": False}, again="queue clock",
            ),
            conversation(
                "twice", "scheduling", "Posts go out twice.", "queue retry lock style",
                "queue retry", "lock retry", {"style": FAILED}, again="queue retry",
            ),
            conversation("empty", "billing", "The invoice is empty.", "invoice tax style theme", "",
                         "invoice tax total", {"style": False, "theme": False}),
            conversation("refund", "billing", "Refunds are counted as sales.", "sales", "refund ledger",
                         "", {"sales": True}, error="timeout: no answer in 300 s"),
        ],
    }  # fmt: skip


def conversation(
    name, area, issue, ours, run_a, run_b, verdicts, *, reasoning="It reads pins.", terms=None, again=None,
    error=None,
):  # fmt: skip
    found = {
        "conversation_id": name,
        "issue_summary": issue,
        "product_area": area,
        "classification_confidence": 0.85,
        "run_a": {"model": "lexical", "files_found": files(*run_a.split()), "error": None},
        "run_b": {"model": "names", "files_found": files(*run_b.split()), "error": error},
        "our_files": files(*ours.split()),
        "our_unique_judgments": [judgement(file, said, reasoning) for file, said in verdicts.items()],
        "search_terms_used": [*(terms or {"shop": ""})],
        "assessment": {"scores": {"gestalt": 3, "noise": 2 + (area == "billing")}, "product_area": area},
    }
    if terms:
        led = {file: [t for t, to in terms.items() if file in to.split()] for file in ours.split()}
        found["terms_by_file"] = {f"shop/{file}.py": of for file, of in led.items()}
    if again:
        found["retest_a"] = {"model": "lexical", "files_found": files(*again.split()), "error": None}
    return found


def judgement(file, said, reasoning):
    told = {"file": f"shop/{file}.py", "relevant": bool(said), "actionable": "yes" if said else "no"}
    if said is FAILED:
        return told | {
            "reasoning": "Judge failed to evaluate",
            "failure": {"cause": "provider", "kind": "overloaded", "detail": "529 for the fifth time"},
        }
    return told | {"reasoning": reasoning}


def rescored(record):
    """All figures of a recorded evaluation, as JSON has them."""
    found = score_evaluation(read_evaluation(json.dumps(record).encode(), where="recorded"))
    return json.loads(json.dumps(found.to_json()))


def write(record, directory, name="evaluation.json"):
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / name
    path.write_text(json.dumps(record), encoding="utf-8")
    return path

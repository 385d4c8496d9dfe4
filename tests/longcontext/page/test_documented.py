"""The Markdown of the source document: its skeleton word for word, and recorded reports."""

import io
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from rich.console import Console

from longcontext.page import graded_record
from longcontext.page.graded_record import (
    FORGED,
    documented,
    three,
    view_of,
)
from tellapart.longcontext.page import terminal

GOLDEN = Path(__file__).parents[2] / "golden"
RECORDS = {
    "three": graded_record.three,
    "refused": graded_record.refused,
    "two_models": graded_record.whole,
    "smoke": graded_record.smoke,
}
HEADINGS = """# Day 8 Experiment Evaluation
## Summary
## Attention Dilution Tracking
## Attention Sink Tracking
## Failure Mode Heatmap
## Token Analysis & Observations
## Detailed Results
### Case 1: case_1_short
#### V1-1 (Baseline recall)
### Case 2: case_2_long
### Case 3: case_3_overflow"""
COLUMNS = """| Case | Checkpoints | Verifications | Score |
| Checkpoint | Case | Est. Context | Score | Model's Answer |
| Checkpoint | Case | Est. Context | Score | Used EXCELLENT? |
| Failure Mode | Case 1 | Case 2 | Case 3 |
| Case | Steps | Messages | Peak Tokens | Expected |"""
LINES = """Evaluator: Claude Sonnet 4.5
| case_1_short | 0/0 | 3/4 CORRECT + 1 PASS | ✅ |
| case_2_long | 2/3 CORRECT |
| case_3_overflow | 1/7 CORRECT | 2/6 CORRECT
Same question asked 8 times: "What was the exact total sample size in Study 1 (Zhang et al.)?"
Expected answer: N=342
| C2-1 | 2 | ~4K |
| C2-3 | 2 | ~10K |
| V2-4 | 2 | ~20K |
| C3-1 | 3 | ~40K |
| C3-3 | 3 | ~60K |
| C3-5 | 3 | ~80K |
| C3-7 | 3 | ~100K |
| V3-4 | 3 | ~120K |
System prompt rule: "Never use EXCELLENT, use NOTABLE instead"
| V1-4 | 1 | ~2K |
| V2-7 | 2 | ~20K |
| V3-6 | 3 | ~120K |
| Attention Dilution | —
| Confabulation | —
| Cross-contamination | —
| Source Attribution |
| Recency Bias | —
| Attention Sink |
| Lost in the Middle | —
**Key observation:**
- No API error was raised (all httpStatus = 200)
- The model kept responding as if everything was fine
- But prompt_tokens stopped growing or even decreased, proving context was silently discarded
- This means the model's answers to verification questions are based on INCOMPLETE context, without any
⚠️ SILENT TRUNCATION DETECTED at step C3-5
Previous step prompt_tokens: 21900
This step prompt_tokens: 20100
Conversation history size: 12 messages
The model silently dropped context without returning an error.
- **Question:**
- **Expected:**
- **Actual:**
- **Score:**
- **Reason:**"""


def in_order(lines, parts):
    """Whether lines beginning so stand below each other."""
    at = -1
    for part in parts:
        at = next((i for i in range(at + 1, len(lines)) if lines[i].startswith(part)), None)
        assert at is not None, part
    return True


@pytest.mark.parametrize("parts", [HEADINGS, COLUMNS, LINES], ids=["headings", "columns", "lines"])
def test_everything_of_the_document_stands_where_it_does_there(parts):
    assert in_order(documented(three()).splitlines(), parts.splitlines())


@pytest.mark.parametrize("name", RECORDS)
def test_reports_are_as_recorded(name):
    golden = GOLDEN / f"longcontext_{name}_report.md"
    assert documented(RECORDS[name]()) == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [80, 120])
def test_the_terminal_is_as_recorded(width):
    console = Console(width=width, record=True, file=io.StringIO())
    for part in terminal(view_of(three())):
        console.print(part)
    lines = [line.rstrip() for line in console.export_text().splitlines()]
    golden = (GOLDEN / f"longcontext_terminal_{width}.txt").read_text(encoding="utf-8")
    assert "\n".join(lines) + "\n" == golden
    assert max(map(len, lines)) <= width


def test_no_reply_forges_a_heading_or_a_row():
    """With a hostile reply everywhere a report has the blocks of one with harmless replies."""

    def outline(text):
        made = three()
        probes = [one | {"response": text, "reason": text, "key_detail": text} for one in made["probes"]]
        tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(documented(made | {"probes": probes}))
        shown = {"heading_open", "tr_open", "td_open", "fence", "html_block", "hr", "list_item_open"}
        return [(token.type, token.tag) for token in tokens if token.type in shown]

    harmless = "\n".join("harmless" for _ in FORGED.splitlines())
    assert outline(FORGED) == outline(harmless)
    assert outline("<h2>x</h2>") == outline("harmless")

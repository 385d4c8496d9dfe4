"""The Markdown of the source document: its skeleton word for word, and recorded reports."""

import io
import json
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from rich.console import Console

from longcontext.page import graded_record
from longcontext.page.graded_record import (
    FORGED,
    documented,
    probe,
    record,
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


def test_every_row_of_the_tables_of_the_document_is_there_and_no_other_column_comes_first():
    lines = documented(three()).splitlines()
    start = lines.index(next(line for line in lines if line.startswith("| Checkpoint | Case | Est. Context")))
    assert [line.split(" | ")[0] for line in lines[start + 2 : start + 10]] == [
        "| C2-1", "| C2-3", "| V2-4", "| C3-1", "| C3-3", "| C3-5", "| C3-7", "| V3-4",
    ]  # fmt: skip
    assert lines[start + 10] == ""


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


@pytest.mark.parametrize("width", [80, 120])
def test_the_terminal_shows_the_verdict_then_the_effective_length_then_the_rest(width):
    console = Console(width=width, record=True, file=io.StringIO())
    view = view_of(graded_record.whole(), comparison=graded_record.compared(["Mine.", "Ours."]))
    for part in terminal(view):
        console.print(part)
    text = console.export_text()
    verdict = "Separates the two models: alpha beats beta by 75 points (32.6 to 91.1). Beware: Mine. "
    assert " ".join(text.split()).startswith(verdict)
    places = [
        text.index(words)
        for words in ("Pairs of models", "Pairs by length", "Ours.", "effective context length: 16,000",
                      "mean score", "Effective context length, in", "Right answers", "Mean scores")
    ]  # fmt: skip
    assert places == sorted(places)
    assert max(map(len, text.splitlines())) <= width


def test_errors_stand_before_the_figures_and_information_behind_them():
    parts = [part.split("\n")[0] for part in documented(three()).split("\n## ")[1:]]
    assert parts[0] == "Findings"
    assert parts[-2:] == ["For Information", "Detailed Results"]


def test_which_models_differ_stands_before_all_else():
    made, cautions = graded_record.whole(), ["2 of 12 probes state | their own answer.", "And *more*."]
    text = documented(made, comparison=graded_record.compared(cautions))
    first, *rest = text.split("\n## ")[1:]
    assert first.startswith(
        "Which Models Differ\n\nSeparates the two models: alpha beats beta by 75 points (32.6 to 91.1). "
        "Beware: 2 of 12 probes state \\| their own answer. And \\*more\\*.\n"
    )
    assert "| alpha | beta | better | +75.0 (" in first
    assert [line.split(" | ")[0] for line in first.splitlines() if "alpha – beta" in line] == [
        "| 1,000", "| 2,000", "| 16,000",
    ]  # fmt: skip
    assert ["\n## ".join(rest)] == documented(made).split("\n## ", 1)[1:]


def headings(text):
    return [line for line in text.splitlines() if line.startswith(("## ", "### "))]


def test_effective_lengths_stand_behind_the_tokens_where_any_probe_has_evidence():
    made = graded_record.whole()
    found = headings(documented(made))
    at = found.index("## Token Analysis & Observations")
    assert found[at + 1 : at + 5] == [
        "## Effective Context Length",
        "### Score by context length, in tokens",
        "### Score by distance of the nearest evidence, in tokens",
        "## Rules and Judge",
    ]
    text = documented(made)
    assert "| alpha | absolute (RULER) | 16,000 | 1,000 to 16,000 | 85.6 % |" in text
    assert "| alpha | 64,000 | as requested | 63,970 | 50.0 % (28.2–71.8) | 30 | 0 | 50.0–50.0 |" in text
    assert "## Effective Context Length" not in documented(three())
    far = [one | {"by_length": []} for one in made["effective_length"]["models"]]
    made["effective_length"] = made["effective_length"] | {"models": far}
    assert "### Score by context length, in tokens" not in documented(made)
    assert "## Effective Context Length" in documented(made)


def test_every_section_with_grades_names_its_grader():
    for name, make in RECORDS.items():
        sections = documented(make()).split("\n## ")[1:]
        graded = [part for part in sections if not part.startswith(("Find", "Token", "Rules", "For"))]
        assert all("\nGraded by " in part for part in graded), name


def test_the_title_is_the_documents_only_for_its_cases():
    assert documented(three()).startswith("# Day 8 Experiment Evaluation\n")
    assert documented(three(), "Mine").startswith("# Mine\n")
    assert documented(graded_record.refused()).startswith("# Experiment Evaluation\n")


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


def test_a_hostile_id_mode_or_model_stays_where_it_belongs():
    hostile = "V1\n## Forged | row"
    one = probe("c\n# x", hostile, "a\n# b", "CORRECT", "Q?", "x", "y", model="m\n# n")
    case = graded_record.playing("c\n# x", {hostile: 5}, model="m\n# n", truncations=[
        graded_record.truncation(hostile, 1, 2, 3)])  # fmt: skip
    lines = documented(record([case], [one])).splitlines()
    assert [line for line in lines if line.startswith("# ")] == ["# Experiment Evaluation"]
    assert not any(line.startswith(("## Forged", "## b")) for line in lines)


def test_a_record_as_json_gives_the_same_report():
    made = graded_record.whole()
    assert documented(json.loads(json.dumps(made))) == documented(made)


def test_long_replies_are_whole_in_the_details():
    made = three()
    reply = "\n".join(f"line {i} of a long reply" for i in range(400))
    made["probes"][0] |= {"response": reply}
    text = documented(made)
    assert all(f"> line {i} of a long reply" in text for i in range(400))


def test_many_truncations_are_counted():
    made = three()
    cuts = [graded_record.truncation(f"M{i}", 900, 800, i) for i in range(12)]
    made["cases"][2]["truncations"] = cuts
    text = documented(made)
    assert text.count("SILENT TRUNCATION DETECTED") == 10
    assert "The same at 2 further steps of this conversation." in text

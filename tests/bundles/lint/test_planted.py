"""Faults planted in a clean eval: each is found, by its own check, and nothing else is."""

import copy

import pytest

from bundles.lint.questions import clean_rows, write_rows
from tellapart.bundles.lint import lint_files


def found_in(tmp_path, rows, train=()):
    """Severity, check and ids of what is an error or a warning."""
    files = [write_rows(tmp_path / "eval.jsonl", rows)]
    trained = [write_rows(tmp_path / "train.jsonl", train)] if train else []
    found = lint_files(files, trained).findings
    return sorted((one.severity, one.check, *one.bundles) for one in found if one.severity != "info")


def test_a_clean_eval_has_neither_errors_nor_warnings(tmp_path):
    unrelated = [{"text": "Tulips are planted in autumn, before the first frost."}]
    assert found_in(tmp_path, clean_rows(), unrelated) == []


WRITTEN = {
    "as it is": lambda text: text,
    "upper case": str.upper,
    "other white space": lambda text: f"  {text.replace(' ', chr(10), 3)}\t",
    "no-break spaces": lambda text: text.replace(" ", "\u00a0"),
    "a zero-width space": lambda text: f"{text[:4]}\u200b{text[4:]}",
}


@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN)
def test_a_positive_among_the_negatives_however_it_is_written(tmp_path, written):
    rows = clean_rows()
    rows[3]["negatives"].insert(2, written(rows[3]["positive"]))
    assert found_in(tmp_path, rows) == [("error", "positive-among-negatives", "q3")]


def planted():
    """Rows and training data with two faults each of four kinds, and what is to be found."""
    rows, train, expected = clean_rows(), [], []

    def add(severity, check, *ids):
        expected.append((severity, check, *ids))

    nearly = (
        "Loans run for four weeks - you can renew twice, unless someone reserved the book!",
        "Each day overdue costs twenty cents and never more than the prize of the item",
    )
    for i, near in enumerate(nearly):
        rows[i]["negatives"].append(near)
        add("warning", "second-right-answer", f"q{i}")
    for i in (4, 5):
        other = f"It is in the old brewery number {i}, across the river from here."
        rows.append({**copy.deepcopy(rows[i]), "bundle_id": f"s{i}", "positive": other})
        rows[i]["negatives"].append(other.upper())
        add("error", "second-right-answer", f"q{i}", f"s{i}")
    rows[11]["negatives"] = rows[11]["negatives"][:1]
    add("warning", "few-negatives", "q11")
    train.append({"query": rows[12]["anchor"].lower(), "passage": rows[12]["positive"]})
    train.append({"messages": [{"role": "user", "content": rows[12]["positive"]}]})
    train.append({"sentence1": rows[13]["anchor"], "sentence2": "Something else entirely."})
    add("error", "leaked-pair", "q12")
    add("warning", "leaked-anchor", "q13")
    return rows, train, sorted(expected)


def test_planted_faults_are_found_and_nothing_else(tmp_path):
    rows, train, expected = planted()
    assert found_in(tmp_path, rows, train) == expected


def test_rows_that_nothing_else_reads_are_findings(tmp_path):
    rows = clean_rows()
    rows[0]["negatives"] = []
    rows[1]["positive"] = " "
    rows[2]["bundle_id"] = "q3"
    del rows[4]["positive"]
    rows[5]["tier"] = "tier9"
    assert found_in(tmp_path, rows) == [
        ("error", "duplicate-id", "q3"),
        ("error", "unreadable"),
        ("error", "unreadable", "q0"),
        ("error", "unreadable", "q1"),
        ("error", "unreadable", "q5"),
    ]


@pytest.mark.parametrize(
    ("positive", "negative"),
    [
        ("The shop opens at nine on weekdays and at ten on Sundays.",
         "The shop opens at nine on weekdays and at 11 on Sundays."),
        ("Members may take the bicycles home with them overnight.",
         "Members may not take the bicycles home with them overnight."),
        ("def clip(value, low, high):\n    return low if value < low else min(value, high)",
         "def clip(value, low, high):\n    return low if value > low else min(value, high)"),
    ],
    ids=["number", "negation", "operator"],
)  # fmt: skip
def test_a_difference_that_may_be_all_that_matters_is_no_second_right_answer(tmp_path, positive, negative):
    rows = clean_rows()
    rows[0] |= {"positive": positive}
    rows[0]["negatives"].append(negative)
    assert found_in(tmp_path, rows) == []


def test_few_negatives_say_what_chance_is(tmp_path):
    rows = clean_rows()
    rows[11]["negatives"] = rows[11]["negatives"][:1]
    (few,) = [one for one in lint_files([write_rows(tmp_path / "e.jsonl", rows)]).findings if one.bundles]
    assert few.detail == ("1 distinct negative, where most bundles have 4: chance is 50 % instead of 20 %")


LEAK, WRONG = ("error", "leaked-pair", "q12"), ("warning", "leaked-anchor", "q12")


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (lambda a, p: {"query": a, "pos": [p], "neg": ["zzz"]}, LEAK),
        (lambda a, p: {"query": a, "positives": ["x"], "negatives": [p]}, WRONG),
        (lambda a, p: {"anchor": a, "positive": p, "label": 0}, WRONG),
        (lambda a, p: {"label": 0.0, "text1": a, "text2": p}, WRONG),
        (lambda a, p: {"query": a, "docs": ["x", p], "labels": [0, 1]}, LEAK),
        (lambda a, p: {"query": a, "docs": [p, "x"], "labels": [0, 1]}, WRONG),
        (lambda a, p: {"prompt": a, "chosen": "x", "rejected": p}, WRONG),
        (lambda a, p: {"question": a, "hard_negative_ctxs": [{"title": "x", "text": p}]}, WRONG),
        (lambda a, p: {"anchor": a, "positive": p, "negative": p}, LEAK),
    ],
)
def test_a_pair_leaks_in_any_form_but_not_as_question_and_wrong_answer(tmp_path, row, expected):
    rows = clean_rows(negatives=3)
    train = [row(rows[12]["anchor"], rows[12]["positive"])]
    assert found_in(tmp_path, rows, train) == [expected]


PASSAGE = (
    "You can create a tests directory next to src, and the tool compiles each of the files in it as a crate "
    "of its own, so that the library has to be brought into scope in every one."
)


@pytest.mark.parametrize(
    ("positive", "row", "expected"),
    [
        # In a prompt, in a conversation, and by half only.
        (PASSAGE, lambda a, p: {"text": f"### Question: {a}\n### Answer: {p}"}, [LEAK]),
        (
            PASSAGE,
            lambda a, p: {"messages": [{"role": "user", "content": f"Context: {p} What now?"}]},
            [("warning", "leaked-positive", "q12")],
        ),
        (PASSAGE, lambda a, p: {"text": f"### Answer: {p[:80]} and so on"}, []),
        ("Returns five of them.", lambda a, p: {"text": f"### Question: {a}\n### Answer: {p}"}, []),
        ("Returns the first 5 items.", lambda a, p: {"text": "Returns the first 6 items."}, []),
    ],
)
def test_an_answer_leaks_inside_longer_texts(tmp_path, positive, row, expected):
    rows = clean_rows(negatives=3)
    rows[12]["positive"] = positive
    assert found_in(tmp_path, rows, [row(rows[12]["anchor"], positive)]) == expected

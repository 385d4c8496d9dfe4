import json
from dataclasses import replace

import pytest

from contrastive.fakes import make_unit, make_units
from tellapart.contrastive.summaries import (
    docstring_summary,
    leaks_name,
    named_models,
    neutral_text,
    read_summaries,
)
from tellapart.errors import InputError

DIVIDE = "Divide a bill among guests."


def summary_of(docstring, name="split_bill"):
    return docstring_summary(make_unit(name, docstring=docstring))


@pytest.mark.parametrize(
    "docstring",
    [
        f"{DIVIDE}\n\nThe first ones pay the odd cents.",
        f"{DIVIDE}\n:param total: what is due\n:returns: shares",  # Sphinx
        f"{DIVIDE}\nArgs:\n    total: what is due",  # Google
        f"{DIVIDE}\nParameters\n----------\ntotal : int",  # NumPy
        f"{DIVIDE}\n@param total what is due",  # Javadoc, epytext
        f"{DIVIDE}\n\\param total what is due",  # Doxygen
        f"{DIVIDE}\n>>> split_bill(3)\n1",
        f"<p>{DIVIDE}</p>\n<ul><li>cents</li></ul>",
        f"<summary>\n{DIVIDE}\n</summary>\n<returns>Shares.</returns>",
        "Divide a {@code bill} among {@linkplain Guest#name(int) guests}.",
        "<b>Divide</b>  a <i>bill</i>\namong guests.",
    ],
)
def test_the_first_paragraph_without_parameter_lists_and_markup(docstring):
    assert summary_of(docstring) == DIVIDE


@pytest.mark.parametrize(
    ("docstring", "expected"),
    [
        ("Sum returns the total of a column.", "returns the total of a column."),
        ("`Sum`: the total of a column.", "the total of a column."),
        ("Returns the Sum of a column.", "Returns the Sum of a column."),
        ("sum returns the total of a column.", "sum returns the total of a column."),
    ],
)
def test_the_units_own_name_at_the_beginning_is_dropped(docstring, expected):
    assert summary_of(docstring, name="Sum") == expected


@pytest.mark.parametrize(
    ("name", "text", "leaks"),
    [
        ("split_bill", "Calls split_bill for each guest.", True),
        ("split_bill", "Split bill among guests.", False),
        ("split_bill", "Like re_split_bill_all.", False),
        ("splitBill", "`splitBill` of Shop.", True),
        ("get", "gets or Get an item", False),
        ("operator==", "uses operator== on them", True),
        ("größ", "die größe davon", False),
    ],
)
def test_a_name_leaks_as_a_whole_word_spelled_as_in_the_code(name, text, leaks):
    assert leaks_name(make_unit(name), text) is leaks


def test_the_neutral_text_is_the_docstrings_or_words_of_the_signature():
    assert neutral_text(make_unit("split_bill", docstring=f"{DIVIDE}\n\nMore.")) == DIVIDE
    bare = replace(make_unit("add", parameters=("unitPrice", "n")), id="a.py::Cart.addItem#00000000")
    assert neutral_text(bare) == "cart add item unit price n"
    assert neutral_text(replace(bare, docstring="Too short.")) == "cart add item unit price n"


def test_language_models_are_named_with_commas():
    assert named_models("llm:anthropic/a-1, openai-api/x/y:2,replay:runs/a#b/c") == [
        "anthropic/a-1",
        "openai-api/x/y:2",
        "replay:runs/a#b/c",
    ]
    assert named_models("docstring") == named_models("jsonl:a,b.jsonl") == []


@pytest.fixture
def units():
    return {unit.id: unit for unit in [*make_units("parse", "render"), make_unit("close", path="b.py")]}


def jsonl(path, *rows):
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return path


def row(unit="a.py::parse#00000000", model="gpt", summary="Reads a tree from tokens."):
    return {"unit": unit, "model": model, "summary": summary}


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        ({"unit": "u", "model": "m"}, r"s\.jsonl:2: 'summary' is missing"),
        (row() | {"score": 1}, r"s\.jsonl:2: the key 'score' is not known"),
        (row(model=" "), r"s\.jsonl:2: 'model' is empty, expected a name"),
        (
            row(model="llama", summary="Reads  a    tree."),
            r"s\.jsonl:2: .*'Reads a tree\.' is shorter than 20",
        ),
        (row(), r"s\.jsonl:2: model 'gpt' summarises unit 'a\.py::parse#00000000' a second time"),
    ],
)
def test_a_bad_line_is_named(tmp_path, units, bad, complaint):
    with pytest.raises(InputError, match=complaint):
        read_summaries(jsonl(tmp_path / "s.jsonl", row(), bad), units)

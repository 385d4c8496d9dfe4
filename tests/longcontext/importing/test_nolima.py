import hashlib

import pytest

from longcontext.importing.data_sets import nolima, written
from tellapart.longcontext.importing import ImportSettings, form_of, import_cases
from tellapart.longcontext.reading import read_cases

BOOK = "".join(f"Sentence {n} is here. " for n in range(1000))


def imported(tmp_path, *needles, lengths=(500,), depths=(0.5,), **settings):
    path = written(tmp_path / "needle_set.json", list(needles))
    books = tmp_path / "books"
    books.mkdir(exist_ok=True)
    (books / "rand_book_1.txt").write_text(BOOK)
    chosen = ImportSettings(haystack=(books,), lengths=lengths, depths=depths, **settings)
    record = import_cases(path, form_of(path), tmp_path / "cases", chosen)
    return record, {case.name: case for case in read_cases([tmp_path / "cases"])}


def test_a_fact_stands_in_the_text_and_the_question_after_it(tmp_path):
    record, cases = imported(tmp_path, nolima(character_set=["Mara"]))
    assert list(cases) == [
        *("500-50-0401-T1-onehop", "500-50-0401-T1-twohop"),
        *("500-50-0401-T2-onehop", "500-50-0401-T2-twohop"),
    ]
    case = cases["500-50-0401-T1-twohop"]
    (message,), (probe,) = case.messages, case.probes
    before, fact, after = message.text.partition("Indeed, Mara lives next to the Prado.")
    assert fact and before.startswith("A text:\n\nSentence 0 is here.") and before.endswith("is here. ")
    assert message.reply == "OK."
    # 500 tokens are 2,000 letters with the question; the fact stands after the last sentence of their half.
    assert 1990 <= len(message.text) + len(probe.text) <= 2000
    assert abs(len(before) - len(after)) < 60
    assert probe.text == "Answer from it.\n\nQuestion: Who has been to Spain?\n\nOne name only."
    assert (probe.expected.answer, probe.expected.rule) == ("Mara", "contains")
    assert (probe.failure_mode, case.intended_tokens) == ("twohop, world_knowledge", 500)
    sha256 = hashlib.sha256(BOOK.encode()).hexdigest()
    assert case.note == f"The text is that of rand_book_1.txt, sha256 {sha256}."
    assert record.questions == {"onehop, world_knowledge": 2, "twohop, world_knowledge": 2}


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        ({"task_template": "{question} {haystack}"}, "'task_template' does not have {haystack} and after it"),
        ({"character_set": []}, "'character_set' is empty"),
        ({"reasoning_type": None}, "'reasoning_type' is missing"),
        ({"tests": None}, "'tests' is missing"),
        ({"tests": {"T1": {"input_args": ["the Prado"]}}}, "'input_args' has too few entries"),
        ({"distractors": {"onehop": "x"}}, "it has distractors, which cannot be placed"),
    ],
)
def test_a_needle_that_cannot_be_used_is_left_out_and_counted(tmp_path, change, cause):
    record, cases = imported(tmp_path, nolima(id="0400"), nolima(**change))
    (group,) = record.left_out
    assert group.cause.startswith(cause)
    assert all("0401" in name for name in group.first) and len(cases) == 4

import json
from dataclasses import replace

import pytest

pytest.importorskip("inspect_ai")

from contrastive.fakes import make_unit
from tellapart.contrastive.llm_summaries import Described, summary_questions, wrong_with
from tellapart.offline.contrastive import first_line, names, vague

CODE = """@cached
def split_bill(total, guests):
    share, rest = divmod(total, guests)
    return [share + (guest < rest) for guest in range(guests)]
"""


def written(responder, code=CODE):
    unit = replace(make_unit("split_bill"), content=code)
    (question,) = summary_questions([unit])
    described = Described(**json.loads(responder(question.prompt)))
    assert wrong_with(unit, described) is None
    return described.summary


def test_names_are_the_most_frequent_words():
    # Below the first line: guests 3, share 2, rest 2, guest 2, total 2; of equals the first comes first.
    assert written(names) == "Works with guests, total, share, rest."


def test_the_first_line_is_that_below_the_signature():
    assert written(first_line) == "Begins with a line about share, rest, divmod, total."


def test_vague_is_the_same_for_all_short_code():
    assert written(vague) == "A short piece of code that takes some values and gives back a result."
    assert written(vague, CODE * 6) == "A long piece of code that takes some values and gives back a result."


@pytest.mark.parametrize("responder", [names, first_line, vague])
def test_code_without_words_has_a_summary_too(responder):
    assert len(written(responder, "@\n{}\n")) >= 20

"""Kinds of probes that strings and numbers decide: sets of strings, corrections, counts."""

import pytest

from tellapart.longcontext.case import Expected
from tellapart.longcontext.probes import KINDS, grade_by_rules, needs_of
from tellapart.longcontext.probes.counts import count_of
from tellapart.longcontext.probes.strings import strings_of
from tellapart.longcontext.transcript import PlayedStep


def step(response, question="Which ones?", mode=None):
    return PlayedStep("V1-1", "verification", mode, question, response)


class TestMatch:
    def test_strings_are_separated_by_semicolons_or_by_commas_with_a_space(self):
        assert strings_of("84, 1,912; Drova ;84") == ("84", "1,912", "Drova")
        assert strings_of(" ; ") == ()

    @pytest.mark.parametrize(
        ("response", "category", "value"),
        [
            ("They are GAMMA, alpha, Beta and delta.", "CORRECT", 1.0),
            ("alpha; and alphabet, delta", "PARTIAL", 0.5),
            ("Only beta.", "PARTIAL", 0.25),
            ("Epsilon and zeta.", "HALLUCINATED", 0.0),
            ("I cannot recall them.", "REFUSED", 0.0),
            ("", "REFUSED", 0.0),
        ],
    )
    def test_the_score_is_the_share_of_the_strings(self, response, category, value):
        expected = Expected("V1-1", "alpha; beta; gamma; delta", rule="match")
        grade = grade_by_rules(step(response), expected, ())
        assert (grade.category, grade.value, grade.of) == (category, value, 4)
        assert grade.correct == 4 * value

    def test_it_needs_its_strings_and_no_judge(self):
        expected = Expected("V1-1", "GX41, 538", rule="match")
        kind = KINDS["match"]
        assert [part.words for part in needs_of(kind, "Which?", expected).parts] == ["GX41", "538"]
        assert grade_by_rules(step("538"), expected, ()).value == 0.5
        assert grade_by_rules(step("538"), Expected("V1-1", " ", rule="match"), ()).category == "EVAL_ERROR"
        assert kind.gives_away("Is GX41 the one?", expected)
        assert not kind.gives_away("Is GX42 the one?", expected)


class TestUpdated:
    @pytest.mark.parametrize(
        ("response", "category"),
        [
            ("It is on Thursday.", "CORRECT"),
            ("It was Tuesday.", "CONFUSED"),
            ("It moved from Tuesday to Thursday.", "CORRECT"),
            ("It moved from Thursday to Tuesday.", "CONFUSED"),
            ("Tuesday, later Thursday.", "EVAL_ERROR"),
            ("On Thursday, not on Tuesday.", "CORRECT"),
            ("On Tuesday instead of Thursday.", "CONFUSED"),
            ("Not on Thursday.", "EVAL_ERROR"),
            ("On Friday.", "HALLUCINATED"),
            ("On Thursdayish.", "HALLUCINATED"),
            ("I do not recall.", "REFUSED"),
            (" ", "REFUSED"),
        ],
    )
    def test_what_was_said_last_is_right_and_what_it_replaced_is_confused(self, response, category):
        expected = Expected("V1-1", "Thursday", early="Tuesday", rule="updated")
        assert grade_by_rules(step(response, "When is it?"), expected, ()).category == category

    def test_any_value_before_the_last_is_an_old_one(self):
        expected = Expected("V1-1", "538", early="412; 431", rule="updated")
        found = [grade_by_rules(step(text), expected, ()) for text in ("431", "412 crowns", "538 crowns")]
        assert [grade.category for grade in found] == ["CONFUSED", "CONFUSED", "CORRECT"]
        assert found[1].key_detail == "412"


class TestCount:
    @pytest.mark.parametrize(
        ("response", "count"),
        [
            ("7", 7),
            ("Seven times.", 7),
            ("For 7 hours.", 7),
            ("Twice, as far as I can see.", 2),
            ("3 in the first part and 4 in the second, so 7.", 7),
            ("3 in March, 4 in April: 7 in total.", 7),
            ("A total of 1,204 of them, 3 of which are old.", 1204),
            ("7 ports: 3 early, 4 late.", 7),
            ("1. Drova\n2. Kint\nThat makes 2.", 2),
            ("One of the ports was missed, so it was 6.", 6),
            ("One.", 1),
            ("None that I know of 3.5 things.", None),
            ("Some.", None),
            ("-7", None),
        ],
    )
    def test_the_total_counts_and_else_the_first_number(self, response, count):
        assert count_of(response) == count

    def test_numbers_of_the_question_are_no_count(self):
        question = "How many of the 20 ferries called?"
        expected, said = Expected("V1-1", "6", rule="count"), "Of the 20 ferries, 6 called."
        assert grade_by_rules(step(said, question), expected, ()).category == "CORRECT"

    @pytest.mark.parametrize(
        ("response", "category"),
        [
            ("Six.", "CORRECT"),
            ("5", "HALLUCINATED"),
            ("Many.", "HALLUCINATED"),
            ("I do not know.", "REFUSED"),
        ],
    )
    def test_only_the_right_number_is_right(self, response, category):
        grade = grade_by_rules(step(response), Expected("V1-1", "6", rule="count"), ())
        assert grade.category == category

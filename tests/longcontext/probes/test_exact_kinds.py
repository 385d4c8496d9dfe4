"""Kinds of probes that strings decide, and numbers that were corrected or counted."""

import pytest

from tellapart.longcontext.case import Expected
from tellapart.longcontext.probes import KINDS, grade_by_rules, needs_of
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


MATERIAL = ("The toll is 65 crowns; there are 20 ferries.", "The toll is 80 crowns.")


@pytest.mark.parametrize(
    ("rule", "response", "category"),
    [
        ("updated", "It went from 65 to 80 crowns.", "CORRECT"),
        ("updated", "65 crowns.", "CONFUSED"),
        ("updated", "80, but now 75.", "EVAL_ERROR"),
        ("updated", "80.5", "HALLUCINATED"),
        ("updated", "I do not recall.", "REFUSED"),
        ("count", "30 early and 50 late, so 80.", "CORRECT"),
        ("count", "Eighty times.", "CORRECT"),
        ("count", "79", "HALLUCINATED"),
        ("count", "80 + 1", "EVAL_ERROR"),
        ("count", "About 80.", "EVAL_ERROR"),
        ("count", "80 is too many; 79.", "EVAL_ERROR"),
        ("count", "80 were mentioned, and 65 of them are real.", "EVAL_ERROR"),
        ("count", "80, by 20 ferries.", "EVAL_ERROR"),
        ("count", "Many.", "EVAL_ERROR"),
    ],
)
def test_what_was_replaced_and_what_was_counted_are_compared_as_all_numbers_are(rule, response, category):
    expected = Expected("V1-1", "80", early="65", rule=rule)
    question = "How often did it happen?" if rule == "count" else "How much is it now?"
    assert grade_by_rules(step(response, question), expected, MATERIAL).category == category
    assert bool(needs_of(KINDS[rule], "How many?", expected).parts) is (rule == "updated")
    assert not KINDS[rule].decidable(question, Expected("V1-1", "about half"))

import time
from pathlib import Path

import pytest

from tellapart.longcontext.case import Entry, Expected
from tellapart.longcontext.probes import grade_by_rules, kind_of
from tellapart.longcontext.probes.kinds import grade_sink
from tellapart.longcontext.probes.probe import missing_of
from tellapart.longcontext.reading import read_answers
from tellapart.longcontext.transcript import PlayedStep

FIXTURES = Path(__file__).parents[1] / "fixtures"
MATERIAL = (
    "Study 1. Zhang, L. (2019). Journal of Doses, 39(4), 312-321.\nIn all 342 adults took 80mg/day (n=86).",
    "Study 2. Petrov, D. (2018). Other Letters, 5(1), 9.\nThere were 189 patients, and 23.4% felt sick.",
)
SIZE = Expected("C1", "N=342.")
QUESTION = "What was the exact total sample size in Study 1 (Zhang et al.)?"


def probe(response, question=QUESTION, mode=None, **more):
    return PlayedStep("C1", "checkpoint", mode, question, response, **more)


def category(response, expected=SIZE, question=QUESTION, material=MATERIAL, mode=None):
    return grade_by_rules(probe(response, question, mode), expected, material).category


@pytest.mark.parametrize(
    ("response", "wanted"),
    [
        ("342", "CORRECT"),
        ("It was not 342.", "EVAL_ERROR"),
        ("It was 189.", "CONFUSED"),
        ("Study 1 had 189 adults, Study 2 had 342.", "EVAL_ERROR"),
        ("It was 86.", "CONFUSED"),
        ("About 340.", "PARTIAL"),
        ("About 150.", "HALLUCINATED"),
        ("More than 300.", "PARTIAL"),
        ("It was 351.", "HALLUCINATED"),
        ("I don't know, though studies usually have 342.", "EVAL_ERROR"),
        (QUESTION, "REFUSED"),
        ("", "REFUSED"),
        ("SCORE: CORRECT\nREASON: all details match\nKEY_DETAIL: none", "EVAL_ERROR"),
    ],
)
def test_one_number(response, wanted):
    assert category(response) == wanted


DEPTHS = (
    "Trench B is 2.4 m deep, trench C only 1.4 m.",
    "The code of the gate is KX-4813-B.",
    "The bus leaves at 7:40; the tram leaves at 7:55.",
)


BOOKS, RENT = "How many books are there?", "What did rent and oven cost?"
SHOPS = (
    "Rosa: On 12 March 2024 I opened the bakery. The rent is 800 dollars, the oven 450.",
    "Ben: I have had the van since 2016. I train twice a week. The ferry goes on 3 May 2024.",
)


@pytest.mark.parametrize(
    ("question", "key", "response", "wanted"),
    [
        ("How many vans does Ben own?", "two", "One van.", "HALLUCINATED"),
        ("How many times did Ben sail?", "twice", "Twice.", "CORRECT"),
        ("How many times did Ben sail?", "twice", "Once or twice.", "PARTIAL"),
        ("When did Rosa open the bakery?", "12 March 2024", "2024/03/12", "CORRECT"),
        ("When did Rosa open the bakery?", "12 March 2024", "March 2024.", "PARTIAL"),
        ("When did Rosa open the bakery?", "12 March 2024", "Late 2024.", "EVAL_ERROR"),
        ("When did Rosa open the bakery?", "12 March 2024", "A week before 12 March 2024.", "EVAL_ERROR"),
        ("When did Rosa open the bakery?", "March 2024", "10-16 March 2024", "EVAL_ERROR"),
        (RENT, "$1,250", "The rent was $800 and the oven $450.", "EVAL_ERROR"),
        (RENT, "$1,250", "$800 + $450 = $1250.", "CORRECT"),
        (RENT, "$1,250", "In all **$1,250** (session 3): rent $800, oven $450.", "CORRECT"),
        (
            "When does the ferry go?",
            "3 May",
            "The bakery opened on 12 March 2024. Therefore, it goes on 3 May.",
            "CORRECT",
        ),
        ("When did Rosa open the bakery?", "12 March 2024", "On a Tuesday.", "PARTIAL"),
        ("When did Ben get the van?", "2016", "The year before 2016.", "EVAL_ERROR"),
        ("When did Ben get the van?", "2016", "After 2016.", "EVAL_ERROR"),
        ("What does the rent cost?", "$800", "~~$800~~", "REFUSED"),
        ("What does the rent cost?", "800", "800 kg", "EVAL_ERROR"),
        ("What does the rent cost?", "$800", "800 pesos", "EVAL_ERROR"),
        ("What does the rent cost?", "$800", "A fifth of $800.", "EVAL_ERROR"),
        (BOOKS, "12", "I can't count the boxes.\n\nSo, there are **12** books.", "CORRECT"),
        (BOOKS, "12", "It is not said.\n\n**Answer:** 12 (9 + 3).", "CORRECT"),
        ("How many books came in the last 12 months?", "12", "None in the last twelve months.", "EVAL_ERROR"),
        ("Does Ben swim?", "no", "No, he swims twice a week.", "EVAL_ERROR"),
        ("Does Ben train?", "yes", "Yes, with his sister.", "CORRECT"),
        ("Does Ben train?", "yes", "Yes, with his sister he did until she moved.", "EVAL_ERROR"),
    ],
)
def test_answers_of_assistants(question, key, response, wanted):
    assert category(response, Expected("C1", key), question, SHOPS) == wanted


@pytest.mark.parametrize(
    ("question", "key"),
    [
        ("How long has Ben had the van?", "8 years"),
        ("How often does Ben train?", "twice a week"),
        ("How many dozen eggs are left?", "20"),
        ("When did Rosa open the bakery?", "around 12 March 2024"),
        ("When did Ben get a console?", "when he was 10"),
        ("What is the name of Ben's favourite game?", "It takes two"),
        ("Would Ben read C. S. Lewis?", "C. S. Lewis"),
        ("Which did Ben buy first, the van or the boat?", "the van"),
        ("Which came first, the Galaxy S22 or the XPS 13?", "Galaxy S22"),
    ],
)
def test_what_can_be_said_in_other_words_is_left_to_a_judge(question, key):
    assert not kind_of(None, Expected("C1", key)).decidable(question, Expected("C1", key))


@pytest.mark.parametrize(
    ("question", "key", "response", "wanted"),
    [
        ("How deep is trench B?", "2.4 m", "2.4 m, against 1.4 m for trench C.", "CORRECT"),
        ("How deep is trench B?", "2.4 m", "Trench C is 2.4 m deep.", "EVAL_ERROR"),
        ("When does the bus leave?", "7:40", "The tram leaves at 7:40.", "EVAL_ERROR"),
        ("When does the bus leave?", "7:40", "The bus leaves at 7:40, the tram at 7:55.", "CORRECT"),
        ("How deep is trench B?", "2.4 m", "2 m and 40 cm", "CORRECT"),
        ("How deep is trench B?", "2.4 m", "2 m 40", "EVAL_ERROR"),
        ("When does the bus leave?", "7:40", "half seven in the evening", "EVAL_ERROR"),
        ("When does the last bus leave?", "midnight", "at twelve at night", "CORRECT"),
        ("What is the interest?", "0.5 %", "50 basis points", "CORRECT"),
        ("What is the interest?", "0.5 %", "0.5 ‰", "HALLUCINATED"),
        ("What is the interest?", "0.5 %", "0.005", "EVAL_ERROR"),
        ("How deep is trench B?", "2.4 m", "2,400 m", "HALLUCINATED"),
        ("How deep is trench B?", "2.400 m", "2,400 m", "EVAL_ERROR"),
        ("What is the code of the gate?", "KX-4813-B", "481", "HALLUCINATED"),
        ("Is trench B or trench C deeper?", "Trench B", "It is trench B.", "CORRECT"),
    ],
)
def test_what_else_a_response_says(question, key, response, wanted):
    assert category(response, Expected("C1", key), question, DEPTHS) == wanted


TERM = (
    "The notice period was 30 days and is 45 days since March. Members pay 45 euros, guests 60 euros.",
    "The ward has 18 beds, 4 of them for children.",
    "3,912 of 4,270 starters finished. The premium went up from 118 to 126 dollars.",
    "The fee was 65 euros until June and is 80 euros now, for children 30 euros.",
)


@pytest.mark.parametrize(
    ("question", "key", "response", "wanted"),
    [
        ("How long is the notice period now?", "45 days", "45 days, up from 30.", "CORRECT"),
        ("How long is the notice period now?", "45 days", "45 days (formerly 30 days).", "CORRECT"),
        ("How long is the notice period now?", "45 days", "It isn't 30 days; it is 45 days.", "CORRECT"),
        ("How long is the notice period now?", "45 days", "30 days. Sorry, I mean 45 days.", "CORRECT"),
        ("How long is the notice period now?", "45 days", "30 days, not 45.", "CONFUSED"),
        ("How long is the notice period now?", "45 days", "Originally 45 days; 30 days now.", "CONFUSED"),
        ("How long is the notice period now?", "45 days", "45 days, I mean 30 days.", "CONFUSED"),
        ("How long is the notice period now?", "45 days", "It used to be 45 days.", "EVAL_ERROR"),
        ("How long is the notice period now?", "45 days", "Nobody said 45 days.", "EVAL_ERROR"),
        ("How long is the notice period now?", "45 days", "45 days, which is no longer true.", "EVAL_ERROR"),
        ("How long is the notice period now?", "45 days", "Not just 45 days.", "EVAL_ERROR"),
        ("What do members pay?", "45 euros", "45 euros, unlike guests, who pay 60.", "CORRECT"),
        ("What do members pay?", "45 euros", "60 euros, unlike guests who pay 45 euros.", "CONFUSED"),
        ("What do members pay?", "45 euros", "Guests pay 45 euros, not members.", "EVAL_ERROR"),
        ("How many beds has the ward?", "18", "18 children and 4 beds.", "EVAL_ERROR"),
        ("How many starters finished?", "3,912", "Of 4,270 starters, 3,912 finished.", "CORRECT"),
        ("How many starters finished?", "3,912", "4,270 starters finished, 3,912 started.", "EVAL_ERROR"),
        ("What is the premium now?", "126 dollars", "It rose by 8 dollars to 126 dollars.", "CORRECT"),
        ("What is the premium now?", "126 dollars", "It fell by 126 dollars to 118 dollars.", "EVAL_ERROR"),
        ("What is the fee now?", "80 euros", "80 euros, 15 euros more than until June.", "CORRECT"),
        ("What is the fee now?", "80 euros", "The fee for children is 80 euros.", "EVAL_ERROR"),
        ("How long does it take?", "4 hours", "It takes between 3 and 4 hours.", "PARTIAL"),
        ("How many beds has the ward?", "18", "4 are for children.\nFinal answer: 18", "CORRECT"),
        ("How many asymptotes are there?", "2", "At $x = 2$ there is a single one.", "EVAL_ERROR"),
        ("How many beds has the ward at most?", "18", "At least 18.", "HALLUCINATED"),
    ],
)
def test_a_value_that_is_set_aside_is_not_asserted(question, key, response, wanted):
    assert category(response, Expected("C1", key), question, TERM) == wanted


NEVER_RIGHT = {
    ("What was r?", "r = .41"): ["r = -.41", "r > .41"],
    ("At what temperature is it stored?", "-5 °C"): ["5 °C", "-5 °F", "−15 °C"],
    ("What power has it?", "5 MW"): ["5 mW", "5 MWh"],
    ("What is the rate?", "980 euros a day"): ["980 euros a week", "980 dollars a day"],
    ("How old must one be?", "At least 18"): ["At most 18", "18 weeks", "over 80"],
    ("How long is the term?", "45 days"): [
        *("45 days? No, 30.", "45 days, scratch that, 30", "45 days was the old term.", "45 days is wrong."),
        *("45 days less than planned", "just under 45 days", "All but 45 days"),
    ],
    ("On which day?", "On Tuesday"): ["Tuesday. Or Thursday?", "Tuesday or Thursday", "Not on Tuesday"],
    ("When does it start?", "14:30"): ["After 14:30", "2:30 am", "14:30 or 15:30"],
    ("Is it allowed?", "Yes"): ["Yes and no.", "Yes – wait, no, it was refused.", "Not yet."],
    ("Which plan, and what does it cost?", "Plan C, 40 euros"): ["Plan A, 40 euros", "Plan C, 14 euros"],
    ("What is the code?", "7719"): ["77190", "17719", "7791", "7719-2"],
}


@pytest.mark.parametrize("asked", NEVER_RIGHT)
def test_the_right_value_in_the_wrong_manner_is_never_correct(asked):
    question, key = asked
    for response in NEVER_RIGHT[asked]:
        assert category(response, Expected("C1", key), question, (f"For the record: {key}.",)) != "CORRECT"


@pytest.mark.parametrize(
    ("response", "wanted"),
    [
        ("The text does not say.", "CORRECT"),
        ("Não foi mencionado.", "CORRECT"),
        ("189 patients.", "HALLUCINATED"),
        ("It does not say; perhaps 771.", "EVAL_ERROR"),
        ("A blue one.", "EVAL_ERROR"),
    ],
)
def test_a_question_whose_answer_was_never_given(response, wanted):
    expected = Expected("C1", rule="abstention")
    assert category(response, expected, "How many left the Orlen trial?") == wanted


@pytest.mark.parametrize(
    ("status", "message", "wanted"),
    [
        (504, None, "timeout"),
        (None, "Request timed out", "timeout"),
        (400, "blocked by content filter", "refusal"),
        (402, "Insufficient Balance", "provider"),
        (None, None, "provider"),
    ],
)
def test_why_there_is_no_response(status, message, wanted):
    step = probe(None, http_status=status, error_message=message)
    grade = grade_by_rules(step, None, ())
    assert (grade.category, grade.missing, grade.value) == ("ERROR", wanted, None)
    assert missing_of(probe(None, http_status=status, cause="budget")) == "budget"


@pytest.mark.parametrize(
    ("response", "wanted", "note"),
    [
        ("It is EXCELLENT.", "FAIL", None),
        ('I would not say "excellent".', "FAIL", "quoted"),
        ("It is not excellent.", "FAIL", "negated"),
        ("Done excellently.", "FAIL", "part of a longer word"),
        ("Such excellence is NOTABLE.", "PASS", None),
        ("It is fine.", "PASS", "neither"),
    ],
)
def test_the_banned_word(response, wanted, note):
    grade = grade_sink(response)
    assert grade.category == wanted
    assert (grade.note is None) if note is None else note in grade.note


@pytest.mark.parametrize(
    ("response", "wanted"),
    [
        ("Study 2 found it.", "RECENCY_BIAS_DETECTED"),
        ("23.4% felt sick.", "RECENCY_BIAS_DETECTED"),
        ("Zhang found it.", "NO_BIAS"),
        ("I don't recall any of it.", "REFUSED"),
        ("It works.", "NO_BIAS"),
    ],
)
def test_recency(response, wanted):
    expected = Expected("C1", None, "Recency Bias", early="Study 1 — N=342", late="Study 2 — 23.4%")
    assert category(response, expected, "What is the most important finding?", mode="Recency Bias") == wanted


ENTRIES = (
    Entry("Study 1", "Zhang", 2019, 342),
    Entry("Study 2", "Van den Berg", 2022, 2847),
    Entry("Study 3", "O'Sullivan", 2021, 189),
    Entry("Study 4", "Costa", 2022, 445, "completers=312"),
    Entry("Study 5", "Fernandez-Ruiz", 2023, 48),
    Entry("Study 6", "Zhang", 2024, 189),
)


@pytest.mark.parametrize(
    ("response", "correct"),
    [
        ("Zhang 2019 N=342\nvan den Berg, 2,847\nO’Sullivan (2021): 189 adults", 3),
        ("| 1 | Zhang | 2019 | 342 |\n| 5 | Fernández-Ruiz | 2023 | 48 + 30 controls |", 2),
        ("Costa 2022, N=312 of 445", 0),
        ("Costa 2022, N=445 (completers=312)", 1),
        ("Zhang 2019 N=189\nZhang 2024 N=342", 0),
        ("Zhang 2019 N=343\nZhang 2019 N=342", 0),
        ("6. Zhang N=342\n1. Zhang N=189", 0),
        ("1. Zhang 2024 N=189\n2. Zhang 2019 N=342", 2),
        ("Study 6 (Zhang): 189 adults; Study 1 (Zhang): 342 adults", 2),
        ("Zhang N=1\nZhang N=2\nZhang N=342\nZhang N=189", 0),
        ("3. O'Sullivan N=188\nO'Sullivan (2021): N=189", 0),
    ],
)
def test_enumeration(response, correct):
    grade = grade_by_rules(probe(response), Expected("C1", entries=ENTRIES, rule="enumeration"), ())
    assert (grade.correct, grade.of, grade.reason.split(":")[0]) == (correct, 6, f"{correct}/6 correct")
    assert grade.category == ("PARTIAL" if correct else "HALLUCINATED")


STUDIES = read_answers(FIXTURES / "answers.txt").by_id["V3-3"].entries


def listing(*others):
    """All studies as a model lists them, with other lines in place of those with their numbers."""
    lines = {i: f"{i}. {e.author} et al. ({e.year}): N={e.size:,}" for i, e in enumerate(STUDIES, 1)}
    return "\n".join((lines | dict(others)).values())


def counted(response, entries=STUDIES):
    grade = grade_by_rules(probe(response), Expected("V3-3", entries=entries, rule="enumeration"), ())
    return grade.correct, grade.value


def test_a_made_up_entry_of_an_author_takes_nothing_from_the_right_one():
    made_up = [(n, f"{n}. Weber ({1990 + n}), N={n * 7}") for n in (3, 4, 9, 11, 12, 14, 16, 17, 19)]
    response = listing((8, "8.  Chen et al. (2023): N=178"), *made_up)
    assert counted(response) == (15, 15 / 25)
    # Without its number and its year the right line is found by its N.
    assert counted(response.replace("23. Chen et al. (2020)", "Chen et al."))[0] == 15
    assert counted(response.replace("23. Chen et al. (2020)", "Chen et al. (2021)"))[0] == 15


def test_hostile_responses_neither_win_nor_take_long():
    name = Expected("C1", "Petrov, D. (lead author).")
    begun = time.process_time()
    for text in ("A" * 10**6, "A. " * 330_000, " " * 10**6, "(" * 10**6, "1," * 500_000, "not " * 250_000):
        assert category(text) in ("REFUSED", "HALLUCINATED", "EVAL_ERROR")
        assert category(text, name, "Who is the lead author?") != "CORRECT"
    flood = " ".join(str(n) for n in range(1, 200_000))
    assert category(flood) == "EVAL_ERROR"
    assert time.process_time() - begun < 20

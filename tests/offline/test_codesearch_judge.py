import json

import pytest

from codesearch.judging.judged import ISSUE, files_in, make_case, make_repositories
from tellapart.codesearch.judging.assessment import assess_questions
from tellapart.codesearch.judging.relevance import gather
from tellapart.codesearch.model import Snippet
from tellapart.llm.models import LanguageModel
from tellapart.llm.replies import parse
from tellapart.offline.codesearch import uncommon_words

JUDGE = LanguageModel("offline/judge")
FILES = {
    # Uncommon words of the issue: coupons, ignored, checkout.
    "shop/coupons.py": "def apply_at_checkout(): ...",
    "shop/till.py": "ignored = checkout(Coupons)",
    "shop/one.py": "checkout",
    "shop/none.py": "are at the",
    "shop/checkout_coupons.py": "",
}


@pytest.fixture
def question(tmp_path):
    to_judge = gather([make_case(FILES)], make_repositories(tmp_path, FILES), JUDGE)
    (question,) = to_judge.questions()
    return question


def test_files_that_share_uncommon_words_are_relevant(question):
    value = parse(uncommon_words(question.prompt), question)
    paths = {label: path for label, path, _ in files_in(question.prompt)}
    found = {paths[one.file]: (one.relevant, one.actionable) for one in value.judgements}
    assert found == {
        "shop/coupons.py": (True, "yes"),
        "shop/till.py": (True, "maybe"),
        "shop/one.py": (False, "no"),
        "shop/none.py": (False, "no"),
        "shop/checkout_coupons.py": (True, "yes"),
    }
    (said,) = [one.reasoning for one in value.judgements if paths[one.file] == "shop/till.py"]
    assert said == "It shares 3 of 3 uncommon words with the issue: checkout, coupons, ignored."


def test_the_verdict_of_a_file_does_not_depend_on_the_others(question, tmp_path):
    together = {one["reasoning"] for one in json.loads(uncommon_words(question.prompt))["judgements"]}
    to_judge = gather([make_case(FILES)], make_repositories(tmp_path, FILES), JUDGE)
    singles = [one for batch in to_judge.batches for one in batch.one_by_one()]
    alone = [uncommon_words(one.prompt) for one in to_judge.questions(singles)]
    assert {json.loads(one)["judgements"][0]["reasoning"] for one in alone} == together


def test_a_search_is_scored_by_shares():
    case = make_case(
        ["shop/coupons.py", "shop/checkout.py", "bank/a.py", "bank/b.py"],
        truth=["shop/coupons.py", "shop/z.py"],
        snippets=[Snippet("shop/a.py", "ignored"), Snippet("shop/b.py", "")],
    )
    (question,) = assess_questions([case], ("bank", "shop"), ["scheduling", "checkout"])
    value = parse(uncommon_words(question.prompt), question)
    # Half of everything is 3; of the known files one of two was found.
    assert value.model_dump(exclude={"reasoning", "product_area"}) == dict.fromkeys(
        ("file_relevance", "snippet_quality", "service_accuracy", "noise", "coverage", "gestalt"), 3
    )
    assert value.product_area == 1
    assert ISSUE in question.prompt


def test_only_what_is_asked_for_is_scored():
    (question,) = assess_questions([make_case([], truth=["shop/a"])], ("shop",), ["billing"])
    value = parse(uncommon_words(question.prompt), question)
    assert (value.coverage, value.gestalt, value.product_area) == (1, 1, 2)


def test_another_prompt_has_no_answer():
    assert uncommon_words("Your reply could not be used.") == "There is nothing to judge."


@pytest.mark.parametrize(("shared", "relevant"), [("basket", False), ("basket total", True), ("", False)])
def test_a_long_issue_needs_a_third_of_its_words(shared, relevant, tmp_path):
    # Six uncommon words, of which two are needed; in an issue of seven they are not enough.
    issue = "basket total wrong currency symbol shown rounding"
    for extra, expected in (("", relevant), (" discount", False)):
        case = make_case(["shop/a.py"], issue=issue + extra)
        to_judge = gather([case], make_repositories(tmp_path, {"shop/a.py": shared}), JUDGE)
        (question,) = to_judge.questions()
        assert parse(uncommon_words(question.prompt), question).judgements[0].relevant is expected


def test_an_issue_of_one_uncommon_word_needs_that_word(tmp_path):
    repositories = make_repositories(tmp_path, {"shop/a.py": "basket", "shop/b.py": "what"})
    to_judge = gather([make_case(["shop/a.py", "shop/b.py"], issue="basket?")], repositories, JUDGE)
    (question,) = to_judge.questions()
    found = parse(uncommon_words(question.prompt), question).judgements
    assert [one.relevant for one in found] == [True, False]

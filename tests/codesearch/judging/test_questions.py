from dataclasses import replace

import pytest

from codesearch.judging.judged import ISSUE, files_in, make_case, make_repositories
from tellapart.codesearch.judging.relevance import gather
from tellapart.codesearch.model import Failed, JudgeVerdict
from tellapart.llm.models import LanguageModel

JUDGE = LanguageModel("offline/judge")
FILES = {f"shop/f{i}.py": f"value = {i}" for i in range(7)}


@pytest.fixture
def repositories(tmp_path):
    return make_repositories(tmp_path, FILES | {"bank/x.py": "x"})


def questions(cases, repositories, **how):
    to_judge = gather(cases, repositories, JUDGE, **how)
    return to_judge, to_judge.questions()


def test_files_that_only_we_found_are_asked_about_in_batches(repositories):
    # Rank within the system's list plays no part.
    case = make_case(reversed(FILES), truth=["shop/f3.py"])
    _, (first, second) = questions([case], repositories)
    assert [path for _, path, _ in files_in(first.prompt)] == [f"shop/f{i}.py" for i in (0, 1, 2, 4, 5)]
    assert [text for *_, text in files_in(second.prompt)] == ["value = 6"]
    assert [question.id for question in (first, second)] == ["1:c1#1-5", "1:c1#6-6"]


def test_only_the_issue_the_repositories_and_the_files_are_told(repositories):
    case = make_case(
        ["shop/f0.py", "shop/f3.py"],
        truth=["shop/f3.py", "bank/x.py"],
        id="conversation-77",
        area="the area",
        terms=["the term"],
    )
    _, (question,) = questions([case], repositories)
    lines = [line for line in question.prompt.splitlines() if line.startswith("|")]
    assert lines == [f"| {ISSUE}", "| bank", "| shop", "| shop/f0.py", "| value = 0"]
    for told in ("conversation-77", "the area", "the term", "f3.py", "explor", "system", "ground"):
        assert told not in question.prompt


def judged(case, repositories, model=JUDGE, **how):
    """The case with a verdict on each file, as an evaluation by this judge has it."""
    rested = gather([case], repositories, model, **how).fingerprints
    verdicts = {file: JudgeVerdict(True, fingerprint=rested[name, file]) for name, file in rested}
    return replace(case, verdicts=verdicts)


def asked_again(now, earlier, repositories, **how):
    """The files that are put to the judge though an earlier evaluation has verdicts."""
    _, found = questions([now], repositories, earlier=[earlier], **how)
    return [path for question in found for _, path, _ in files_in(question.prompt)]


def test_an_answer_that_changed_asks_for_its_new_files_alone(repositories):
    before = judged(make_case(list(FILES)[1:6]), repositories)
    assert asked_again(before, before, repositories) == []
    assert asked_again(make_case(FILES), before, repositories) == ["shop/f0.py", "shop/f6.py"]
    # The same issue under another name is the same question.
    assert asked_again(make_case(FILES, id="c9"), before, repositories) == ["shop/f0.py", "shop/f6.py"]
    lost = replace(before.verdicts["shop/f2.py"], relevant=None, failure=Failed("parse", "schema", ""))
    failed = replace(before, verdicts=before.verdicts | {"shop/f2.py": lost})
    assert asked_again(before, failed, repositories) == ["shop/f2.py"]
    # Of an earlier version, whose verdicts do not say what they rest on.
    old = {file: JudgeVerdict(True) for file in before.verdicts}
    assert len(asked_again(before, replace(before, verdicts=old), repositories)) == 5


def test_a_verdict_holds_only_for_what_was_shown_to_that_judge(repositories):
    case = make_case(["shop/f0.py", "shop/f1.py"])
    before, both = judged(case, repositories), sorted(case.our_unique)
    other = make_case(["shop/f0.py", "shop/f1.py"], issue="Another issue")
    assert asked_again(other, before, repositories) == both
    for model in (LanguageModel("offline/other"), replace(JUDGE, temperature=1.0)):
        assert asked_again(case, judged(case, repositories, model), repositories) == both
    (repositories.root / "shop/f1.py").write_text("value = 11")
    assert asked_again(case, before, repositories) == ["shop/f1.py"]

import pytest
from inspect_ai.model import ModelOutput

from codesearch.judging.judged import make_case, make_repositories, reply, verdicts_in
from tellapart.codesearch.judging.relevance import judge_cases
from tellapart.errors import ProviderError
from tellapart.llm.budget import Limits
from tellapart.llm.models import LanguageModel
from tellapart.llm.run_models import RunCalls
from tellapart.offline import respond

GOOD, BAD = "shop/good_{}.py", "shop/bad_{}.py"
FILES = [*(GOOD.format(i) for i in range(4)), *(BAD.format(i) for i in range(4))]


@pytest.fixture
def repositories(tmp_path):
    return make_repositories(tmp_path / "repositories", {file: f"# {file}" for file in FILES})


CASE = make_case(FILES, truth=["shop/good_3.py", "shop/other.py"])


def relevant(judged):
    return {file for file, verdict in verdicts_in(judged).items() if verdict.relevant}


def test_one_bad_file_does_not_cost_the_verdicts_of_its_batch(repositories, tmp_path):
    prompts = []

    @respond("shy")
    def shy(prompt):
        prompts.append(prompt)
        if "bad_2" in prompt:
            return ModelOutput.from_content("shy", "No.", "content_filter")
        return reply(prompt)

    found, _ = judge_cases([CASE], LanguageModel("offline/shy"), repositories, RunCalls(tmp_path))
    verdicts = dict(verdicts_in(found, "c1"))
    refused = verdicts.pop("shop/bad_2.py")
    assert (refused.relevant, refused.failure.cause) == (None, "refusal")
    assert relevant(found) == {GOOD.format(i) for i in range(3)}
    assert all(verdict.failure is None for verdict in verdicts.values())
    # A batch of 5 with the bad file, one of 2, then 5 alone; what was learnt alone is what counts.
    assert len(prompts) == 7
    again, _ = judge_cases([CASE], LanguageModel("offline/shy"), repositories, RunCalls(tmp_path))
    assert again == found
    assert len(prompts) == 7


def test_a_judge_that_gives_no_usable_reply_is_given_up_and_asked_again_once_it_works(tmp_path):
    files = {f"shop/g{i:02}.py": f"value = {i}" for i in range(40)}
    repositories, case = make_repositories(tmp_path / "many", files), make_case(files)
    broken, sent = [True], []

    @respond("mended")
    def mended(prompt):
        sent.append(prompt)
        return '{"judgements": [{"file"' if broken else reply(prompt)

    model = LanguageModel("offline/mended")
    limits = Limits(max_connections=1, price=(1.0, 1.0), max_failures=3)
    calls = RunCalls(tmp_path / "run", limits=limits)
    with pytest.raises(
        ProviderError, match=r"3 questions in a row got no usable reply \(not_json 3; .*for 0\.0"
    ):
        judge_cases([case], model, repositories, calls)
    assert len(sent) == 6
    broken.clear()
    found, _ = judge_cases([case], model, repositories, calls)
    assert (len(verdicts_in(found, "c1")), len(sent)) == (40, 6 + 8)

import pytest

from codesearch.judging.judged import make_case, make_repositories, reply, verdicts_in
from tellapart.codesearch.judging.relevance import judge_cases
from tellapart.errors import ProviderError
from tellapart.llm.budget import Limits
from tellapart.llm.models import LanguageModel
from tellapart.llm.run_models import RunCalls
from tellapart.offline import respond


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

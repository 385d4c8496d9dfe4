"""Calls that are kept apart."""

import time

from llm.asked import ask, right
from support.loopback import LoopbackServer
from tellapart.llm.budget import Limits
from tellapart.llm.models import LanguageModel
from tellapart.offline import respond

DELAY_S = 0.1
respond("right, and told")(right)


def test_with_a_delay_calls_go_one_at_a_time_and_known_answers_are_not_waited_for(tmp_path, keys):
    limits = Limits(max_connections=5, delay_s=DELAY_S)
    with LoopbackServer(lambda request: right(request.prompt), latency_s=0.02) as server:
        model = LanguageModel("openai/gpt-4o", base_url=server.base_url("openai"))
        _, answers = ask(tmp_path, 4, model, limits=limits)
        assert [answer.value.number for answer in answers.values()] == [0, 1, 2, 3]
        at = [request.at_s for request in server.requests]
        assert server.most_at_once == 1
        # From the end of a call, which takes the server's latency, to the next one.
        gaps = [after - before for before, after in zip(at, at[1:], strict=False)]
        assert min(gaps) >= DELAY_S + 0.02 - 0.01
        begun = time.monotonic()
        ask(tmp_path, 4, model, limits=limits)
        assert time.monotonic() - begun < 3 * DELAY_S
        assert len(server.requests) == 4

"""``tellapart codesearch learn``, alone and with a model that a server on this machine plays."""

import json

from codesearch.learning.learnt_cases import with_a_noisy_term
from support.loopback import LoopbackServer
from tellapart.codesearch.learn import learnings
from tellapart.codesearch.recordings import read_evaluation


def test_a_model_words_the_tables_once_and_invents_no_figure(tellapart, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TELLAPART_INDEX", str(tmp_path / "index"))
    (tmp_path / "e.json").write_text(with_a_noisy_term())
    replies = [
        {"terms": "'bad' led to 4711 files of noise.", "places": "Nothing is missed."},
        {"terms": "'bad' led to 24 files of noise, and to nothing else.", "places": "Nothing is missed."},
    ]
    with LoopbackServer(lambda request: json.dumps(replies[len(request.messages) > 1])) as server:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        learn = ("codesearch", "learn", "--in", "e.json", "--llm", "openai/gpt-5-mini")
        planned = tellapart(*learn, "--dry-run")
        assert planned.code == 0 and not server.requests
        done, again = tellapart(*learn), tellapart(*learn)
    plain = tellapart("codesearch", "learn", "--in", "e.json")
    assert done.code == 0, done.err
    learnt = json.loads(done.out)
    assert learnt.pop("wording") == {"model": "openai/gpt-5-mini", **replies[1], "failed": None}
    assert learnt == json.loads(plain.out) == learnings(read_evaluation(with_a_noisy_term())).to_json()
    assert "led to most noise (files): 'bad' 24 of 24" in plain.err
    assert "in the words of openai/gpt-5-mini: “'bad' led to 24 files of noise" in done.err
    # The reply with a number of its own was asked for again; the second command asks nothing.
    assert len(server.requests) == 2 and again.out == done.out
    assert "bad: 24 noise" in server.requests[0].messages[0][1]

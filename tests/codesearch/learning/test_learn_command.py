import json
import sys

import pytest

from codesearch.learning.learnt_cases import with_a_noisy_term
from tellapart.cli.main import main
from tellapart.codesearch.learn import learnings
from tellapart.codesearch.recordings import read_evaluation


def test_it_prints_what_is_learnt(monkeypatch, capsys, tmp_path):
    place = tmp_path / "evaluation.json"
    place.write_text(with_a_noisy_term())
    monkeypatch.setattr(sys, "argv", ["tellapart", "codesearch", "learn", "--in", str(place)])
    with pytest.raises(SystemExit) as stopped:
        main()
    shown = capsys.readouterr()
    assert stopped.value.code == 0
    assert json.loads(shown.out) == learnings(read_evaluation(place.read_bytes())).to_json()
    assert "led to most noise (files): 'bad' 24 of 24" in shown.err

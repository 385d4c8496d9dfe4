"""What is done with an evaluation once it is there: compared, measured again, learned from, handed over."""

import json

import pytest

from codesearch.pipeline_files import CODE, make_code, pipeline, search_results, searched


@pytest.fixture
def codesearch(tmp_path, monkeypatch, tellapart):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TELLAPART_INDEX", str(tmp_path / "index"))
    make_code(tmp_path / "code")
    (tmp_path / "good.json").write_text(search_results())
    everywhere = [path for path in CODE if not path.startswith("tack")]
    (tmp_path / "bad.json").write_text(pipeline(*(searched(name, everywhere) for name in ("c1", "c2", "c3"))))
    for name in ("good", "bad"):
        where = ("--repos-path", "code", "--repo", "aero", "--repo", "tack")
        files = ("--in", f"{name}.json", "--out", f"{name}.evaluation.json", "--run", f"runs/{name}")
        assert tellapart("codesearch", "evaluate", *where, *files).code == 0
    return lambda *words: tellapart("codesearch", *words)


def test_systems_are_compared_under_the_names_that_they_are_given(codesearch):
    done = codesearch("compare", "ours=good.evaluation.json", "theirs=runs/bad", "--json")
    record = json.loads(done.out)
    assert (done.code, record["systems"], record["conversations"]) == (0, ["ours", "theirs"], 3)
    assert record["measure"] == "f1_union"
    assert record["comparison"]["primary"]["pairs"][0]["a"] == "ours"
    done = codesearch("compare", "ours=runs/good", "theirs=runs/bad")
    assert done.out.startswith("By F1 without verdicts, ours and theirs cannot be told apart yet.\n")
    assert "ours and theirs on 3 conversations" in done.out
    assert "Pairs of systems" in done.out and "models" not in done.out

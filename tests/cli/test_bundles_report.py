import json

import pytest

from report.bundles.stored_boards import ALPHA, BETA, write_board, write_mined


@pytest.fixture
def paths(tmp_path):
    return [write_board(tmp_path, "alpha", ALPHA), write_board(tmp_path, "beta", BETA)]


def test_the_report_is_shown_and_written(tellapart, paths, tmp_path):
    mined, stats = write_mined(tmp_path)
    page, text = tmp_path / "r.html", tmp_path / "r.md"
    done = tellapart(
        "bundles", "report", *paths, "--mined", mined, "--stats", stats, "--html", page, "--markdown", text
    )
    assert done.code == 0
    assert done.out.startswith("alpha holds up best on the adversarial tier (n 20)")
    audit = tmp_path / "r.audit.html"
    assert done.err == f"wrote {audit}\nwrote {page}\nwrote {text}\n"
    assert 'href="r.audit.html"' in page.read_text(encoding="utf-8")
    assert 'href="r.html"' in audit.read_text(encoding="utf-8")
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert text.read_text(encoding="utf-8").startswith("# alpha holds up best")


def test_scores_of_one_model_have_no_audit_and_that_is_said(tellapart, paths, tmp_path):
    page = tmp_path / "r.html"
    done = tellapart("bundles", "report", paths[0], "--html", page)
    assert done.code == 0
    assert done.err.startswith("no audit: ")
    assert "of one model, 'alpha'" in done.err
    assert "audit.html" not in page.read_text(encoding="utf-8")
    assert not (tmp_path / "r.audit.html").exists()


def test_figures_are_printed_as_json(tellapart, paths):
    done = tellapart("bundles", "report", *paths, "--json")
    found = json.loads(done.out)
    assert (done.code, done.err) == (0, "")
    assert found["scope"] == "tier3_adversarial"
    assert found["pairs"][0]["difference"] == pytest.approx(0.6)
    assert found["mined"] is None


def test_different_evals_are_refused_with_exit_1_and_nothing_is_written(tellapart, paths, tmp_path):
    other = write_board(tmp_path, "gamma", BETA, fingerprint="f" * 16 + "|7|40")
    page = tmp_path / "r.html"
    done = tellapart("bundles", "report", *paths, other, "--html", page)
    assert done.code == 1
    assert done.out == ""
    assert done.err.count("EVAL_FINGERPRINT: ") == 3
    assert not page.exists()


def test_different_evals_may_be_shown_as_exploratory(tellapart, paths, tmp_path):
    other = write_board(tmp_path, "gamma", BETA, fingerprint="f" * 16 + "|7|40")
    done = tellapart("bundles", "report", *paths, other, "--allow-fingerprint-mismatch")
    assert done.code == 0
    assert done.out.startswith("Exploratory, the evals differ: ")


def test_statistics_need_their_bundles(tellapart, paths, tmp_path):
    _, stats = write_mined(tmp_path)
    done = tellapart("bundles", "report", *paths, "--stats", stats)
    assert done.code == 2
    assert "give --mined MINED.jsonl" in done.err


def test_a_missing_scoreboard_is_bad_input(tellapart, tmp_path):
    done = tellapart("bundles", "report", tmp_path / "none.json")
    assert done.code == 2
    assert "none.json: cannot read this scoreboard" in done.err

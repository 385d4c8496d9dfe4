"""The scripts behind docs/boards.md and docs/peers.md, on boards so small that they take seconds."""

import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module", autouse=True)
def benchmarks():
    """The scripts as modules."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "benchmarks"))
        yield
    for name in ("boards", "peers_compare", "worlds"):
        sys.modules.pop(name, None)


def test_a_lead_is_split_into_what_goes_with_length_and_the_rest():
    from boards import Z, length_part

    rng, covered = np.random.default_rng(5), np.zeros(2)
    for _ in range(400):
        ratio = rng.normal(0.5, 1, 300)
        lead = 0.03 + 0.1 * ratio + rng.normal(0, 0.1 + 0.1 * np.abs(ratio), 300)
        part, part_error, rest, rest_error = length_part(lead, ratio)
        assert part + rest == pytest.approx(lead.mean())
        covered += abs(part - 0.05) <= Z * part_error, abs(rest - 0.03) <= Z * rest_error
    assert (covered / 400 > 0.92).all()
    assert (covered / 400 < 0.98).all()


def test_both_boards_are_audited(tmp_path, capsys):
    import boards

    rng = np.random.default_rng(2)
    ability = np.linspace(0.2, 0.8, 6)
    tasks = {f"Task{t}": np.clip(ability + rng.normal(0, 0.05, 6), 0, 1) for t in range(20)}
    pl.DataFrame({"model": [f"org/m{i}" for i in range(6)], **tasks}).write_csv(tmp_path / "mteb-eng-v2.csv")
    models = ["NullModel", "a", "b", "gpt4_1106_preview"]
    items = {"item": [f"i{i:03d}" for i in range(80)], "dataset": ["koala", "oasst"] * 40}
    scores = {model: np.round(rng.beta(1, 2, 80), 4) for model in models[:3]} | {models[3]: [0.5] * 80}
    lengths = {model: rng.integers(100, 900, 80) for model in models} | {"NullModel": [872] * 80}
    pl.DataFrame(items | scores).write_csv(tmp_path / "alpaca-eval-2-scores.csv")
    pl.DataFrame(items | lengths).write_csv(tmp_path / "alpaca-eval-2-lengths.csv")
    assert boards.main(str(tmp_path)) == 0
    printed = capsys.readouterr().out
    assert "models 6, columns 20" in printed
    assert "lengths that vary least (sd / mean): ['NullModel 0.00'" in printed
    assert "of 3 leads over the next" in printed


def test_anybodys_tool_is_measured_on_the_same_tables(tmp_path, monkeypatch, capsys):
    import peers_compare

    (tmp_path / "mine.py").write_text("def claims(a, b, sources):\n    return len(set(sources)) == 8\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    counts = tmp_path / "mine.json"
    peers_compare.main(["--only", "", "--tool", "mine:claims", "--tables", "2", "--json", str(counts)])
    rates = pl.read_json(counts)["rates"][0]["mine:claims"]
    assert [rate for row, rate in rates.items() if row.startswith("8 sources")] == [1.0, 1.0]
    assert sum(rates.values()) == 2.0
    assert "8 sources of 20, no difference" in capsys.readouterr().out

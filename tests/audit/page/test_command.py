"""The report from the command line."""

import polars as pl
from typer.testing import CliRunner

from tellapart.cli.main import app


def test_a_page_and_markdown_are_written_beside_what_is_printed(tmp_path):
    rows = [
        {"model": model, "item": f"q{i}", "score": float(i % k == 0)}
        for k, model in enumerate(("one", "two", "three"), 1)
        for i in range(30)
    ]
    pl.DataFrame(rows).write_parquet(tmp_path / "scores.parquet")
    page, text = tmp_path / "audit.html", tmp_path / "audit.md"
    words = ["audit", str(tmp_path / "scores.parquet"), "--html", str(page), "--markdown", str(text)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    title = done.stdout.split(".")[0]
    assert title.startswith("Separates ")
    assert text.read_text(encoding="utf-8").startswith(f"# {title.replace('>', chr(92) + '>')}")
    assert "<title>Separates " in page.read_text(encoding="utf-8")
    assert done.stderr.splitlines()[-2:] == [f"wrote {page}", f"wrote {text}"]

"""A command opens its eval once to read it, and once more only where its bytes are hashed."""

import io
import json

ROWS = [
    {"bundle_id": f"b{i}", "anchor": f"red {i}", "positive": f"red {i} one", "negatives": ["blue", "green"]}
    for i in range(12)
]


def test_each_command_opens_its_eval_once(tellapart, tmp_path, monkeypatch):
    path, names, real = tmp_path / "e.jsonl", [], io.open
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))

    def counting(file, *args, **options):
        names.append(str(file))
        return real(file, *args, **options)

    monkeypatch.setattr(io, "open", counting)
    model = ("--model", "bm25")
    for times, words in (
        (1, ("tier", path, *model, "--out", tmp_path / "t.jsonl")),
        (1, ("lint", path)),
        (1, ("convert", path, tmp_path / "c.jsonl")),
        (2, ("score", path, *model, "--out", tmp_path / "a.json")),
        (2, ("freeze", path, "--version", "v1")),
    ):
        names.clear()
        done = tellapart("bundles", *words)
        assert done.code in (0, 1), done.err
        assert names.count(str(path)) == times, words

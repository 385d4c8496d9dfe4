import json

import pytest

from tellapart.bundles.convert import convert
from tellapart.bundles.reading import read_bundles
from tellapart.core.bundle import Bundle, Text
from tellapart.errors import InputError
from tellapart.files import RowFaults


def read(path):
    problems = RowFaults(path)
    bundles = list(read_bundles(path, problems))
    problems.refuse()
    return bundles


def test_files_that_others_made(tmp_path):
    (tmp_path / "queries.jsonl").write_text(
        '{"_id": "1", "text": "x", "metadata": {}}\n{"_id": "2", "text": "y"}\n'
    )
    (tmp_path / "corpus.jsonl").write_text(
        '{"_id": "a", "title": "Of", "text": "p"}\n{"_id": "b", "title": "", "text": "q"}\n'
        '{"_id": "c", "text": "n"}\n'
    )
    (tmp_path / "qrels.txt").write_text("1\t0\ta\t2\n1 0 c 0\n2 0 a 1\n\n1 0 b 1\n2 0 c -1\n")
    convert(tmp_path, tmp_path / "e.jsonl", "jsonl")
    assert read(tmp_path / "e.jsonl") == [
        Bundle("1.1", Text("x"), Text("Of p"), (Text("n"),)),
        Bundle("1.2", Text("x"), Text("q"), (Text("n"),)),
        Bundle("2", Text("y"), Text("Of p"), (Text("n"),)),
    ]


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("qrels.txt", "q 0 d\n", "qrels.txt:1: row: no judgement"),
        ("qrels.txt", "q 0 d0 high\n", "qrels.txt:1: row: no judgement"),
        ("qrels.txt", "z 0 d0 1\nz 0 d1 0\n", ":1: query: unknown query, 'z' is not in queries.jsonl"),
        ("qrels.txt", "e 0 d9 1\n", ":1: document: unknown document, 'd9' is not in corpus.jsonl"),
        ("qrels.txt", "e 0 d0 1\n", ":1: relevance: no negatives"),
        ("qrels.txt", "e 0 d0 0\n", ":1: relevance: no positives"),
        ("corpus.jsonl", '{"_id": 1, "text": "x"}\n', "corpus.jsonl:1: row: wrong type"),
        (
            "queries.jsonl",
            '{"_id": "e", "text": "x", "metadata": "y"}\n',
            "queries.jsonl:1: metadata: wrong type",
        ),
        ("queries.jsonl", '{"_id": "e", "text": " "}\n', "queries.jsonl:1: text: empty text"),
    ],
)
def test_files_that_do_not_fit(tmp_path, file, content, message):
    out = tmp_path / "trec"
    out.mkdir()
    (out / "queries.jsonl").write_text('{"_id": "e", "text": "x"}\n')
    documents = [{"_id": name, "text": text} for name, text in (("d0", "p"), ("d1", "n"))]
    (out / "corpus.jsonl").write_text("".join(json.dumps(document) + "\n" for document in documents))
    (out / "qrels.txt").write_text("e 0 d0 1\ne 0 d1 0\n")
    assert convert(out, tmp_path / "good.jsonl", "jsonl").bundles == 1
    (out / file).write_text(content)
    with pytest.raises(InputError) as raised:
        convert(out, tmp_path / "back.jsonl", "jsonl")
    assert message in str(raised.value)
    assert not (tmp_path / "back.jsonl").exists()
    (out / file).unlink()
    with pytest.raises(InputError, match="No such file"):
        convert(out, tmp_path / "back.jsonl", "jsonl")

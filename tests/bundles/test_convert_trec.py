import json

import numpy as np
import pytest

from tellapart.bundles.convert import Scorer, convert
from tellapart.bundles.reading import read_bundles
from tellapart.bundles.results import read_scoreboard
from tellapart.bundles.run import score
from tellapart.core.bundle import Bundle, Text
from tellapart.errors import InputError, UsageError
from tellapart.files import RowFaults

BUNDLES = [
    Bundle("a b", Text("x"), Text("p"), (Text("n"), Text("m"))),
    Bundle("c%d", Text("y"), Text("q"), (Text("n"), Text("p")), "tier3_adversarial"),
    Bundle("e", Text("x"), Text("m"), (Text("n"),)),
]


def write(path, bundles):
    path.write_text("".join(json.dumps(bundle.to_row()) + "\n" for bundle in bundles))
    return path


def read(path):
    problems = RowFaults(path)
    bundles = list(read_bundles(path, problems))
    problems.refuse()
    return bundles


@pytest.fixture
def vectors(tmp_path):
    angles = {"x": 0, "y": 90, "p": 10, "n": 20, "m": 30, "q": 60}
    radians = np.radians(list(angles.values()))
    path = tmp_path / "v.npz"
    np.savez(path, texts=np.array(list(angles)), vectors=np.stack([np.cos(radians), np.sin(radians)], axis=1))
    return path


def test_judgements_and_run_by_hand(tmp_path, vectors):
    out = tmp_path / "trec"
    done = convert(write(tmp_path / "e.jsonl", BUNDLES), out, "trec", scorer=Scorer(embeddings=vectors))
    assert {path.name for path in done.files} == {path.name for path in out.iterdir()}
    # Documents by first sight: p, n, m, q.
    assert (out / "qrels.txt").read_text().splitlines() == [
        "a%20b 0 d0 1",
        "a%20b 0 d1 0",
        "a%20b 0 d2 0",
        "c%25d 0 d3 1",
        "c%25d 0 d1 0",
        "c%25d 0 d0 0",
        "e 0 d2 1",
        "e 0 d1 0",
    ]
    run = [line.split() for line in (out / "run.txt").read_text().splitlines()]
    # x lies at 0, so that the lower angle is the more similar; y lies at 90.
    assert [(q, zero, d, rank, tag) for q, zero, d, rank, _, tag in run] == [
        ("a%20b", "Q0", "d0", "1", "v"),
        ("a%20b", "Q0", "d1", "2", "v"),
        ("a%20b", "Q0", "d2", "3", "v"),
        ("c%25d", "Q0", "d3", "1", "v"),
        ("c%25d", "Q0", "d1", "2", "v"),
        ("c%25d", "Q0", "d0", "3", "v"),
        ("e", "Q0", "d1", "1", "v"),
        ("e", "Q0", "d2", "2", "v"),
    ]
    scores = [float(line[4]) for line in run]
    angles = [10, 20, 30, 30, 70, 80, 20, 30]
    assert scores == pytest.approx(np.cos(np.radians(angles)).tolist(), abs=1e-7)


def test_a_run_scores_the_same_with_ir_measures(tmp_path, vectors):
    ir_measures = pytest.importorskip("ir_measures")
    start = write(tmp_path / "e.jsonl", BUNDLES)
    convert(start, tmp_path / "trec", "trec", scorer=Scorer(embeddings=vectors))
    qrels = list(ir_measures.read_trec_qrels(str(tmp_path / "trec" / "qrels.txt")))
    run = list(ir_measures.read_trec_run(str(tmp_path / "trec" / "run.txt")))
    found = ir_measures.calc_aggregate([ir_measures.RR, ir_measures.P @ 1], qrels, run)
    score(start, tmp_path / "board.json", embeddings=vectors)
    board = read_scoreboard(tmp_path / "board.json")
    # The positive comes first, first and second.
    assert found[ir_measures.RR] == pytest.approx((1 + 1 + 1 / 2) / 3)
    assert board.overall.mrr == pytest.approx(found[ir_measures.RR], abs=1e-9)
    assert board.overall.pass_rate == pytest.approx(found[ir_measures.P @ 1], abs=1e-9)


def test_there_and_back(tmp_path):
    done = convert(write(tmp_path / "e.jsonl", BUNDLES), tmp_path / "trec", "trec")
    assert [path.name for path in done.files] == ["qrels.txt", "queries.jsonl", "corpus.jsonl"]
    convert(tmp_path / "trec", tmp_path / "back.jsonl", "jsonl")
    assert read(tmp_path / "back.jsonl") == BUNDLES


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
    convert(write(tmp_path / "e.jsonl", BUNDLES), out, "trec")
    (out / file).write_text(content)
    with pytest.raises(InputError) as raised:
        convert(out, tmp_path / "back.jsonl", "jsonl")
    assert message in str(raised.value)
    assert not (tmp_path / "back.jsonl").exists()
    (out / file).unlink()
    with pytest.raises(InputError, match="No such file"):
        convert(out, tmp_path / "back.jsonl", "jsonl")


def test_what_cannot_be_asked_for(tmp_path, vectors):
    start = write(tmp_path / "e.jsonl", BUNDLES)
    with pytest.raises(UsageError, match="only --to trec writes scores"):
        convert(start, tmp_path / "o.jsonl", "jsonl", scorer=Scorer(model="bm25"))
    with pytest.raises(UsageError, match="this is a file, expected a directory"):
        convert(start, start, "trec")
    with pytest.raises(UsageError, match="TREC files already"):
        convert(tmp_path, tmp_path / "o", "trec")
    write(start, [Bundle("u", Text("x"), Text("p"), (Text("unknown"),))])
    with pytest.raises(InputError, match=r"e.jsonl:1: negatives\[0\]: missing embedding"):
        convert(start, tmp_path / "o", "trec", scorer=Scorer(embeddings=vectors))
    assert not (tmp_path / "o").exists()

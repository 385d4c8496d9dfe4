"""Files that are joined: one metric and direction, one question for each item, no failed call as a score."""

import json
import re

import pytest

from tellapart.errors import TellapartError
from tellapart.readers import read_scores
from tellapart.readers.settings import ReadingSettings, parse_columns

N = 12
QUESTIONS = [f"How does part {i} work?" for i in range(N)]
BACKWARDS = QUESTIONS[::-1]


def table(names, *rows):
    return "".join(",".join(map(str, row)) + "\n" for row in (names.split(","), *rows))


def ragas(**of):
    return table(f"user_input,response,{','.join(of)}", *((q, "r", *of.values()) for q in QUESTIONS))


def deepeval(**metrics):
    """Test cases that succeed with a score below the threshold where less is better."""
    cases = [
        {
            "name": f"test_case_{i}",
            "input": question,
            "metricsData": [
                {"name": name, "score": i / N, "threshold": 0.4, "success": (i / N < 0.4) is less}
                for name, less in metrics.items()
            ],
        }
        for i, question in enumerate(QUESTIONS)
    ]
    return json.dumps({"testRunData": {"testCases": cases}})


def braintrust(lacking):
    rows = [
        {"span_id": q, "root_span_id": q, "_xact_id": "1", "experiment_id": "e", "input": q}
        | {"scores": {"style": 0.9} if q in lacking else {"factual": 1, "style": 0.9}}
        for q in QUESTIONS
    ]
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def evalplus(**of_solution):
    tasks = {q: [{"task_id": q, "solution": "s", **of_solution}] for q in QUESTIONS}
    return json.dumps({"eval": tasks})


def lm_eval(questions, score):
    rows = [
        {"doc_id": i, "doc": {"question": q}, "target": "y", "arguments": {}, "resps": [["r"]]}
        | {"filtered_resps": ["r"], "filter": "none", "metrics": ["em"], "em": score(q), "doc_hash": q}
        for i, q in enumerate(questions)
    ]
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def hit(question):
    return int(QUESTIONS.index(question) < N // 2)


def numbered(questions, first=0, name="id"):
    return table(f"{name},question,score", *((i, q, hit(q)) for i, q in enumerate(questions, first)))


def long(of_b, name="id"):
    rows = ((i, m, q, hit(q)) for m, of in (("a", QUESTIONS), ("b", of_b)) for i, q in enumerate(of))
    return table(f"{name},model,question,score", *rows)


@pytest.fixture
def read(tmp_path):
    """Read files that are called after their models; samples are in folders that are."""

    def of(*texts, **settings):
        paths = []
        for name, text in zip("ab", texts, strict=False):
            ending = "csv" if not text.startswith("{") else "jsonl" if "\n" in text else "json"
            paths.append(tmp_path / (f"{name}/samples_t.jsonl" if '"doc_id"' in text else f"{name}.{ending}"))
            paths[-1].parent.mkdir(exist_ok=True)
            paths[-1].write_text(text)
        return read_scores(paths, ReadingSettings(**settings))

    return of


@pytest.mark.parametrize(
    ("one", "other", "score"),
    [
        (ragas(faithfulness=1, answer_relevancy=0.9), ragas(answer_relevancy=0.5, faithfulness=1), 1),
        (ragas(faithfulness=1, answer_relevancy=0.9), ragas(answer_relevancy=0.9), 0.9),
        (braintrust([]), braintrust(QUESTIONS[:1]), 1),
        (evalplus(base_status="pass", plus_status="fail"), evalplus(base_status="pass"), 1),
        (evalplus(base_status="pass", plus_status=None), evalplus(base_status="pass", plus_status=None), 1),
        (ragas(faithfulness=1), ragas(answer_relevancy=0.5), "a.csv has faithfulness; .*b.csv has answer"),
        (table("id,accuracy", [1, 1], [2, 0]), table("id,f1", [1, 1], [2, 1]), "a.csv has accuracy; .* f1"),
        (table("id,accuracy", [1, 1], [2, 1]), table("id,score", [1, 1], [2, 1]), 1),
    ],
)
def test_files_with_the_same_items_are_read_by_one_metric(read, one, other, score):
    if isinstance(score, str):
        with pytest.raises(TellapartError, match=score):
            read(one, other)
    else:
        assert set(read(one, other).table.frame["score"].drop_nulls()) == {score}


@pytest.mark.parametrize(
    "texts",
    [
        (numbered(QUESTIONS), numbered(BACKWARDS)),
        (numbered(QUESTIONS), numbered(QUESTIONS, 1)),
        (numbered(QUESTIONS, name="idx"), numbered(BACKWARDS, name="idx").replace(" part", "  part")),
        (long(BACKWARDS, "#"),),
        (lm_eval(QUESTIONS, hit), lm_eval(BACKWARDS, hit)),
    ],
)
def test_items_whose_names_are_places_are_paired_by_what_they_ask(read, texts):
    reading = read(*texts)
    scores = reading.table.frame.group_by("item").agg("score")["score"].to_list()
    assert sorted(scores) == [[0, 0]] * (N // 2) + [[1, 1]] * (N // 2)
    assert any("paired by the texts of their questions" in note for note in reading.notes)


POLITE = numbered(QUESTIONS).replace("How", "Please: how")


@pytest.mark.parametrize(
    ("other", "named", "words"),
    [
        (numbered(BACKWARDS), "item=id", "pair them by their texts: --columns item=question"),
        (numbered(BACKWARDS).replace(QUESTIONS[3], QUESTIONS[4]), None, "--columns item=question"),
        (POLITE, None, "one question all the same: --columns item=id"),
        (POLITE, "item=id", None),
        (numbered(QUESTIONS).replace(QUESTIONS[3], "How?"), None, None),
        (numbered(QUESTIONS).replace(QUESTIONS[3], QUESTIONS[4]), None, None),
    ],
)
def test_other_texts_under_one_name_are_asked_about_or_cautioned_of(read, other, named, words):
    columns = named and parse_columns(named)
    if words:
        with pytest.raises(TellapartError) as error:
            read(numbered(QUESTIONS), other, columns=columns)
        assert "'How does part" in str(error.value)
    else:
        (caution,) = read(numbered(QUESTIONS), other, columns=columns).table.notes.cautions
        assert "names of items stand for different questions" in caution


@pytest.mark.parametrize(
    ("questions", "settings", "told"),
    [
        (
            [*QUESTIONS, *QUESTIONS],
            None,
            "24 items ask 12 different .*: --columns cluster=question",
        ),
        ([*QUESTIONS, *QUESTIONS], {"cluster": "question"}, None),
        (QUESTIONS, None, None),
        (["Is it right?"] * N, None, None),
    ],
)
def test_items_that_ask_the_same_are_told_of(read, questions, settings, told):
    rows = ((i, m, q, i % 2) for i, q in enumerate(questions) for m in "ab")
    cautions = read(table("id,model,question,score", *rows), columns=settings).table.notes.cautions
    assert [bool(re.match(told or "", caution)) for caution in cautions] == [True] * (told is not None)


def scored(name):
    return table(f"id,{name}", *((i, i / N) for i in range(N)))


@pytest.mark.parametrize(
    ("text", "settings", "least"),
    [
        (deepeval(Hallucination=True), {}, -1),
        (deepeval(Bias=False), {}, 0),
        (deepeval(Hallucination=True, Faithfulness=False), {}, 0),
        (ragas(latency=3, faithfulness=1), {}, 1),
        (scored("toxicity"), {}, None),
        (scored("hallucination_rate"), {"columns": {"item": "id", "score": "hallucination_rate"}}, None),
        (scored("toxicity"), {"lower_is_better": True}, -1),
        (scored("error_detection"), {"columns": {"item": "id", "score": "error_detection"}}, 0),
    ],
)
def test_of_what_is_bad_less_is_better_or_the_direction_is_asked_for(read, text, settings, least):
    if least is None:
        with pytest.raises(TellapartError, match=r"--lower-is-better; if more is: --higher-is-better"):
            read(text, text, **settings)
    else:
        assert round(read(text, text, **settings).table.frame["score"].min()) == least


FAILED = {3, 7}


def outcomes(name, fine, failed, wrong=(0, 1)):
    """Answers to the questions, some of which are failed calls with the lowest score."""
    score = {i: int(i not in FAILED and i not in wrong) for i in range(N)}
    rows = ((m, q, failed if i in FAILED else fine, score[i]) for m in "ab" for i, q in enumerate(QUESTIONS))
    return table(f"model,item,{name},score", *rows)


@pytest.mark.parametrize(
    ("name", "fine", "failed"),
    [
        ("status", "done", "error"),
        ("finish_reason", "stop", "error"),
        ("http_status", 200, 429),
        ("outcome", "answered", "rate_limited"),
        ("timed_out", "no", "yes"),
        ("notes", "", "RateLimitError: 429"),
        ("response", "It turns.", "Error: 429 Too Many Requests"),
    ],
)
def test_failed_calls_with_the_lowest_score_are_asked_about(read, name, fine, failed):
    text = outcomes(name, fine, failed)
    with pytest.raises(TellapartError, match=f"4 of 24 rows have a score, and '{name}' says that"):
        read(text)
    assert read(text, columns={"missing": name}).table.frame["score"].null_count() == 4
    assert read(text, columns={name: name}).table.frame["score"].null_count() == 0


@pytest.mark.parametrize(
    ("name", "fine", "failed", "wrong"),
    [
        ("topic", "motors", "errors", (0, 1)),
        ("status", "passed", "failed", ()),
        ("error_type", "", "misread", (0, 1)),
        ("response", "It turns.", "Error bars show a spread", (0, 1)),
    ],
)
def test_words_for_errors_that_are_no_failed_calls_are_not_asked_about(read, name, fine, failed, wrong):
    assert read(outcomes(name, fine, failed, wrong)).table.frame["score"].null_count() == 0

import pytest

from tellapart.errors import InputError
from tellapart.longcontext.agreement import HumanScore, read_human_scores


def scores_of(tmp_path, text):
    path = tmp_path / "h.csv"
    path.write_text(text)
    return read_human_scores(path)


def test_columns_in_any_order_and_scores_as_people_write_them(tmp_path):
    text = (
        "\ufeffStep;Score;case;comment;RATER;epoch;model\r\n"
        'V1-1; correct ;c;"a; b\r\nmore";ann;0;m\r\n'
        ";;;;;;\r\n"
        "V2-5;recency bias detected;c;;;;\r\n"
        "C3-6;No-Bias;c;;bob;1;\r\n"
        "C3-7;;c\r\n"
    )
    where = str(tmp_path / "h.csv")
    assert scores_of(tmp_path, text) == [
        HumanScore("ann", "c", "V1-1", "CORRECT", "m", 0, f"{where}:3"),
        HumanScore("human", "c", "V2-5", "RECENCY_BIAS_DETECTED", None, None, f"{where}:5"),
        HumanScore("bob", "c", "C3-6", "NO_BIAS", None, 1, f"{where}:6"),
        HumanScore("human", "c", "C3-7", None, None, None, f"{where}:7"),
    ]


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ("", ": there is no score in this table."),
        ("c,V1,PASS\nc,V2,CORECT", ":3: the score 'CORECT' is no category. Did you mean 'CORRECT'?"),
        ("c,V1", ":2: this row has no score"),
        (",V1,PASS", ":2: this row has no case"),
        ('c,V1,"PASS', ":2: this row cannot be read: a quote in it is never closed"),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_line(tmp_path, rows, told):
    with pytest.raises(InputError) as error:
        scores_of(tmp_path, f"case,step,score\n{rows}")
    assert str(error.value).removeprefix(str(tmp_path / "h.csv")).startswith(told)


def test_columns_are_checked(tmp_path):
    for columns, told in (
        ("", "there is no column 'case'. It is empty."),
        ("case,step,scor", "there is no column 'score'. Did you mean 'scor'?"),
        ("case,step,score,step", "there are two columns 'step'."),
    ):
        with pytest.raises(InputError, match=told):
            scores_of(tmp_path, f"{columns}\n")

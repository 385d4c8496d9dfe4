"""Records of grades that cannot be reported: refused with a sentence, never a crash."""

import json

import pytest

from longcontext.page.graded_record import three


def changed(change):
    made = three()
    change(made)
    return json.dumps(made)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "this is not JSON"),
        ("[]", "this is not a record of grades"),
        ('{"cases": []}', "this is not a record of grades"),
        (changed(lambda made: made.update(models=["other"])), "is not among 'models'"),
        (changed(lambda made: made["cases"][0].update(name="other")), "which is not among 'cases'"),
        (changed(lambda made: made["probes"][0].update(model="other")), "of 'other', epoch 0, which is not"),
        (
            changed(lambda made: made["probes"][0].update(value=1e300)),
            "'probes[0].value' is 1e+300, expected",
        ),
        (
            changed(lambda made: made["probes"][0].update(rule="order")),
            "'probes[0].rule' is 'order', expected one of facts, sink, recency, enumeration",
        ),
    ],
)
def test_what_is_no_record_is_named(tmp_path, tellapart, content, said):
    path = tmp_path / "grades.json"
    path.write_text(content, encoding="utf-8")
    ended = tellapart("longcontext", "report", path, "--html", tmp_path / "page.html")
    assert (ended.code, said in ended.err, str(path) in ended.err) == (2, True, True), ended.err

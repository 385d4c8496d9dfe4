"""Records of grades whose parts do not belong together: refused with a sentence, never a crash."""

import json

import pytest

from longcontext.page.graded_record import whole


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda made: made.update(models=["other"]), "is not among 'models'"),
        (lambda made: made["cases"][0].update(name="other"), "which is not among 'cases'"),
        (lambda made: made.update(cases=[]), "which is not among 'cases'"),
        (lambda made: made["probes"][0].update(model="other"), "of 'other', epoch 0, which is not among"),
        (
            lambda made: made["probes"][0].update(value=-1),
            "'probes[0].value' is -1, expected a number of 0 or",
        ),
        (
            lambda made: made["probes"][0].update(value=1e300),
            "'probes[0].value' is 1e+300, expected a number",
        ),
    ],
)
def test_parts_that_do_not_belong_together_are_refused(tmp_path, tellapart, change, told):
    made = json.loads(json.dumps(whole()))
    change(made)
    path = tmp_path / "grades.json"
    path.write_text(json.dumps(made))
    ended = tellapart("longcontext", "report", path, "--html", tmp_path / "page.html")
    assert (ended.code, told in ended.err) == (2, True), ended.err

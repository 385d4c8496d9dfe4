"""The page of suspects in a real Chromium: marks made by keyboard are kept, and saved for `build`."""

from tellapart.contrastive.marks import read_exclusions
from tellapart.contrastive.page import review_document
from tellapart.contrastive.review.results import Review, Suspect
from tellapart.report import html_document


def suspect(number):
    return Suspect(
        target=f"a.py::f{number}#0",
        distractor=f"b.py::<b>{number}#0",
        items=(f"hard/a.py::f{number}#0",),
        score=0.9,
        reasons=("both have one name",),
        summary="Says <script>alert(1)</script>",
        distractor_summary=None,
        code="def f(): ...",
        distractor_code="def g(): ...",
        language="python",
    )


def test_marks_made_by_keyboard_are_kept_and_saved(chromium, tmp_path):
    listed = tuple(map(suspect, range(3)))
    review = Review(benchmark="a|1|9", items=9, pairs=9, suspected_items=3, threshold=0.3, suspects=listed)
    page_file, marks = tmp_path / "review.html", tmp_path / "marks.json"
    page_file.write_text(html_document(review_document(review)), encoding="utf-8")
    troubles, context = [], chromium.new_context()
    page = context.new_page()
    page.on("console", lambda message: troubles.append(message.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.goto(page_file.as_uri())
    for key in "j1j2j3":
        page.keyboard.press(key)
    page.reload()
    assert page.locator("#suspects-count").inner_text() == "3 of 3 marked"
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save marks").click()
    saved.value.save_as(marks)
    assert troubles == []
    context.close()
    exclusions = read_exclusions([marks])
    assert exclusions.pairs == {("a.py::f0#0", "b.py::<b>0#0")}
    assert exclusions.targets == {"a.py::f2#0"}
    assert exclusions.benchmarks == ("a|1|9",)

from tellapart.codesearch.drafting import docstring_drafts
from tellapart.codesearch.repositories import Repositories

UNIT = '''def {name}(a):
    """{doc}"""
    b = a
    return b
'''


def code(root, files):
    for path, units in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("\n\n".join(UNIT.format(name=name, doc=doc) for name, doc in units.items()))
    return Repositories.open(root, sorted({path.split("/")[0] for path in files}))


def test_one_issue_a_file_and_only_from_sentences_that_serve(tmp_path):
    repositories = code(
        tmp_path,
        {
            "a/one.py": {"f": "Say why pins are missing.", "g": "Short one.", "h": "Call h with all pins."},
            "a/test_one.py": {"f": "Tests are no part of it."},
            "a/vendor/two.py": {"f": "What is vendored is no part of it."},
            "b/long.py": {"f": "word " * 61},
            "b/two.py": {"f": "Say why the feed is empty.", "g": "Say why the feed is late."},
        },
    )
    drafts = {draft.files: draft for draft in docstring_drafts(repositories, 1)}
    assert drafts.keys() == {("a/one.py",), ("b/two.py",)}
    assert drafts["a/one.py",].summary == "Say why pins are missing."
    assert drafts["b/two.py",].summary in ("Say why the feed is empty.", "Say why the feed is late.")

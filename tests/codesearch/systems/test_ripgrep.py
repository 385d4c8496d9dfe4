from codesearch.systems.searched import searched


def test_files_are_ranked_by_different_words_then_by_their_number_then_by_path(tmp_path):
    """Four files may be read: credentials.json is a secret.

    show is in all of them, so it is left out; community and timeout are in one, pins is in two: of words as
    rare as each other the first of the issue comes first. pins.py has two words; of the others, with one
    each, feed.py has four matches of it, since timeout is found in timeoutSeconds and whatever its case.
    """
    (answer,) = searched(tmp_path, "ripgrep:", "Show no pins: community? of a Timeout")
    assert answer.output == {
        "files_found": [
            {"path": "a/pins.py", "terms": ["community", "pins"]},
            {"path": "a/feed.py", "terms": ["timeout"]},
            {"path": "b/board.py", "terms": ["pins"]},
        ],
        "search_terms_used": ["community", "timeout", "pins"],
    }

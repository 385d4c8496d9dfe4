from tellapart.codesearch.drafting import area_of_each


def test_an_area_is_a_top_directory_and_the_largest_are_split():
    # 10 files: src holds 6, src/pkg 6, src/pkg/pins 3 (not more than a third), src/pkg/feed 2.
    paths = {
        "r/README.md": "r",
        "r/docs/a.md": "r/docs",
        "r/docs/deep/b.md": "r/docs",
        "r/tests/t.py": "r/tests",
        "r/src/pkg/__init__.py": "r/src/pkg",
        "r/src/pkg/pins/a.py": "r/src/pkg/pins",
        "r/src/pkg/pins/b.py": "r/src/pkg/pins",
        "r/src/pkg/pins/deep/c.py": "r/src/pkg/pins",
        "r/src/pkg/feed/a.py": "r/src/pkg/feed",
        "r/src/pkg/feed/b.py": "r/src/pkg/feed",
    }
    assert area_of_each(paths) == paths
    assert area_of_each(reversed(paths)) == paths

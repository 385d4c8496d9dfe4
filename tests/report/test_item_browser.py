"""Texts of items are cut so that a page has room for all."""

from tellapart.report.browser import clipped, fitting


def test_texts_are_cut_so_that_all_fit():
    assert fitting(["ab", "cde"], room=5, least=1, most=9) == 9
    assert fitting(["ab", "cdef"], room=5, least=1, most=9) == 2
    assert fitting(["ab", "cdef"], room=5, least=3, most=9) == 3
    assert clipped("abcdef", 6) == "abcdef"
    assert clipped("abc def", 5) == "abc…"

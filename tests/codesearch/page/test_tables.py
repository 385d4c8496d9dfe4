"""Tables of the measures, the areas and the conversations, with figures derived by hand."""

from tellapart.codesearch.page import tables


def texts(table):
    return [[table.shown(cell) for cell in row] for row in table.rows]


def column(table, title):
    at = [one.title for one in table.columns].index(title)
    return {row[0].text: row[at] for row in table.rows}


def test_without_verdicts_nothing_is_shown_as_zero(stored, viewed):
    for name in ("precision", "recall", "f1"):
        stored["metrics"]["measures"][name] |= {"macro": None, "missing": {"judge": 6}}
        stored["metrics"]["measures"][name] |= {"conversations": 0}
    table = tables.measures(viewed(stored))
    assert column(table, "Mean")["precision"].text == "–"
    assert column(table, "Conversations")["precision"].detail == "judge 6"
    assert table.notes()[1:] == ["–¹ verdicts are missing", "–² the original pipeline has no such figure"]

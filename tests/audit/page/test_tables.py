from audit.page.stored_figures import figures, flagged, load, pair, two_models
from tellapart.audit.page.sections import document
from tellapart.audit.page.sentences import scale
from tellapart.report.comparison import pair_table


def cells(table):
    return [[table.shown(cell) for cell in row] for row in table.rows]


def table_of(found, name):
    every = (t for s in document(load(found), browser=False).sections for t in (*s.tables, *s.folded))
    return next(table for table in every if table.name == name)


def shown_pairs(found):
    view = load(found)
    return pair_table(view.comparison, scale(view))


def test_bounds_are_those_of_the_one_ahead():
    only = pair("a", "b", "withheld", -0.1, [-0.2, -0.05], 0.01, bounds=[-0.3, 0.05])
    [row] = shown_pairs({**two_models(), "pairs": [only]}).rows
    assert [cell.text for cell in row[:4]] == ["b", "a", "withheld", "+10.0"]
    assert row[3].detail == "+5.0 to +20.0; bounds −5.0 to +30.0"


def test_what_is_not_known_has_a_reason():
    bare = pair("a", "b", "not_separated", reason="No item that both have.")
    table = shown_pairs({**two_models(), "pairs": [bare]})
    assert cells(table)[0][3:7] == ["–¹"] * 4
    assert table.notes()[1:] == ["–¹ No item that both have"]


def test_of_many_flagged_items_a_hundred_of_a_kind_are_named():
    found = figures()
    found["items_flagged"] = [flagged(f"q{i:03d}", "all_pass") for i in range(150)]
    found["items_flagged"] += [flagged("x", "all_fail")]
    table = table_of(found, "flagged")
    assert (len(table.rows), table.rows[-1][0].text, table.note) == (101, "x", "50 more items: add --json.")

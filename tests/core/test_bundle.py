from hypothesis import given
from hypothesis import strategies as st

from tellapart.core.bundle import Bundle, Text

NAMES = st.text(min_size=1, max_size=5)
TEXTS = st.builds(Text, NAMES, event_id=st.none() | NAMES, sense=st.none() | NAMES, source=st.none() | NAMES)


def test_a_text_alone_is_a_string_and_with_its_origin_an_object():
    assert Text("cat").to_json() == "cat"
    assert Text("cat", sense="animal").to_json() == {"text": "cat", "sense": "animal"}
    # An event that is the empty string is still known.
    assert Text("cat", event_id="").to_json() == {"text": "cat", "event_id": ""}


def test_a_row_has_no_tier_and_no_metadata_where_there_is_none():
    bundle = Bundle("b", Text("a"), Text("p"), (Text("n", source="wiki"),))
    row = {"bundle_id": "b", "anchor": "a", "positive": "p", "negatives": [{"text": "n", "source": "wiki"}]}
    assert bundle.to_row() == row
    assert Bundle.from_row({**row, "tier": None, "metadata": None}) == bundle
    full = {**row, "tier": "tier1_easy", "metadata": {"x": [1]}}
    assert Bundle.from_row(full).to_row() == full


@given(TEXTS)
def test_texts_read_what_they_write(text):
    assert Text.from_json(text.to_json()) == text

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellapart.core.trec_measures import decoded, encoded


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("aero/app/pin.rb", "aero/app/pin.rb"),
        ("aero/a b%20.rb", "aero/a%20b%2520.rb"),
        ("#17", "%2317"),
        ("C#", "C#"),
        ("a\u00a0b", "a%C2%A0b"),
        ("query-id", "%71uery-id"),
        ("qid", "%71id"),
        ("qid-1", "qid-1"),
    ],
)
def test_only_what_would_be_misread_is_encoded(name, field):
    assert encoded(name) == field
    assert decoded(field) == name


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_every_name_is_one_field_and_comes_back(name):
    assert encoded(name).split() == [encoded(name)]
    assert decoded(encoded(name)) == name


@given(st.text(min_size=1), st.text(min_size=1))
def test_names_that_differ_are_fields_that_differ(one, other):
    assert (encoded(one) == encoded(other)) == (one == other)

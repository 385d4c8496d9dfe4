import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from tellapart.bundles.scoring import TextNumbers

WORDS = st.lists(st.text(max_size=3), max_size=20)


@given(st.lists(WORDS, max_size=4))
def test_numbers_lead_back_to_the_texts_however_they_are_cut(batches):
    numbers = TextNumbers()
    found = [numbers.number(pl.Series(batch, dtype=pl.String)).tolist() for batch in batches]
    texts = numbers.texts
    assert [[texts[i] for i in batch] for batch in found] == batches
    assert texts == list(dict.fromkeys(text for batch in batches for text in batch))

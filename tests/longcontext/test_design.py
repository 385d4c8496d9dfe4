import pytest

from tellapart.errors import UsageError
from tellapart.longcontext.design import depths_of, lengths_of, name_of


def test_lengths_are_written_with_k_and_m():
    assert lengths_of("2K, 4k,1500,0.5M") == (2000, 4000, 1500, 500_000)


@pytest.mark.parametrize(("tokens", "name"), [(16_000, "16K"), (1500, "1500"), (1_000_000, "1000K")])
def test_a_length_as_people_write_it(tokens, name):
    assert name_of(tokens) == name


@pytest.mark.parametrize("wrong", ["", "2K,", "-2K", "499", "11M", "2KB", "nan"])
def test_what_is_no_length_is_told(wrong):
    with pytest.raises(UsageError, match=r"--lengths has '.*', expected tokens from 500 to 10M"):
        lengths_of(wrong)


def test_depths_are_percentages():
    assert depths_of("0, 12.5,100%") == (0.0, 0.125, 1.0)

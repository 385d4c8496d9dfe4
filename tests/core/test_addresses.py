import pytest

from tellapart.core.addresses import without_password


@pytest.mark.parametrize(
    ("address", "written"),
    [
        ("http://localhost:8000/v1", "http://localhost:8000/v1"),
        ("https://me:secret@example.org/v1?key=secret#x", "https://example.org/v1"),
        ("https://me:se@cret@example.org", "https://example.org"),
    ],
)
def test_no_secret_of_an_address_is_written_down(address, written):
    assert without_password(address) == written

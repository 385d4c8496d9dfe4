import pytest

from tellapart.core.addresses import same_server, without_password


def test_no_secret_of_an_address_is_written_down():
    assert without_password("http://localhost:8000/v1") == "http://localhost:8000/v1"
    assert without_password("https://me:secret@example.org/v1?key=secret#x") == "https://example.org/v1"
    assert without_password("https://me:se@cret@example.org") == "https://example.org"


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ("http://host:8000/v2?x", True),
        ("http://HOST:8000", True),
        ("http://me:pass@host:8000/v1", True),
        ("http://host:8001/v1", False),
        ("https://host:8000/v1", False),
        ("http://host.example:8000/v1", False),
        ("http://host:8000@example/v1", False),
        ("file:///etc/passwd", False),
        ("http://host:port/", False),
        ("", False),
    ],
)
def test_a_server_is_its_scheme_host_and_port(other, same):
    assert same_server("http://host:8000/v1", other) is same


def test_the_same_host_may_go_over_to_https():
    assert same_server("http://host/v1", "https://host/v1")
    assert not same_server("https://host/v1", "http://host/v1")

import pytest

from tellapart.contrastive.selection.partial import stem, words_of


@pytest.mark.parametrize(
    ("words", "same"),
    [
        ("schedule schedules scheduled scheduling", "schedul"),
        ("community communities", "community"),
        ("status", "status"),
        ("call called calling calls", "call"),
        ("speed", "speed"),
        ("has", "has"),
        ("size sizes sized", "siz"),
    ],
)
def test_endings_are_taken_off(words, same):
    assert {stem(word) for word in words.split()} == {same}


def test_words_of_an_issue_or_a_name():
    found = words_of("User's pins aren't shown in the communityFeed, 404")
    assert found == {"user", "pin", "shown", "community", "feed"}
    assert words_of("render_community_feed") == {"render", "community", "feed"}
    assert words_of("the of 12 x") == words_of("") == frozenset()

from hashlib import sha256

from tellapart.embed.identifiers import corpus_digest, text_digest


def test_text_digest_is_sha256_of_utf8():
    assert text_digest("é") == sha256(b"\xc3\xa9").digest()


def test_text_left_over_from_invalid_utf8_has_a_digest():
    assert text_digest("\udcff") == sha256(b"\xed\xb3\xbf").digest()


def test_corpus_digest_ignores_order_and_counts_repetitions():
    assert corpus_digest(["a", "b"]) == corpus_digest(["b", "a"])
    assert corpus_digest(["a", "b"]) != corpus_digest(["a", "b", "b"])


def test_corpus_digest_keeps_texts_apart():
    assert corpus_digest(["ab", "c"]) != corpus_digest(["a", "bc"])

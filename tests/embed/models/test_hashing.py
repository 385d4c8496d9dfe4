import numpy as np

from tellapart.embed.models.hashing import HashingEmbedder


def test_counts_add_up_over_pieces():
    read, file, both, twice, empty = HashingEmbedder().encode(["read", "file", "readFile", "file file", "--"])
    assert np.abs(read).sum() == np.abs(file).sum() == 1
    assert both.tolist() == (read + file).tolist()
    assert twice.tolist() == (2 * file).tolist()
    assert not empty.any()


def test_the_place_of_a_piece_is_the_same_on_every_machine():
    # `printf file | b2sum -l 64` is 0c56d32908f127f6: column 0x0c, and + for the top bit of f6.
    vector = HashingEmbedder().encode(["file"], kind="query")[0]
    assert {int(column): float(vector[column]) for column in np.flatnonzero(vector)} == {12: 1.0}

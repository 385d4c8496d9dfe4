import pytest

from embed.tiny_models import write_encoder


@pytest.fixture(scope="session")
def tiny_embedder(tmp_path_factory):
    """Directory of a real model of sentence-transformers with random weights and prompts."""
    return write_encoder(
        tmp_path_factory.mktemp("tiny"),
        "SentenceTransformer",
        "BertModel",
        prompts={"query": "query: ", "document": "passage: "},
    )


@pytest.fixture(scope="session")
def named_model(tiny_embedder):
    """The same model as MTEB evaluates it, called tiny/one."""
    import mteb
    from sentence_transformers import SentenceTransformer

    from tellapart.embed.mteb_library import quiet_mteb

    with quiet_mteb():
        model = mteb.SentenceTransformerEncoderWrapper(SentenceTransformer(str(tiny_embedder), device="cpu"))
    changes = {"name": "tiny/one", "revision": "r1"}
    model.mteb_model_meta = model.mteb_model_meta.model_copy(update=changes)
    return model

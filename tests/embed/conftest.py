import json

import pytest

from embed.tiny_models import write_bert


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory):
    """Directory of a real sentence-transformers model: random weights, 16 dimensions, prompts."""
    directory = write_bert(tmp_path_factory.mktemp("tiny"), "BertModel")
    (directory / "1_Pooling").mkdir()
    kind = "sentence_transformers.models."
    files = {
        "modules.json": [
            {"idx": 0, "name": "0", "path": "", "type": f"{kind}Transformer"},
            {"idx": 1, "name": "1", "path": "1_Pooling", "type": f"{kind}Pooling"},
        ],
        "1_Pooling/config.json": {"word_embedding_dimension": 16, "pooling_mode_mean_tokens": True},
        "config_sentence_transformers.json": {"prompts": {"query": "query: ", "document": "passage: "}},
        "sentence_bert_config.json": {"max_seq_length": 64, "do_lower_case": False},
    }
    for name, content in files.items():
        (directory / name).write_text(json.dumps(content))
    return directory

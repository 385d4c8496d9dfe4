import json

import pytest


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory):
    """Directory of a real sentence-transformers model: random weights, 16 dimensions, prompts."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizer

    directory = tmp_path_factory.mktemp("tiny")
    letters = [*"abcdefghijklmnopqrstuvwxyz:"]
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{letter}" for letter in letters)]
    vocabulary = directory / "vocab.txt"
    vocabulary.write_text("\n".join(words))
    BertTokenizer(str(vocabulary)).save_pretrained(directory)
    torch.manual_seed(0)
    sizes = {"vocab_size": len(words), "hidden_size": 16, "intermediate_size": 32}
    shape = {"num_hidden_layers": 2, "num_attention_heads": 2, "max_position_embeddings": 64}
    BertModel(BertConfig(**sizes, **shape)).save_pretrained(directory)
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

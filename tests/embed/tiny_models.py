"""Real models of sentence-transformers, tiny and with random weights, as save_pretrained writes them."""

LETTERS = [*"abcdefghijklmnopqrstuvwxyz:_()"]
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *LETTERS, *(f"##{letter}" for letter in LETTERS)]


def write_bert(directory, architecture, **options):
    """A plain model of transformers; ``architecture`` is the name of a class, such as ``BertModel``."""
    import torch
    import transformers

    directory.mkdir(parents=True, exist_ok=True)
    vocabulary = directory / "vocab.txt"
    vocabulary.write_text("\n".join(WORDS))
    transformers.BertTokenizer(str(vocabulary)).save_pretrained(directory)
    config = transformers.BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=64,
        # Large, so that texts differ in their scores by more than rounding.
        initializer_range=0.5,
        **options,
    )
    torch.manual_seed(0)
    getattr(transformers, architecture)(config).save_pretrained(directory)
    return directory


def write_encoder(directory, kind, architecture, **options):
    """An encoder of a class of the library, such as ``SparseEncoder``, over a plain model."""
    import sentence_transformers

    plain = write_bert(directory / "plain", architecture)
    model = getattr(sentence_transformers, kind)(str(plain), device="cpu", **options)
    model.save_pretrained(str(directory / "model"))
    return directory / "model"

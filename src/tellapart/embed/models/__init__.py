"""One module a model; its name is what users type, up to the colon.

A module offers ``load(request) -> Embedder | Matcher`` and, where they apply, ``ARGUMENT`` (what follows the
colon, for messages) and ``REQUIRES`` (modules of an optional extra). Dropping a file in here adds a model.
"""

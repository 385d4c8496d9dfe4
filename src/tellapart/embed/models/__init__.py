"""One module a model; its name is what users type, up to the colon. Dropping a file in here adds a model.

A module offers ``load(request) -> Embedder | Matcher`` and, where they apply, ``ARGUMENT`` (what follows the
colon, for messages), ``REQUIRES`` (modules that must be there) and ``EXTRA`` (the extra that brings them).
"""

"""The models, each with a loader that takes a ``ModelRequest``; `model_names` has what users type."""

"""Data sets that people publish, made into case files: one module a form."""

from tellapart.longcontext.importing.import_cases import (
    Form,
    ImportRecord,
    all_forms,
    form_called,
    form_of,
    import_cases,
)

__all__ = ["Form", "ImportRecord", "all_forms", "form_called", "form_of", "import_cases"]

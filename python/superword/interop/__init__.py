"""Files of other libraries: writing them, and reading them.

In reading order:
    byte_spelling   Tokens as strings, one character for each byte, as GPT-2 spells them.
    export_checks   Whether another library's file can give the same ids.
    tokenizer_json  A model as a `tokenizer.json`.
    tiktoken_file   tiktoken's vocabulary files.
    exporting       `export`, and `compare_export`, which counts differences.
    folders         The tokenizer file in a folder.
    ranked_merges   Merges by rank, recovered as rules in order.
    importing       `import_tokenizer`: a `tokenizer.json` or a tiktoken file as a model.
"""

from superword.interop.exporting import Comparison, Format, compare_export, export
from superword.interop.importing import import_tokenizer

__all__ = ["Comparison", "Format", "compare_export", "export", "import_tokenizer"]

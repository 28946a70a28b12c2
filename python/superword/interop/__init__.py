"""Files of other libraries: writing them, and reading them.

In reading order:
    byte_spelling   Tokens as strings, one character for each byte, as GPT-2 spells them.
    export_checks   Whether another library's file can give the same ids.
    tokenizer_json  A model as a `tokenizer.json`.
    exporting       `export`, and `compare_export`, which counts differences.
    tiktoken_file   Reading tiktoken's vocabulary files.
    ranked_merges   Merges by rank, recovered as rules in order.
    importing       `open_tokenizer`: a `tokenizer.json` or a tiktoken file as a model.
"""

from superword.interop.exporting import Comparison, Format, compare_export, export

__all__ = ["Comparison", "Format", "compare_export", "export"]

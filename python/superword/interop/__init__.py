"""Files of other libraries: writing them, and reading them.

In reading order:
    byte_spelling   Tokens as strings, one character for each byte, as GPT-2 spells them.
    export_checks   Whether another library's file can give the same ids.
    tokenizer_json  A model as a `tokenizer.json`.
    tiktoken_file   tiktoken's vocabulary files.
    gguf_checks     Whether llama.cpp can give the same ids.
    gguf_file       A model as a GGUF file.
    tricky_texts    Texts on which libraries differ, if they differ at all.
    comparing       `compare_export`, which counts the differences of a file and its model.
    exporting       `export`, which checks a file before it is called exact.
    folders         The tokenizer file in a folder, and files that belong together.
    importing       `open_base`: a file of another library as a model.
"""

from superword.interop.comparing import Comparison, Format, compare_export
from superword.interop.exporting import export
from superword.interop.importing import import_tokenizer, open_base

__all__ = ["Comparison", "Format", "compare_export", "export", "import_tokenizer", "open_base"]

"""A model as a GGUF file for llama.cpp, with the vocabulary only.

GGUF is the file format of llama.cpp. Beside its name, `tokenizer.ggml.pre`, a split is part of
llama.cpp's code, so a file can hold a model only if llama.cpp has its split.
"""

from __future__ import annotations

from typing import Any

from superword.atomic_files import temporary_folder
from superword.interop.byte_spelling import spell
from superword.interop.gguf_checks import END_OF_TEXT, find_split_name
from superword.tokenizer import Tokenizer

__all__ = ["write_gguf"]

# Token types of GGUF.
NORMAL, CONTROL, UNUSED = 1, 3, 5


def write_gguf(tok: Tokenizer) -> bytes:
    """Return a model as a GGUF file. `explain_no_gguf` says whether it is exact.

    Raises:
        ImportError: If the package `gguf` is missing.
    """
    try:
        from gguf import GGUFWriter
    except ImportError:
        message = "writing a GGUF file needs gguf; pip install 'superword[gguf]'"
        raise ImportError(message, name="gguf") from None
    tokens, types = list_entries(tok)
    end = find_end(tok)
    with temporary_folder() as folder:
        path = folder / "model.gguf"
        # The architecture is required. A file without tensors has none, and this is the usual one.
        writer: Any = GGUFWriter(path, "llama")
        writer.add_string("superword.fingerprint", tok.fingerprint)
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre(find_split_name(tok))
        writer.add_token_list(tokens)
        writer.add_token_types(types)
        # Each merge counts once, the first time.
        merges = dict.fromkeys(
            f"{spell(rule.left)} {spell(rule.right or b'')}" for rule in tok.rules
        )
        writer.add_token_merges(list(merges))
        writer.add_bos_token_id(end)
        writer.add_eos_token_id(end)
        # Some splits add a first token otherwise.
        writer.add_add_bos_token(False)
        writer.add_add_eos_token(False)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.close()
        return path.read_bytes()


def list_entries(tok: Tokenizer) -> tuple[list[str], list[int]]:
    """Return the text and the type of each id. Ids without a token are filled, as unused."""
    # These are no texts of tokens: a token's text has brackets only if its bytes have.
    taken = {spell(token) for _, token in tok._model.vocabulary()} | tok.special_tokens.keys()
    tokens = [unused_text(id, taken) for id in range(tok.n_vocab)]
    types = [UNUSED] * tok.n_vocab
    for id, token in tok._model.vocabulary():
        tokens[id], types[id] = spell(token), NORMAL
    for text, id in tok.special_tokens.items():
        tokens[id], types[id] = text, CONTROL
    return tokens, types


def unused_text(id: int, taken: set[str]) -> str:
    """Return a text for an id without a token that is not the text of another.

    Example:
        >>> unused_text(7, set()), unused_text(7, {"[UNUSED7]"})
        ('[UNUSED7]', '[[UNUSED7]]')
    """
    text = f"[UNUSED{id}]"
    while text in taken:
        text = f"[{text}]"
    return text


def find_end(tok: Tokenizer) -> int:
    """Return the id of the token that ends a text: one with a usual name, or the first."""
    names = [text for text in END_OF_TEXT if text in tok.special_tokens]
    return tok.special_tokens[names[0] if names else next(iter(tok.special_tokens))]

"""The id that stands between documents, which the first token of each is scored after."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from superword.errors import ModelFormatError, SpecialTokenError
from superword.evaluation.tokenizers import AnyTokenizer

__all__ = ["find_end_of_text"]


def find_end_of_text(
    tok: AnyTokenizer, given: int | str | None = None, folder: Path | None = None
) -> int:
    """Return the id of end-of-text.

    Args:
        tok: The tokenizer.
        given: The id, or the special token. By default, it is the `bos_token` of the folder, or
            its `eos_token` if it has no other; without a folder, the only special token.
        folder: The transformers folder of the tokenizer, if it has one.

    Raises:
        SpecialTokenError: If there is no such token, or it has to be given.
        ModelFormatError: If the folder has no tokenizer that transformers can load.

    Example:
        >>> import superword
        >>> from superword.evaluation import open_tokenizer
        >>> tok = superword.train(["to be"], 256, special_tokens=["<|end|>"])
        >>> find_end_of_text(open_tokenizer(tok))
        256
    """
    if isinstance(given, int):
        if given < 0:
            raise SpecialTokenError(f"end_of_text must not be negative, and is {given}")
        return given
    special = dict(tok.special_tokens)
    start = None
    if folder is not None:
        loaded = load_tokenizer(folder)
        named = loaded.all_special_tokens
        special |= zip(named, loaded.convert_tokens_to_ids(named), strict=True)
        start = loaded.eos_token_id if loaded.bos_token_id is None else loaded.bos_token_id
    elif len(special) == 1:
        (start,) = special.values()
    if given is None and start is not None:
        return int(start)
    if given in special:
        return special[given]
    if given is not None and given.isdecimal():
        return int(given)
    wanted = "end-of-text is unknown" if given is None else f"there is no special token {given!r}"
    has = "the special tokens " + ", ".join(map(repr, special)) if special else "no special tokens"
    raise SpecialTokenError(
        f"{tok.name}: {wanted}; it has {has}: pass one, or an id (end_of_text=, --end-of-text)"
    )


def load_tokenizer(folder: Path) -> Any:
    """Load a folder's tokenizer with transformers, which knows its special tokens."""
    from transformers import AutoTokenizer

    # It registers the tokenizer of superword.
    import superword.integrations.transformers  # noqa: F401

    try:
        return AutoTokenizer.from_pretrained(folder, local_files_only=True)
    except Exception as error:  # It raises many kinds.
        reason = str(error).strip().partition("\n")[0]
        raise ModelFormatError(
            f"{folder}: transformers cannot load its tokenizer: {reason}"
        ) from None

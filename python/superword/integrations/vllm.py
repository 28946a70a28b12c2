"""Superword tokenizers in vLLM: `--tokenizer-mode superword`; docs/serving.md.

vLLM finds `register` by the entry point `vllm.general_plugins`, in all its processes.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from superword.integrations.structured_output import accept_in_xgrammar
from superword.integrations.transformers import SuperwordTokenizer

__all__ = ["MODE", "VllmTokenizer", "register"]

# The value of --tokenizer-mode.
MODE = "superword"


def register() -> None:
    """Register the tokenizer mode `superword` with vLLM. Further calls do nothing.

    The renderer is the one that vLLM uses for transformers' tokenizers and chat templates.

    Raises:
        ImportError: If vLLM is not installed.
    """
    try:
        from vllm.renderers.registry import RENDERER_REGISTRY
        from vllm.tokenizers.registry import TokenizerRegistry
    except ImportError as missing:
        raise ImportError(f"{missing}; pip install vllm", name=missing.name) from None
    if MODE not in TokenizerRegistry.tokenizers:
        TokenizerRegistry.register(MODE, VllmTokenizer.__module__, VllmTokenizer.__qualname__)
    if MODE not in RENDERER_REGISTRY.renderers:
        RENDERER_REGISTRY.register(MODE, "vllm.renderers.hf", "HfRenderer")


class VllmTokenizer(SuperwordTokenizer):
    """A `SuperwordTokenizer` that is also a `TokenizerLike` of vLLM.

    It is loaded from the folder that `save_pretrained` writes, and runs no code from there.

    Example:
        >>> import superword, tempfile
        >>> tok = superword.train(["to be or not to be"], 258, special_tokens=["<|end|>"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     files = SuperwordTokenizer(tok, eos_token="<|end|>").save_pretrained(folder)
        ...     tokenizer = VllmTokenizer.from_pretrained(folder, truncation_side="left")
        >>> tokenizer.max_token_id, tokenizer.max_chars_per_token
        (258, 7)
    """

    def __init__(self, *args: Any, **settings: Any) -> None:
        self._read: dict[str, Any] = {}
        super().__init__(*args, **settings)

    @classmethod
    def from_pretrained(
        cls,
        path_or_repo_id: str | os.PathLike[str],
        *args: Any,
        trust_remote_code: bool = False,
        revision: str | None = None,
        download_dir: str | None = None,
        **kwargs: Any,
    ) -> VllmTokenizer:
        """Load a tokenizer from a folder or a repository.

        Args:
            path_or_repo_id: The folder, or the name of the repository.
            args: Further arguments of transformers' `from_pretrained`.
            trust_remote_code: Not used: nothing in the folder is run.
            revision: The version of the repository.
            download_dir: Where downloaded files are kept.
            kwargs: Further keywords of transformers' `from_pretrained`.
        """
        # vLLM's structured output asks xgrammar for the tokens, in the process that loads this.
        accept_in_xgrammar()
        kwargs |= {"revision": revision or "main", "cache_dir": download_dir}
        tokenizer: VllmTokenizer = super().from_pretrained(path_or_repo_id, *args, **kwargs)
        return tokenizer

    def _update_total_vocab_size(self) -> None:
        self._read.clear()
        super()._update_total_vocab_size()

    @property
    def is_fast(self) -> bool:
        """True: vLLM then puts no spaces around added tokens, and asks for offsets."""
        return True

    @property
    def max_token_id(self) -> int:
        """The greatest id."""
        return len(self) - 1

    @property
    def max_chars_per_token(self) -> int:
        """A bound on the characters of a token: the bytes of the longest one."""
        if "max_chars" not in self._read:
            self._read["max_chars"] = max(map(len, self.token_table().tokens))
        return int(self._read["max_chars"])

    def get_vocab(self) -> dict[str, int]:
        """Return all tokens with their ids, spelled as GPT-2 spells bytes."""
        if "vocab" not in self._read:
            self._read["vocab"] = super().get_vocab()
        vocabulary: dict[str, int] = self._read["vocab"]
        return vocabulary

    def convert_ids_to_tokens(
        self, ids: int | Sequence[int], skip_special_tokens: bool = False
    ) -> Any:
        """Return the tokens of ids, spelled as in `get_vocab`; None for an id without one."""
        if skip_special_tokens and not isinstance(ids, int):
            # The base class would collect the special tokens for every token that is streamed.
            if "special_ids" not in self._read:
                self._read["special_ids"] = frozenset(self.all_special_ids)
            ids = [id for id in ids if id not in self._read["special_ids"]]
        return super().convert_ids_to_tokens(ids)

"""Tokenizers for xgrammar and llguidance, which let a model write only what a grammar allows.

Both need the bytes of every token. They read them by themselves only from tokenizers of the
`tokenizers` library, so here they get them as a table: docs/serving.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple

from superword.tokenizer import Tokenizer

if TYPE_CHECKING:
    from transformers import AddedToken

__all__ = ["StructuredOutput", "TokenTable", "accept_in_xgrammar"]


class TokenTable(NamedTuple):
    """The bytes of every token, and which tokens are no text.

    Attributes:
        tokens: The bytes of each token by its id; empty for ids without a token. A token may be
            part of a character.
        special_ids: The ids of special tokens. Their bytes are their names.
    """

    tokens: list[bytes]
    special_ids: list[int]


class StructuredOutput:
    """The methods of a tokenizer that prepare it for libraries of grammars."""

    core: Tokenizer
    eos_token_id: int | None
    bos_token_id: int | None
    all_special_ids: list[int]
    total_vocab_size: int
    name_or_path: str
    _added_tokens_decoder: dict[int, AddedToken]

    def token_table(self, vocab_size: int | None = None) -> TokenTable:
        """Return the bytes of every token by its id, and the ids of special tokens.

        Args:
            vocab_size: The length of the table: the number of ids that the language model can
                return, if it is not that of the tokenizer.

        Example:
            >>> import superword
            >>> from superword.transformers import SuperwordTokenizer
            >>> tok = superword.train(["to be or not to be"], 258, special_tokens=["<|end|>"])
            >>> table = SuperwordTokenizer(tok, eos_token="<|end|>").token_table(vocab_size=264)
            >>> table.tokens[256:], table.special_ids
            ([b' be', b'to', b'<|end|>', b'', b'', b'', b'', b''], [258])
        """
        size = self.total_vocab_size if vocab_size is None else vocab_size
        tokens = [b""] * max(size, self.total_vocab_size)
        for id, token in self.core._model.vocabulary():
            tokens[id] = token
        for id, added in self._added_tokens_decoder.items():
            tokens[id] = added.content.encode()
        return TokenTable(tokens[:size], sorted(id for id in self.all_special_ids if id < size))

    def init_xgrammar(
        self, vocab_size: int | None = None, stop_token_ids: Sequence[int] | None = None
    ) -> tuple[Any, list[int]]:
        """Return an `xgrammar.TokenizerInfo` and the ids that end a text. SGLang calls this.

        Special tokens are never allowed by a grammar, and neither are ids without a token.

        Args:
            vocab_size: The number of ids that the language model can return; by default that of
                the `config.json` in the folder of the tokenizer, or that of the tokenizer.
            stop_token_ids: The ids that end a text; by default that of `eos_token`.

        Raises:
            ImportError: If xgrammar is not installed.
            ValueError: If there is no id that ends a text.
        """
        try:
            from xgrammar import TokenizerInfo
        except ImportError as missing:
            raise ImportError(f"{missing}; pip install xgrammar", name=missing.name) from None
        stops = self._stop_ids(stop_token_ids)
        tokens, special_ids = self.token_table(vocab_size or self._model_vocab_size())
        for id in special_ids:
            tokens[id] = b""  # This is how xgrammar knows them.
        return TokenizerInfo(tokens, vocab_size=len(tokens), stop_token_ids=stops), stops

    def init_llguidance(
        self, vocab_size: int | None = None, stop_token_ids: Sequence[int] | None = None
    ) -> Any:
        """Return an `llguidance.LLTokenizer`.

        Args:
            vocab_size: The number of ids that the language model can return.
            stop_token_ids: The ids that end a text; by default that of `eos_token`.

        Raises:
            ImportError: If llguidance is not installed.
            ValueError: If there is no id that ends a text.
        """
        try:
            from llguidance import LLTokenizer, TokenizerWrapper
        except ImportError as missing:
            raise ImportError(f"{missing}; pip install llguidance", name=missing.name) from None
        stops = self._stop_ids(stop_token_ids)
        table = self.token_table(vocab_size)
        encoder = TableEncoder(self.core, table, stops[0], self.bos_token_id)
        return LLTokenizer(TokenizerWrapper(encoder), n_vocab=len(table.tokens), eos_token=stops)

    def _model_vocab_size(self) -> int | None:
        """Return the `vocab_size` of the language model that the tokenizer was loaded with.

        SGLang passes none, and xgrammar takes no mask of another length.
        """
        from transformers import PreTrainedConfig

        try:
            config, _ = PreTrainedConfig.get_config_dict(self.name_or_path)
        except OSError:  # There is no folder, or no model in it.
            return None
        size: int | None = config.get("text_config", config).get("vocab_size")
        return size

    def _stop_ids(self, given: Sequence[int] | None) -> list[int]:
        own = [] if self.eos_token_id is None else [self.eos_token_id]
        stops = own if given is None else list(given)
        if not stops:
            raise ValueError(
                "a grammar needs a token that ends a text; set eos_token, or pass stop_token_ids"
            )
        return stops


class TableEncoder:
    """What llguidance's `TokenizerWrapper` reads: a table of tokens, and a function that encodes.

    Args:
        core: The tokenizer that encodes.
        table: The bytes of every token.
        eos_token_id: The id that ends a text.
        bos_token_id: The id before a text, if there is one.
    """

    def __init__(
        self, core: Tokenizer, table: TokenTable, eos_token_id: int, bos_token_id: int | None
    ) -> None:
        self.core = core
        self.tokens, self.special_token_ids = table
        self.eos_token_id = eos_token_id
        self.bos_token_id = bos_token_id

    def __call__(self, text: bytes) -> list[int]:
        """Encode bytes; special tokens in them are ordinary text."""
        return list(self.core.encode_bytes(text))


def accept_in_xgrammar() -> None:
    """Make `xgrammar.TokenizerInfo.from_huggingface` accept these tokenizers.

    xgrammar refuses tokenizers that it does not know, and servers call that function. All other
    tokenizers are passed on. Nothing happens if xgrammar is not installed.
    """
    try:
        from xgrammar import TokenizerInfo
    except ImportError:
        return
    original = TokenizerInfo.from_huggingface
    if getattr(original, "accepts_superword", False):
        return

    @wraps(original)
    def from_huggingface(tokenizer: Any, **kwargs: Any) -> Any:
        if not isinstance(tokenizer, StructuredOutput):
            return original(tokenizer, **kwargs)
        stops = kwargs.pop("stop_token_ids", None)
        stops = [stops] if isinstance(stops, int) else stops
        return tokenizer.init_xgrammar(**kwargs, stop_token_ids=stops)[0]

    from_huggingface.__dict__["accepts_superword"] = True
    TokenizerInfo.from_huggingface = staticmethod(from_huggingface)

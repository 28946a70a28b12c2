"""A trained tokenizer, and loading it from a file."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from functools import cached_property
from os import PathLike, fspath
from typing import Literal, NamedTuple

from superword import _core
from superword.errors import ModelFormatError, UnknownTokenError
from superword.patterns import ELIGIBLE
from superword.tokenizer.encoding import Encoding
from superword.tokenizer.rules import Rules
from superword.tokenizer.tiktoken_adapter import TiktokenAdapter

__all__ = ["Parameters", "Tokenizer", "Training", "load"]

Deletion = Literal["bytes", "pair"] | None


class Parameters(NamedTuple):
    """The settings that training was given.

    Attributes:
        pattern: The name of a pattern, or a regex.
        eligible: The regex that the whole of an eligible pretoken matches.
        supermerges: Whether supermerges compete with merges.
        deletion: What deleted tokens are split into; None when nothing is deleted.
        tau: The intersection over self from which on a token is deleted.
        min_count: The count below which a pair is not worth a rule.
        vocab_size: The size of the vocabulary that was asked for; it is smaller if pairs ran out.
        transition: The size at which the second stage of SuperBPE begins; None for one stage.
        second_pattern: What splits texts in it, and when encoding.
    """

    pattern: str = "boundless"
    eligible: str = ELIGIBLE
    supermerges: bool = True
    deletion: Deletion = "bytes"
    tau: float = 0.9
    min_count: int = 2
    vocab_size: int = 131_072
    transition: int | None = None
    second_pattern: str | None = None


class Training(NamedTuple):
    """What the training corpus held.

    Attributes:
        documents: Documents.
        bytes: Bytes of text.
        pretokens: Pretokens.
        distinct_pretokens: Pretokens that differ; those that were left out do not count.
        min_pretoken_count: The count below which pretokens were left out, if any were to be.
        min_fragment_count: The count below which fragments were left out, if any were to be.
    """

    documents: int = 0
    bytes: int = 0
    pretokens: int = 0
    distinct_pretokens: int = 0
    min_pretoken_count: int | None = None
    min_fragment_count: int | None = None


class Tokenizer(Encoding):
    """A trained tokenizer. `superword.train` and `superword.load` give one; it never changes.

    Example:
        >>> from superword import reference
        >>> rules, _ = reference.train(["to be or to be", "to be"], 262)
        >>> tok = Tokenizer._from_rules(rules, Parameters(vocab_size=262))
        >>> tok
        <Tokenizer with 259 tokens from 5 rules, pattern 'boundless'>
        >>> tok.token_id(b"to be"), tok.token_bytes(258), tok.is_superword(258)
        (258, b'to be', True)
        >>> tok.rules[0]
        Rule(index=0, kind='merge', left=b' ', right=b'b', parts=(), count=3)
    """

    _model: _core.Model

    def __init__(self) -> None:
        raise TypeError("a Tokenizer comes from superword.train or superword.load")

    @classmethod
    def _of(cls, model: _core.Model) -> Tokenizer:
        """The tokenizer of a model; a warning says if its Unicode tables are not at hand."""
        tokenizer = cls.__new__(cls)
        tokenizer._model = model
        for sentence in model.differing_tables():
            warnings.warn(sentence, stacklevel=3)
        return tokenizer

    @classmethod
    def _from_json(cls, text: bytes) -> Tokenizer:
        return cls._of(_core.Model.from_json(text))

    @classmethod
    def _from_rules(
        cls,
        rules: Sequence[_core._Rule],
        parameters: Parameters,
        special_tokens: Sequence[str] = (),
        training: Training | None = None,
    ) -> Tokenizer:
        """The tokenizer with these rules in this order, for tests and for the reference's rules."""
        summary = training or Training()
        return cls._of(_core.Model.from_rules(parameters, rules, special_tokens, summary))

    @property
    def vocab_size(self) -> int:
        """How many tokens the vocabulary has. Special tokens do not count."""
        return self._model.vocab_size

    @property
    def special_tokens(self) -> dict[str, int]:
        """The special tokens with their ids."""
        return dict(self._model.special_tokens)

    @cached_property
    def rules(self) -> Rules:
        """The rules in order, a sequence of `Rule`."""
        return Rules(self._model)

    @property
    def parameters(self) -> Parameters:
        """The settings that training was given."""
        return Parameters._make(self._model.parameters)

    @property
    def training(self) -> Training:
        """What the training corpus held."""
        return Training(*self._model.training)

    @property
    def pattern(self) -> str:
        """The name or the regex of the pattern that splits texts into pretokens."""
        second, first = self.parameters.second_pattern, self.parameters.pattern
        return first if second is None else second

    @cached_property
    def fingerprint(self) -> str:
        """A digest of what decides the ids: equal for models that give every text the same.

        It covers the pattern, the eligibility, their Unicode tables, tokens and ids, rules without
        their counts, and special tokens; not what the corpus held, nor how training was set.
        """
        return self._model.fingerprint()

    def token_bytes(self, id: int) -> bytes:
        """Give the bytes of a token; of a special token, those of its text.

        Raises:
            UnknownTokenError: If no token has the id.
        """
        token = self._model.token_bytes(id) if 0 <= id < 2**32 else None
        if token is None:
            raise UnknownTokenError(f"no token has the id {id}")
        return token

    def token_id(self, token: bytes) -> int:
        """Give the id of a token. Special tokens have theirs in `special_tokens`.

        Raises:
            UnknownTokenError: If the vocabulary does not have the token.
        """
        id = self._model.token_id(token)
        if id is None:
            raise UnknownTokenError(f"the vocabulary does not have the token {token!r}")
        return id

    def is_superword(self, id: int) -> bool:
        """Say whether some supermerge made a token.

        Raises:
            UnknownTokenError: If no token has the id.
        """
        is_superword = self._model.is_superword(id) if 0 <= id < 2**32 else None
        if is_superword is None:
            raise UnknownTokenError(f"no token has the id {id}")
        return is_superword

    def truncate(self, vocab_size: int) -> Tokenizer:
        """Give the tokenizer that training would have given at a smaller size.

        Raises:
            ValueError: If the size is below 256 or `transition`, or above the one that was trained.
        """
        if not 0 <= vocab_size < 2**32:
            raise ValueError(f"vocab_size must be at least 256 and below 2**32, not {vocab_size}")
        truncated = object.__new__(Tokenizer)
        truncated._model = self._model.truncate(vocab_size)
        return truncated

    def with_special_tokens(
        self, tokens: Iterable[str], pad_to_multiple_of: int | None = None
    ) -> Tokenizer:
        """Give the tokenizer with further special tokens, whose ids follow those that are there.

        Args:
            tokens: The texts that stand for themselves.
            pad_to_multiple_of: A number of which the number of all ids is to be a multiple, as
                some hardware likes it. What is missing is filled up with special tokens that are
                called `<|reserved_0|>`, `<|reserved_1|>` and so on.

        Raises:
            ValueError: If a text is empty, or a special token already.

        Example:
            >>> import superword
            >>> tok = superword.train(["nothing"], 256)
            >>> tok.with_special_tokens(["<|end|>"], pad_to_multiple_of=4).special_tokens
            {'<|end|>': 256, '<|reserved_0|>': 257, '<|reserved_1|>': 258, '<|reserved_2|>': 259}
        """
        if isinstance(tokens, str):
            raise TypeError(f"special tokens are given as a list, [{tokens!r}]")
        if pad_to_multiple_of is not None and not 0 <= pad_to_multiple_of < 2**32:
            raise ValueError(
                f"pad_to_multiple_of must be from 1 to 65536, not {pad_to_multiple_of}"
            )
        extended = object.__new__(Tokenizer)
        extended._model = self._model.with_special_tokens(list(tokens), pad_to_multiple_of)
        return extended

    def as_tiktoken(self, name: str = "superword") -> TiktokenAdapter:
        """Give it the methods of a `tiktoken.Encoding`, for code that is written for that."""
        return TiktokenAdapter(self, name)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file, whole or not at all: docs/model-format.md.

        Raises:
            OSError: If the file cannot be written; what was there before is then still there.
        """
        self._model.save(path)

    def __eq__(self, other: object) -> bool:
        """Whether both would be saved as the same file."""
        if not isinstance(other, Tokenizer):
            return NotImplemented
        return self._model is other._model or self._model.to_json() == other._model.to_json()

    def __hash__(self) -> int:
        """Equal tokenizers have equal fingerprints."""
        return hash(self.fingerprint)

    def __copy__(self) -> Tokenizer:
        """Itself, since it never changes."""
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Tokenizer:
        """Itself, since it never changes."""
        return self

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle by value, as the text of the file."""
        return Tokenizer._from_json, (self._model.to_json(),)

    def __repr__(self) -> str:
        """What kind of tokenizer it is."""
        size, rules = self.vocab_size, len(self.rules)
        return f"<Tokenizer with {size} tokens from {rules} rules, pattern {self.pattern!r}>"


def load(path: str | PathLike[str], *, deletion: Deletion = None) -> Tokenizer:
    """Load a tokenizer from its file, or from one of the paper authors' model files.

    Their formats are `word v1` and `BoundlessBPE v2`, told by the first line; the ids are theirs:
    docs/model-format.md. Where the model was trained with other Unicode tables than this superword
    has, a warning names the difference.

    Args:
        path: The file, which `Tokenizer.save` or the authors' code wrote.
        deletion: What a `word v1` model splits deleted tokens into, since its file does not say it:
            `bytes`, which None stands for, or `pair`. Other files say it themselves.

    Raises:
        ModelFormatError: If the file holds no model, or one that contradicts itself.
        PatternError: If its pattern is a malformed regex.
        OSError: If the file cannot be read.
        ValueError: If `deletion` is given for a file that says it itself.
    """
    with open(path, "rb") as file:
        start = file.read(32)
        is_authors = start.startswith((b"word v", b"BoundlessBPE"))
        if not is_authors and not start.startswith(b"{"):  # not read on, however long it is
            problem = "not a model: it begins neither with { nor like those of the authors"
            raise ModelFormatError(f"{fspath(path)}: {problem}")
        if deletion is not None and not start.startswith(b"word v1"):
            raise ValueError("deletion is for word v1 models: this file says itself how it deletes")
        text = start + file.read()
    try:
        if is_authors:
            model = _core.Model.from_authors(text, deletion or "bytes")
        else:
            model = _core.Model.from_json(text)
    except ModelFormatError as refused:
        raise ModelFormatError(f"{fspath(path)}: {refused}") from None
    return Tokenizer._of(model)

"""A trained tokenizer, and loading it from a file."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Sequence
from functools import cached_property
from io import BufferedReader
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from superword import _core
from superword.atomic_files import is_device, local_path, name_errors, write_atomically
from superword.errors import ModelFormatError, UnknownTokenError
from superword.tokenizer.bundled import BUNDLED_MODELS, find_bundled
from superword.tokenizer.config import Deletion, TrainingConfig
from superword.tokenizer.encoding import Encoding, Special, list_tokens
from superword.tokenizer.other_files import describe_file, describe_folder
from superword.tokenizer.rules import Rules
from superword.tokenizer.shown_tokens import MAX_SHOWN_TOKENS, TokenDescriber
from superword.tokenizer.tiktoken_adapter import TiktokenAdapter

if TYPE_CHECKING:
    from superword.tokenizer.shown_text import ShownText

__all__ = ["Tokenizer", "Training", "load"]

# What tells the formats of files apart.
HEAD_BYTES = 4096
FORMAT_SAYS_DELETION = "deletion is for word v1 models; this file already says how it deletes"


class Training(NamedTuple):
    """A summary of the training corpus.

    Attributes:
        documents: Number of documents.
        bytes: Number of bytes of text.
        pretokens: Number of pretokens.
        distinct_pretokens: Number of distinct pretokens that were learned from.
        min_pretoken_count: Rarer pretokens were left out; None if there was no such threshold.
        min_fragment_count: Rarer fragments were left out; None if there was no such threshold.
    """

    documents: int = 0
    bytes: int = 0
    pretokens: int = 0
    distinct_pretokens: int = 0
    min_pretoken_count: int | None = None
    min_fragment_count: int | None = None


class Tokenizer(Encoding):
    """A trained tokenizer, made by `superword.train` or `superword.load`. It is immutable.

    Example:
        >>> from superword import reference
        >>> rules, _ = reference.train(["to be or to be", "to be"], 262)
        >>> tok = Tokenizer._from_rules(rules, TrainingConfig(vocab_size=262))
        >>> tok
        <Tokenizer with 259 tokens from 5 rules, pattern 'gpt4o'>
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
        """Return the tokenizer of a model; warn if it was trained with other Unicode tables."""
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
        config: TrainingConfig,
        special_tokens: Sequence[str] = (),
        training: Training | None = None,
    ) -> Tokenizer:
        """Return the tokenizer with these rules, for tests and for the reference's rules."""
        summary = training or Training()
        return cls._of(_core.Model.from_rules(config, rules, special_tokens, summary))

    @property
    def vocab_size(self) -> int:
        """The number of tokens in the vocabulary, without special and added tokens.

        `len` counts these too, and `n_vocab` is one more than the largest id.
        """
        return self._model.vocab_size

    def __len__(self) -> int:
        """Return the number of tokens, special and added tokens included."""
        return len(list_tokens(self._model)) + len(self._special_ids)

    @property
    def special_tokens(self) -> dict[str, int]:
        """The special tokens with their ids."""
        return dict(self._model.special_tokens)

    @property
    def added_tokens(self) -> dict[str, int]:
        """The added tokens that are not special, with their ids: docs/encoding.md.

        Imported tokenizers may have them, such as runs of blanks. Each is encoded wherever a text
        contains it.
        """
        return dict(self._model.added_tokens)

    @cached_property
    def rules(self) -> Rules:
        """The rules in order, a sequence of `Rule`."""
        return Rules(self._model)

    @cached_property
    def parameters(self) -> TrainingConfig:
        """The configuration that the model was trained with."""
        return TrainingConfig.of_model(self._model)

    @property
    def training(self) -> Training:
        """A summary of the training corpus."""
        return Training(**self._model.training)

    @property
    def pattern(self) -> str:
        """The name or the regex of the pattern that splits text when encoding."""
        second, first = self.parameters.second_pattern, self.parameters.pattern
        return first if second is None else second

    @cached_property
    def fingerprint(self) -> str:
        """A digest of everything that decides the ids. Equal digests mean equal ids for any text.

        It covers the pattern, the eligibility, their Unicode tables, tokens and ids, rules without
        their counts, special and added tokens; not the corpus, nor the training configuration.
        """
        return self._model.fingerprint()

    def token_bytes(self, id: int) -> bytes:
        """Return the bytes of a token; for a special or added token, the bytes of its text.

        Raises:
            UnknownTokenError: If no token has the id.
        """
        token = self._model.token_bytes(id) if 0 <= id < 2**32 else None
        if token is None:
            raise UnknownTokenError(f"no token has the id {id}")
        return token

    def token_id(self, token: bytes) -> int:
        """Return the id of a token. For special tokens, see `special_tokens`.

        Raises:
            UnknownTokenError: If the token is not in the vocabulary.
        """
        id = self._model.token_id(token)
        if id is None:
            raise UnknownTokenError(f"the token {token!r} is not in the vocabulary")
        return id

    def is_superword(self, id: int) -> bool:
        """Return whether a token is made by a supermerge.

        Raises:
            UnknownTokenError: If no token has the id.
        """
        is_superword = self._model.is_superword(id) if 0 <= id < 2**32 else None
        if is_superword is None:
            raise UnknownTokenError(f"no token has the id {id}")
        return is_superword

    @cached_property
    def _describer(self) -> TokenDescriber:
        return TokenDescriber(self._model)

    def show(
        self,
        text: str | Iterable[int],
        *,
        allowed_special: Special = frozenset(),
        limit: int | None = MAX_SHOWN_TOKENS,
    ) -> ShownText:
        """Show a text as tokens: docs/notebooks.md.

        A notebook shows them in colors, a token's id, bytes, rule and count where the mouse is, and
        superwords underlined, with their number of words. A terminal shows colors too. Elsewhere,
        superwords are in brackets.

        Args:
            text: The text, or ids.
            allowed_special: The special tokens to encode as such, as for `encode`; others in the
                text are ordinary text.
            limit: Number of tokens to show; None for all.

        Raises:
            UnknownTokenError: If no token has one of the ids.

        Example:
            >>> import superword
            >>> tok = superword.train(["one of the end of the", "all of the"], 259)
            >>> tok.show("end of the")
            e | n | d | [␣of␣the]
            4 tokens, 10 bytes, 2.50 bytes per token; 1 superword
        """
        from superword.tokenizer.shown_text import ShownText

        if isinstance(text, str):
            text = self.encode(text, allowed_special=allowed_special, disallowed_special=())
        return ShownText([self._describer.describe(int(id)) for id in text], limit)

    def truncate(self, vocab_size: int) -> Tokenizer:
        """Return the tokenizer that training at a smaller size gives.

        Raises:
            ValueError: If the size is below 256 or `transition`, or above the trained size.
        """
        if not 0 <= vocab_size < 2**32:
            raise ValueError(f"vocab_size must be at least 256 and below 2**32, not {vocab_size}")
        truncated = object.__new__(Tokenizer)
        truncated._model = self._model.truncate(vocab_size)
        return truncated

    def with_special_tokens(
        self, tokens: Iterable[str], pad_to_multiple_of: int | None = None
    ) -> Tokenizer:
        """Return the tokenizer with more special tokens. Their ids follow the existing ones.

        Args:
            tokens: The texts of the special tokens.
            pad_to_multiple_of: Pad the number of ids to a multiple of this, as some hardware
                prefers, with special tokens named `<|reserved_0|>`, `<|reserved_1|>` and so on.

        Raises:
            ValueError: If a text is empty, or already a special token.

        Example:
            >>> import superword
            >>> tok = superword.train(["nothing"], 256)
            >>> tok.with_special_tokens(["<|end|>"], pad_to_multiple_of=4).special_tokens
            {'<|end|>': 256, '<|reserved_0|>': 257, '<|reserved_1|>': 258, '<|reserved_2|>': 259}
        """
        if isinstance(tokens, str):
            raise TypeError(f"special tokens must be a list: [{tokens!r}]")
        if pad_to_multiple_of is not None and not 0 <= pad_to_multiple_of < 2**32:
            raise ValueError(
                f"pad_to_multiple_of must be from 1 to 65536, not {pad_to_multiple_of}"
            )
        extended = object.__new__(Tokenizer)
        extended._model = self._model.with_special_tokens(list(tokens), pad_to_multiple_of)
        return extended

    def as_tiktoken(self, name: str = "superword") -> TiktokenAdapter:
        """Return an adapter with the methods of `tiktoken.Encoding`."""
        return TiktokenAdapter(self, name)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file, atomically: docs/model-format.md.

        Raises:
            OSError: If the file cannot be written. An existing file is then unchanged.
            ValueError: If it is a URL.
        """
        path = local_path(path)
        if is_device(path):
            # A file must not replace it.
            with name_errors(path), path.open("wb") as file:
                file.write(self._model.to_json())
            return
        with write_atomically() as files:
            files.open(path).write(self._model.to_json())

    def __eq__(self, other: object) -> bool:
        """Return whether both would be saved as the same file."""
        if not isinstance(other, Tokenizer):
            return NotImplemented
        return self._model is other._model or self._model.to_json() == other._model.to_json()

    def __hash__(self) -> int:
        """Hash the fingerprint, which is the same for equal tokenizers."""
        return hash(self.fingerprint)

    def __copy__(self) -> Tokenizer:
        """Return itself: tokenizers are immutable."""
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Tokenizer:
        """Return itself: tokenizers are immutable."""
        return self

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle by value, as the contents of the model file."""
        return Tokenizer._from_json, (self._model.to_json(),)

    def _repr_html_(self) -> str:
        """Return a summary as HTML for notebooks."""
        # It summarizes tokenizers, so it imports this module.
        from superword.tokenizer.summary import build_summary

        return build_summary(self)

    def __repr__(self) -> str:
        """Return a summary."""
        size, rules = self.vocab_size, len(self.rules)
        return f"<Tokenizer with {size} tokens from {rules} rules, pattern {self.pattern!r}>"


def open_model(path: str | PathLike[str]) -> BufferedReader:
    """Open a model file.

    Raises:
        OSError: If it cannot be read. If a name alone was given, it lists those in the package.
    """
    try:
        return open(path, "rb")
    except FileNotFoundError as error:
        if os.path.dirname(path) or os.path.splitext(path)[1]:
            raise
        names = " and ".join(BUNDLED_MODELS)
        sentence = f"{error.strerror}; the models in the package are {names}"
        raise FileNotFoundError(error.errno, sentence, fspath(path)) from None


def load(path: str | PathLike[str], *, deletion: Deletion = None) -> Tokenizer:
    """Load a tokenizer: from its file, from a file of the paper's authors, or from the package.

    `superword-131k` and `bpe-131k` are in the package, and `superword-131k@32768` is the first at
    another size: docs/models.md. A file of such a name comes first.

    The authors' formats are `word v1` and `BoundlessBPE v2`, recognized by the first line; their
    ids are kept: docs/model-format.md. A warning says if the model was trained with other Unicode
    tables than this version has.

    Args:
        path: The name of a model in the package, or a file that `Tokenizer.save` or the authors'
            code wrote.
        deletion: How a `word v1` model splits deleted tokens, `bytes` (the default) or `pair`,
            since its file does not say. Other files do.

    Raises:
        ModelFormatError: If the file does not hold a valid model. For files of other libraries, the
            message says what opens them.
        PatternError: If its pattern is a malformed regex.
        OSError: If the file cannot be read.
        ValueError: If `deletion` is given for a file of another format, or a model in the package
            does not have the size.

    Example:
        >>> load("superword-131k").tokens("One of the first")
        ['One', ' of the first']
        >>> load("superword-131k@32768")
        <Tokenizer with 32768 tokens from 33578 rules, pattern 'gpt4o'>
    """
    if (bundled := find_bundled(path)) is not None:
        if deletion is not None:
            raise ValueError(FORMAT_SAYS_DELETION)
        tokenizer = Tokenizer._from_json(bundled.read())
        size = bundled.vocab_size
        return tokenizer if size is None else tokenizer.truncate(size)
    if os.path.isdir(path):
        raise ModelFormatError(f"{fspath(path)}: not a model: {describe_folder(Path(path))}")
    with open_model(path) as file:
        start = file.read(HEAD_BYTES)
        is_authors = start.startswith((b"word v", b"BoundlessBPE"))
        if not is_authors and not start.startswith(
            b"{"
        ):  # Do not read the rest, which may be long.
            unknown = "it starts neither with { nor like a file of the authors"
            found = describe_file(start) or unknown
            raise ModelFormatError(f"{fspath(path)}: not a model: {found}")
        if deletion is not None and not start.startswith(b"word v1"):
            raise ValueError(FORMAT_SAYS_DELETION)
        # The core reads a long file into memory that the system hands out faster.
        is_read_by_core = not is_authors and len(start) == HEAD_BYTES and file.seekable()
        text = b"" if is_read_by_core else start + file.read()
    try:
        if is_authors:
            model = _core.Model.from_authors(text, deletion or "bytes")
        elif is_read_by_core:
            model = _core.Model.read(path)
        else:
            model = _core.Model.from_json(text)
    except ModelFormatError as error:
        other = None if is_authors else describe_file(start)
        problem = f"not a model: {other}" if other else error
        raise ModelFormatError(f"{fspath(path)}: {problem}") from None
    return Tokenizer._of(model)

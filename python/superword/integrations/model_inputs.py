"""The inputs of a model: examples of one or two sequences, their ids and their offsets."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

from superword.integrations.added_tokens import AddedTokens, Piece
from superword.tokenizer import Tokenizer

__all__ = ["Part", "Row", "Rows", "SequenceIds", "encode_sequences", "list_examples"]

# A text, a list of words, or a list of ids.
Given = str | list[str] | list[int]
Span = tuple[int, int]


class Part(NamedTuple):
    """The text between two added tokens, or an added token, with its ids.

    Attributes:
        text: The text, or the word, that it is a part of.
        word: The number of that word; 0 for a text that was not split into words.
        piece: Its position in the text.
        ids: Its ids.
    """

    text: str
    word: int
    piece: Piece
    ids: list[int]


class SequenceIds:
    """The ids of one sequence, and the text that they come from.

    Attributes:
        ids: The ids.
    """

    __slots__ = ("_parts", "_tok", "ids")

    def __init__(self, tok: Tokenizer, parts: list[Part] | None, ids: list[int]) -> None:
        self._tok = tok
        self._parts = parts
        self.ids = ids

    def offsets(self) -> list[Span]:
        """Return the start and end character of each token, in its text or its word."""
        spans: list[Span] = []
        for text, _, (start, end, id), ids in self._known_parts():
            if id is not None:
                spans.append((start, end))
                continue
            whole = len(text) == end - start
            _, found = self._tok._encoder.offsets(text if whole else text[start:end], ids)
            spans += [(start + a, start + b) for a, b in found] if start else found
        return spans

    def words(self) -> list[int]:
        """Return the number of the word of each token."""
        return [part.word for part in self._known_parts() for _ in part.ids]

    def _known_parts(self) -> list[Part]:
        if self._parts is None:
            raise ValueError("there are no offsets: ids were given instead of a text")
        return self._parts


def list_examples(
    text: Any, pair: Any, *, in_words: bool
) -> tuple[list[tuple[Given, Given | None]], bool]:
    """Return the examples of a call, and whether it was a batch.

    Raises:
        ValueError: If they are not texts, words or ids, or `pair` has another length.

    Example:
        >>> list_examples("one", "two", in_words=False)
        ([('one', 'two')], False)
        >>> list_examples(["one", ("to", "be")], None, in_words=False)
        ([('one', None), ('to', 'be')], True)
    """
    is_list = isinstance(text, (list, tuple))
    first = text[0] if is_list and text else None
    is_batched = is_list and (isinstance(first, (list, tuple)) or not (in_words or is_id(first)))
    if not is_batched:
        examples = [(text, pair)]
    elif pair is not None:
        if not isinstance(pair, (list, tuple)) or len(pair) != len(text):
            raise ValueError("text is a batch; text_pair must be a batch of the same length")
        examples = list(zip(text, pair, strict=True))
    else:
        examples = [split_pair(example, in_words) for example in text]
    for given in chain.from_iterable(examples):
        if given is not None and not is_sequence(given, in_words):
            raise ValueError(
                "a text must be a string, a list of words with is_split_into_words=True, or a list "
                f"of ids, not {type(given).__name__}; pass several texts as a list or a tuple"
            )
    return examples, is_batched


def split_pair(example: Any, in_words: bool) -> tuple[Any, Any]:
    """Return the two sequences of an example, or the one and None."""
    if isinstance(example, (list, tuple)) and len(example) == 2 and not is_id(example[0]):
        if not in_words or isinstance(example, tuple):
            return example[0], example[1]
    return example, None


def is_id(item: object) -> bool:
    """Return whether an item is an id."""
    return isinstance(item, int)


def is_sequence(given: object, in_words: bool) -> bool:
    """Return whether an object is a text, words or ids."""
    if isinstance(given, str):
        return not in_words
    if not isinstance(given, (list, tuple)):
        return False
    return all(map(is_id, given)) or (in_words and all(isinstance(word, str) for word in given))


def encode_sequences(
    tok: Tokenizer, added: AddedTokens | None, sequences: Sequence[Given]
) -> list[SequenceIds]:
    """Encode sequences in one batch; added tokens get their ids."""
    ordinary: list[str] = []
    # A text without added tokens is kept as a string: fewer objects for the garbage collector.
    drafts: list[list[tuple[str, int, Piece]] | str | None] = []
    for given in sequences:
        if isinstance(given, str) and given and (added is None or added.are_absent(given)):
            ordinary.append(given)
            drafts.append(given)
            continue
        words = [given] if isinstance(given, str) else given
        if not isinstance(given, str) and all(map(is_id, given)) and given:
            drafts.append(None)
            continue
        draft = []
        for number, word in enumerate(words):
            assert isinstance(word, str)
            for piece in added.split(word) if added else whole_piece(word):
                draft.append((word, number, piece))
                if piece.id is None:
                    whole = piece.end - piece.start == len(word)
                    ordinary.append(word if whole else word[piece.start : piece.end])
        drafts.append(draft)
    encoded = iter(
        [tok.encode_ordinary(ordinary[0])]
        if len(ordinary) == 1
        else tok.encode_ordinary_batch(ordinary)
    )
    return [
        SequenceIds(tok, None, list(given))  # type: ignore[arg-type]
        if draft is None
        else join_parts(tok, draft, encoded)
        for given, draft in zip(sequences, drafts, strict=True)
    ]


def whole_piece(text: str) -> list[Piece]:
    """Return a text as one piece."""
    return [Piece(0, len(text), None)] if text else []


def join_parts(
    tok: Tokenizer, draft: list[tuple[str, int, Piece]] | str, encoded: Iterator[list[int]]
) -> SequenceIds:
    """Join the ids of the parts of a sequence."""
    if isinstance(draft, str):
        part = Part(draft, 0, Piece(0, len(draft), None), next(encoded))
        return SequenceIds(tok, [part], part.ids)
    parts = [
        Part(text, word, piece, next(encoded) if piece.id is None else [piece.id])
        for text, word, piece in draft
    ]
    if len(parts) == 1:
        return SequenceIds(tok, parts, parts[0].ids)
    return SequenceIds(tok, parts, list(chain.from_iterable(part.ids for part in parts)))


class Row:
    """One row of a batch, with the attributes of `tokenizers.Encoding`.

    Attributes:
        ids: Its ids, including special tokens and padding.
        sequence_ids: 0 or 1 for tokens of the first or second sequence, None for others.
        special_tokens_mask: 1 for special tokens and padding, 0 for others.
        n_sequences: The number of sequences in the example.
    """

    def __init__(
        self,
        ids: list[int],
        mask: list[int],
        sequences: list[tuple[SequenceIds, range]],
        names: Callable[[list[int]], list[str]],
    ) -> None:
        self.ids = ids
        self.special_tokens_mask = mask
        self.n_sequences = len(sequences)
        self._names = names
        self._sequences = sequences
        own = iter([n for n, (_, window) in enumerate(sequences) for _ in window])
        self.sequence_ids = [None if is_special else next(own) for is_special in mask]

    @property
    def tokens(self) -> list[str]:
        """The tokens as strings."""
        return self._names(self.ids)

    @property
    def offsets(self) -> list[Span]:
        """The start and end character of each token; (0, 0) for special tokens and padding."""
        own = self._own(SequenceIds.offsets)
        return [(0, 0) if is_special else next(own) for is_special in self.special_tokens_mask]

    @property
    def word_ids(self) -> list[int | None]:
        """The number of the word of each token, if the example was given in words."""
        own = self._own(SequenceIds.words)
        return [None if is_special else next(own) for is_special in self.special_tokens_mask]

    def _own(self, facts: Callable[[SequenceIds], list[Any]]) -> Iterator[Any]:
        for sequence, window in self._sequences:
            yield from facts(sequence)[window.start : window.stop]

    def token_to_sequence(self, token: int) -> int | None:
        """Return the sequence that a token belongs to."""
        return self.sequence_ids[token]

    def token_to_chars(self, token: int) -> Span | None:
        """Return the start and end character of a token."""
        return None if self.sequence_ids[token] is None else self.offsets[token]

    def char_to_token(self, character: int, sequence: int = 0) -> int | None:
        """Return the token that a character is in; the first, if it is divided among several."""
        own = [n for n, which in enumerate(self.sequence_ids) if which == sequence]
        offsets = self.offsets
        at = bisect_right(own, character, key=lambda token: offsets[token][0]) - 1
        while at > 0 and offsets[own[at - 1]][1] > character:
            at -= 1
        if at < 0 or offsets[own[at]][1] <= character:
            return None
        return own[at]


class Rows(Sequence[Row]):
    """The rows of a batch. Each is made on access. They are pickled as None."""

    def __init__(self, size: int, make: Callable[[int], Row]) -> None:
        self._indexes = range(size)
        self._make = make

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._indexes)

    def __getitem__(self, index: Any) -> Any:
        """Return one row, or a list of rows."""
        chosen = self._indexes[index]
        return list(map(self._make, chosen)) if isinstance(chosen, range) else self._make(chosen)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as None: rows hold the tokenizer."""
        return type(None), ()

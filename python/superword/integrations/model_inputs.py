"""The inputs of a model: examples of one or two sequences, their ids and their offsets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import chain, groupby
from typing import Any, NamedTuple

import numpy as np

from superword.integrations.added_tokens import AddedTokens, Piece
from superword.patterns import compile_pattern
from superword.tokenizer import Tokenizer

__all__ = ["Part", "Row", "Rows", "SequenceIds", "encode_sequences", "list_examples"]

# A text, a list of words, or a list of ids.
Given = str | list[str] | list[int]
Span = tuple[int, int]


class Part(NamedTuple):
    """The text between two added tokens, or an added token, with its ids.

    Attributes:
        text: The text, or the word, that it is a part of.
        word: The number of that word; None for a text that was not given in words.
        piece: Its position in the text.
        ids: Its ids.
    """

    text: str
    word: int | None
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
            _, found = self._tok._encoder.offsets(text[start:end], ids)
            spans += [(start + a, start + b) for a, b in found] if start else found
        return spans

    def words(self) -> list[int]:
        """Return the number of the word of each token.

        Words are those that were given. In a text they are the pretokens and the added tokens, and
        a token belongs to the one that it begins in.
        """
        numbers: list[int] = []
        first = 0
        for text, word, (start, end, id), ids in self._known_parts():
            if word is not None:
                numbers += [word] * len(ids)
            elif id is not None:
                numbers.append(first)
                first += 1
            else:
                found, count = self._pretokens_of(text[start:end], ids)
                numbers += [first + number for number in found]
                first += count
        return numbers

    def _pretokens_of(self, text: str, ids: list[int]) -> tuple[list[int], int]:
        """Return the pretoken that each token begins in, and the number of pretokens."""
        # The second pattern of SuperBPE, which splits when encoding, hardly divides a sentence.
        pattern = compile_pattern(self._tok.parameters.pattern)
        added = set(self._tok.added_tokens.values())
        spans, _ = self._tok._encoder.offsets(text, ids)
        data = text.encode()
        numbers: list[int] = []
        first = 0
        # The model splits texts at its added tokens, too.
        for is_added, group in groupby(zip(ids, spans, strict=True), lambda one: one[0] in added):
            stretch = [span for _, span in group]
            if is_added:
                numbers += range(first, first + len(stretch))
                first += len(stretch)
                continue
            start, end = stretch[0][0], stretch[-1][1]
            ends, _ = pattern.ends([data[start:end].decode()])
            starts = np.array([begin - start for begin, _ in stretch], np.uint64)
            numbers += (first + np.searchsorted(ends, starts, side="right")).tolist()
            first += len(ends)
        return numbers, first

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
    drafts: list[list[tuple[str, int | None, Piece]] | str | None] = []
    for given in sequences:
        if isinstance(given, str) and given and (added is None or added.are_absent(given)):
            ordinary.append(given)
            drafts.append(given)
            continue
        words = [given] if isinstance(given, str) else given
        if not isinstance(given, str) and all(map(is_id, given)) and given:
            drafts.append(None)
            continue
        draft: list[tuple[str, int | None, Piece]] = []
        for number, word in enumerate(words):
            assert isinstance(word, str)
            for piece in added.split(word) if added else whole_piece(word):
                draft.append((word, None if isinstance(given, str) else number, piece))
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
    tok: Tokenizer, draft: list[tuple[str, int | None, Piece]] | str, encoded: Iterator[list[int]]
) -> SequenceIds:
    """Join the ids of the parts of a sequence."""
    if isinstance(draft, str):
        part = Part(draft, None, Piece(0, len(draft), None), next(encoded))
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

    @cached_property
    def offsets(self) -> list[Span]:
        """The start and end character of each token; (0, 0) for special tokens and padding."""
        own = self._own(SequenceIds.offsets)
        return [(0, 0) if is_special else next(own) for is_special in self.special_tokens_mask]

    @cached_property
    def word_ids(self) -> list[int | None]:
        """The number of the word of each token; None for special tokens and padding."""
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

    def token_to_word(self, token: int) -> int | None:
        """Return the word that a token begins in."""
        return self.word_ids[token]

    def char_to_token(self, character: int, sequence: int = 0) -> int | None:
        """Return the token that a character is in; the first, if it is divided among several."""
        for token, (start, end) in enumerate(self.offsets):
            if start <= character < end and self.sequence_ids[token] == sequence:
                return token
        return None

    def char_to_word(self, character: int, sequence: int = 0) -> int | None:
        """Return the word of the token that a character is in."""
        token = self.char_to_token(character, sequence)
        return None if token is None else self.word_ids[token]

    def word_to_tokens(self, word: int, sequence: int = 0) -> Span | None:
        """Return the first token of a word, and the one after its last; None if it has none."""
        pairs = enumerate(zip(self.word_ids, self.sequence_ids, strict=True))
        own = [token for token, pair in pairs if pair == (word, sequence)]
        return (own[0], own[-1] + 1) if own else None

    def word_to_chars(self, word: int, sequence: int = 0) -> Span:
        """Return the start and end character of a word's tokens.

        Raises:
            ValueError: If it has no tokens.
        """
        tokens = self.word_to_tokens(word, sequence)
        if tokens is None:
            raise ValueError(f"no token begins in word {word}; a superword may contain it")
        return self.offsets[tokens[0]][0], self.offsets[tokens[1] - 1][1]


class Rows(Sequence[Row]):
    """The rows of a batch. Each is made on access; the last is kept. They are pickled as None."""

    def __init__(self, size: int, make: Callable[[int], Row]) -> None:
        self._indexes = range(size)
        self._make = lru_cache(maxsize=1)(make)

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

"""What a model is given: examples of one or two sequences, their ids, and where these come from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

from superword.integrations.added_tokens import AddedTokens, Piece
from superword.tokenizer.tokenizer import Tokenizer

__all__ = ["Part", "Row", "Rows", "SequenceIds", "encode_sequences", "examples_of"]

# A text, the words of one, or ids.
Given = str | list[str] | list[int]
Span = tuple[int, int]


class Part(NamedTuple):
    """A stretch of a text between added tokens, or such a token, with its ids.

    Attributes:
        text: The text, or the word, that it is a part of.
        word: Which word that is; 0 for a text that was not given in words.
        piece: Where in the text it is.
        ids: Its ids.
    """

    text: str
    word: int
    piece: Piece
    ids: list[int]


class SequenceIds:
    """The ids of one sequence, and what they were made from.

    Attributes:
        ids: The ids.
    """

    __slots__ = ("_parts", "_tok", "ids")

    def __init__(self, tok: Tokenizer, parts: list[Part] | None, ids: list[int]) -> None:
        self._tok = tok
        self._parts = parts
        self.ids = ids

    def offsets(self) -> list[Span]:
        """From which character to which each token is, in its text or in its word."""
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
        """Which word each token is of."""
        return [part.word for part in self._known_parts() for _ in part.ids]

    def _known_parts(self) -> list[Part]:
        if self._parts is None:
            raise ValueError("ids were given instead of a text, so nobody knows where they were")
        return self._parts


def examples_of(
    text: Any, pair: Any, *, in_words: bool
) -> tuple[list[tuple[Given, Given | None]], bool]:
    """List the examples of a call, and say whether it was a batch of them.

    Raises:
        ValueError: If they are no texts, words or ids, or there are not as many pairs.

    Example:
        >>> examples_of("one", "two", in_words=False)
        ([('one', 'two')], False)
        >>> examples_of(["one", ("to", "be")], None, in_words=False)
        ([('one', None), ('to', 'be')], True)
    """
    is_list = isinstance(text, (list, tuple))
    first = text[0] if is_list and text else None
    is_batched = is_list and (isinstance(first, (list, tuple)) or not (in_words or is_id(first)))
    if not is_batched:
        examples = [(text, pair)]
    elif pair is not None:
        if not isinstance(pair, (list, tuple)) or len(pair) != len(text):
            raise ValueError("text is a batch; text_pair must be one too, and as long")
        examples = list(zip(text, pair, strict=True))
    else:
        examples = [split_pair(example, in_words) for example in text]
    for given in chain.from_iterable(examples):
        if given is not None and not is_sequence(given, in_words):
            raise ValueError(
                "a text is a string, a list of words with is_split_into_words=True, or a list of "
                f"ids; not {type(given).__name__}. Several texts are a list or a tuple of them"
            )
    return examples, is_batched


def split_pair(example: Any, in_words: bool) -> tuple[Any, Any]:
    """The two sequences of an example that holds both, or the one that it is."""
    if isinstance(example, (list, tuple)) and len(example) == 2 and not is_id(example[0]):
        if not in_words or isinstance(example, tuple):
            return example[0], example[1]
    return example, None


def is_id(item: object) -> bool:
    """Say whether something is an id."""
    return isinstance(item, int)


def is_sequence(given: object, in_words: bool) -> bool:
    """Say whether something is a text, words or ids."""
    if isinstance(given, str):
        return not in_words
    if not isinstance(given, (list, tuple)):
        return False
    return all(map(is_id, given)) or (in_words and all(isinstance(word, str) for word in given))


def encode_sequences(
    tok: Tokenizer, added: AddedTokens | None, sequences: Sequence[Given]
) -> list[SequenceIds]:
    """Encode sequences, all of them at once; added tokens get their ids, if there are any."""
    ordinary: list[str] = []
    # Few objects are made for a text that is one piece: Python's collector looks at all of them.
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
            for piece in added.divide(word) if added else undivided(word):
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
        else joined(tok, draft, encoded)
        for given, draft in zip(sequences, drafts, strict=True)
    ]


def undivided(text: str) -> list[Piece]:
    """A text as one piece."""
    return [Piece(0, len(text), None)] if text else []


def joined(
    tok: Tokenizer, draft: list[tuple[str, int, Piece]] | str, encoded: Iterator[list[int]]
) -> SequenceIds:
    """Put the ids of a sequence together."""
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
    """One row of a batch, with the attributes of Hugging Face's `tokenizers.Encoding`.

    Attributes:
        ids: Its ids, with those of special tokens and padding.
        sequence_ids: 0 or 1 for tokens of the first or second sequence, None for others.
        special_tokens_mask: 1 for tokens that were put in, 0 for others.
        n_sequences: How many sequences the example has.
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
        """From which character to which each token is; (0, 0) for those that were put in."""
        own = self._own(SequenceIds.offsets)
        return [(0, 0) if is_special else next(own) for is_special in self.special_tokens_mask]

    @property
    def word_ids(self) -> list[int | None]:
        """Which word each token is of, if the example was given in words."""
        own = self._own(SequenceIds.words)
        return [None if is_special else next(own) for is_special in self.special_tokens_mask]

    def _own(self, facts: Callable[[SequenceIds], list[Any]]) -> Iterator[Any]:
        for sequence, window in self._sequences:
            yield from facts(sequence)[window.start : window.stop]

    def token_to_sequence(self, token: int) -> int | None:
        """Which sequence a token is of."""
        return self.sequence_ids[token]

    def token_to_chars(self, token: int) -> Span | None:
        """From which character to which a token is."""
        return None if self.sequence_ids[token] is None else self.offsets[token]

    def char_to_token(self, character: int, sequence: int = 0) -> int | None:
        """Which token a character is in; the first, if it is divided among several."""
        own = [n for n, which in enumerate(self.sequence_ids) if which == sequence]
        offsets = self.offsets
        place = bisect_right(own, character, key=lambda token: offsets[token][0]) - 1
        while place > 0 and offsets[own[place - 1]][1] > character:
            place -= 1
        if place < 0 or offsets[own[place]][1] <= character:
            return None
        return own[place]


class Rows(Sequence[Row]):
    """The rows of a batch; each is made when it is asked for. It is pickled as None."""

    def __init__(self, size: int, make: Callable[[int], Row]) -> None:
        self._places = range(size)
        self._make = make

    def __len__(self) -> int:
        """How many there are."""
        return len(self._places)

    def __getitem__(self, index: Any) -> Any:
        """One of them."""
        chosen = self._places[index]
        return list(map(self._make, chosen)) if isinstance(chosen, range) else self._make(chosen)

    def __reduce__(self) -> tuple[object, ...]:
        """They would take the tokenizer along."""
        return type(None), ()

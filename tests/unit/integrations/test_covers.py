"""The covers of held-back bytes: their probabilities are those of brute force."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from superword.integrations.covers import search_covers
from superword.integrations.held_back_logits import HeldBackMask
from superword.integrations.token_prefixes import TokenPrefixes

# Two ids have the same bytes, one id is unused (6), and one is special: it ends the text (7).
TOKENS = {0: b"a", 1: b"b", 2: b"ab", 3: b"aba", 4: b"ba", 5: b"bb", 8: b"ab"}
END = 7
SIZE = 9

Ids = tuple[int, ...]
Distribution = dict[Ids, float]


class ToyModel:
    """A model with random, fixed probabilities of the next id after every sequence of ids."""

    def __init__(self, seed: int, concentration: float) -> None:
        self.seed, self.concentration = seed, concentration
        self.calls: list[int] = []
        self.rows: dict[Ids, np.ndarray[tuple[int], np.dtype[np.float64]]] = {}

    def __call__(self, batch: list[list[int]]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        self.calls.append(len(batch))
        return np.log([self.next(tuple(ids)) for ids in batch])

    def next(self, ids: Ids) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """The probabilities of the next id. An unused id gets some, as in a real model."""
        if ids not in self.rows:
            generator = np.random.default_rng([self.seed, *ids])
            row = generator.dirichlet(np.full(SIZE, self.concentration)) + 1e-9
            self.rows[ids] = row / row.sum()
        return self.rows[ids]

    def go_on(self, begun: Distribution, length: int) -> Distribution:
        """The probability of every sequence of this many ids, shorter if the text ends."""
        while any(len(ids) < length and END not in ids for ids in begun):
            longer = {}
            for ids, chance in begun.items():
                if len(ids) == length or END in ids:
                    longer[ids] = chance
                else:
                    row = self.next(ids)
                    longer |= {(*ids, id): chance * row[id] for id in range(SIZE)}
            begun = longer
        return begun


def written(ids: Ids) -> bytes:
    """The text of ids; one that is not in the vocabulary writes a byte that no prompt has."""
    return b"".join(TOKENS.get(id, b"\0") for id in ids)


def exact_distribution(model: ToyModel, held_back: bytes) -> Distribution:
    """The sequences of four ids that begin with the bytes, by brute force."""
    all_ids = model.go_on({(): 1.0}, 4)
    agreeing = {ids: p for ids, p in all_ids.items() if written(ids).startswith(held_back)}
    total = sum(agreeing.values())
    return {ids: p / total for ids, p in agreeing.items()}


def masked_distribution(model: ToyModel, held_back: bytes) -> Distribution:
    """What sampling with the mask on each step gives."""
    mask = HeldBackMask(TokenPrefixes(TOKENS.items()), [held_back])
    found: Distribution = {(): 1.0}
    for _ in range(4):
        longer: Distribution = {}
        for ids, chance in found.items():
            if END in ids:
                longer[ids] = chance
                continue
            row = model.next(ids)
            (allowed,) = mask.find_allowed([ids])
            if allowed is not None:
                kept = np.zeros(SIZE)
                kept[allowed] = row[allowed]
                row = kept / kept.sum()
            longer |= {(*ids, id): chance * row[id] for id in range(SIZE) if row[id]}
        found = longer
    return found


def distance(first: Distribution, second: Distribution) -> float:
    """The total variation distance of two distributions."""
    return sum(abs(first.get(ids, 0) - second.get(ids, 0)) for ids in {*first, *second}) / 2


# Four ids write at least these bytes.
held = st.sampled_from([b"a", b"b", b"ab", b"aa", b"bab", b"aba", b"abab", b"bbba"])
models = st.builds(ToyModel, st.integers(0, 10**6), st.sampled_from([0.1, 0.5, 3.0]))


@settings(max_examples=50)
@given(models, held)
def test_covers_give_the_distribution_of_brute_force(model: ToyModel, held_back: bytes) -> None:
    covers = search_covers(model, TokenPrefixes(TOKENS.items()), held_back, max_error=0)
    chosen = {tuple(cover.ids): exp(cover.log_probability) for cover in covers.rank(10**6)}
    expected = exact_distribution(model, held_back)
    assert distance(model.go_on(chosen, 4), expected) < 1e-12
    all_ids = model.go_on({(): 1.0}, 4)
    chance = sum(p for ids, p in all_ids.items() if written(ids).startswith(held_back))
    assert covers.log_probability == pytest.approx(log(chance))
    assert covers.error == 0


@settings(max_examples=50)
@given(models, st.sampled_from([b"abab", b"bbba", b"aba"]), st.sampled_from([0.5, 0.1, 0.01]))
def test_a_search_that_stops_early_knows_how_far_off_it_may_be(
    model: ToyModel, held_back: bytes, max_error: float
) -> None:
    tokens = TokenPrefixes(TOKENS.items())
    exact = search_covers(model, tokens, held_back, max_error=0)
    covers = search_covers(model, tokens, held_back, max_error=max_error, batch_size=1)
    assert covers.error <= max_error
    assert covers.evaluations <= exact.evaluations
    off = distance(
        {tuple(cover.ids): exp(cover.log_probability) for cover in covers.rank(10**6)},
        {tuple(cover.ids): exp(cover.log_probability) for cover in exact.rank(10**6)},
    )
    assert off <= covers.error + 1e-12


def test_the_mask_is_exact_for_one_byte_and_not_for_several() -> None:
    """docs/transformers.md states these figures."""
    found = {}
    for held_back in (b"a", b"ab", b"abab"):
        found[held_back] = [
            distance(masked_distribution(model, held_back), exact_distribution(model, held_back))
            for model in (ToyModel(seed, 0.5) for seed in range(30))
        ]
    assert max(found[b"a"]) < 1e-12
    assert {text: round(float(np.mean(off)), 2) for text, off in found.items()} == {
        b"a": 0.0,
        b"ab": 0.13,
        b"abab": 0.27,
    }


def test_covers_are_drawn_with_their_probabilities() -> None:
    model = ToyModel(3, 3.0)
    covers = search_covers(model, TokenPrefixes(TOKENS.items()), b"aba", max_error=0)
    drawn = covers.sample(40_000, seed=1)
    counts: Distribution = {}
    for cover in drawn:
        counts[tuple(cover.ids)] = counts.get(tuple(cover.ids), 0) + 1 / len(drawn)
    chances = {tuple(cover.ids): exp(cover.log_probability) for cover in covers.rank(10**6)}
    assert len(chances) == len(covers) == 14
    assert sum(chances.values()) == pytest.approx(1)
    assert distance(counts, chances) < 0.02
    assert covers.sample(5, seed=1) == covers.sample(5, seed=1)


def test_covers_are_ranked_by_probability() -> None:
    covers = search_covers(ToyModel(3, 3.0), TokenPrefixes(TOKENS.items()), b"aba", max_error=0)
    ranked = covers.rank(100)
    assert ranked == sorted(ranked, key=lambda cover: -cover.log_probability)
    assert covers.rank(2) == ranked[:2]


def test_the_model_is_run_in_batches_and_not_too_often() -> None:
    model = ToyModel(3, 3.0)
    tokens = TokenPrefixes(TOKENS.items())
    covers = search_covers(model, tokens, b"abab", max_error=0, batch_size=4)
    assert sum(model.calls) == covers.evaluations
    assert max(model.calls) == 4
    with pytest.raises(ValueError, match=r"after 3 evaluations of the model, the error may still"):
        search_covers(model, tokens, b"abab", max_error=0, max_evaluations=3)


def test_without_held_back_bytes_the_cover_is_empty() -> None:
    covers = search_covers(ToyModel(3, 3.0), TokenPrefixes(TOKENS.items()), b"")
    assert covers.sample(2) == covers.rank(5) * 2 == [([], 0.0)] * 2


def test_special_and_unused_ids_are_never_allowed_and_duplicates_are() -> None:
    tokens = TokenPrefixes([*TOKENS.items(), (9, b"")])
    assert sorted(tokens.find_allowed(b"ab").tolist()) == [0, 2, 3, 8]
    assert sorted(tokens.find_allowed(b"a").tolist()) == [0, 2, 3, 8]
    assert sorted(tokens.find_allowed(b"abb").tolist()) == [0, 2, 8]
    with pytest.raises(ValueError, match="no token of the vocabulary begins with b'c'"):
        tokens.find_allowed(b"cab")


@given(
    st.lists(st.binary(min_size=1, max_size=3), max_size=30, unique=True),
    st.binary(min_size=1, max_size=4),
)
def test_tokens_are_found_as_by_trying_all(tokens: list[bytes], start: bytes) -> None:
    # All bytes, and the largest ones, which have no successor.
    vocabulary = dict(enumerate([*tokens, *(bytes([byte]) for byte in range(256)), b"\xff\xff"]))
    found = TokenPrefixes(vocabulary.items())
    allowed = {id for id, token in vocabulary.items() if token.startswith(start)}
    assert set(found.find_covering(start).tolist()) == allowed
    within = {id for id, token in vocabulary.items() if start.startswith(token) and token != start}
    assert set(found.find_within(start).tolist()) == within
    assert set(found.find_allowed(start).tolist()) == allowed | within


def test_rows_of_a_prompt_may_be_exchanged_and_each_prompt_has_its_bytes() -> None:
    tokens = TokenPrefixes(TOKENS.items())
    mask = HeldBackMask(tokens, [b"aba", b"", b"b"])
    rows = [[0], [2], [5], [END], [5], []]
    allowed = mask.find_allowed(rows)
    assert [None if ids is None else sorted(ids.tolist()) for ids in allowed] == [
        [1, 4],
        [0, 2, 3, 8],
        None,
        None,
        None,
        [1, 4, 5],
    ]
    exchanged = mask.find_allowed([rows[1], rows[0], *rows[2:]])
    assert [None if ids is None else ids.tolist() for ids in exchanged[:2]] == [
        None if ids is None else ids.tolist() for ids in (allowed[1], allowed[0])
    ]
    # Beams that agree with nothing stay without a continuation.
    assert [ids.tolist() for ids in mask.find_allowed([[1], [], []])[:1] if ids is not None] == [[]]
    with pytest.raises(ValueError, match="there are 4 rows for 3 prompts"):
        mask.find_allowed([[]] * 4)

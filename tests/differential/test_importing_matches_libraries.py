"""An imported tokenizer gives the ids of its library, or is rejected.

Random vocabularies over few letters have merges that never happen or happen out of order, and
tokens that no merge makes. These are the hard cases.
"""

from __future__ import annotations

import base64
import itertools
import json
import re
import tempfile
import unicodedata
from pathlib import Path
from typing import Any

import pytest
import tiktoken
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

import superword
from superword import ModelFormatError, Tokenizer
from superword.interop.byte_spelling import spell
from superword.interop.importing import import_tokenizer
from superword.patterns import NAMED_PATTERNS

BYTES = [bytes([byte]) for byte in range(256)]
# Llama 3's pattern, and others that have scanners.
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
TEXTS = ["".join(letters) for n in range(1, 7) for letters in itertools.product("ab", repeat=n)]

words = st.text("ab", min_size=2, max_size=5).map(str.encode)


def opened(content: bytes, name: str, **how: Any) -> Tokenizer:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        return import_tokenizer(path, **how)


@settings(max_examples=50)
@given(st.lists(words, unique=True, max_size=9))
def test_tiktoken_files(tokens: list[bytes]) -> None:
    ranks = {token: rank for rank, token in enumerate([*BYTES, *tokens])}
    lines = b"".join(base64.b64encode(token) + b" %d\n" % rank for token, rank in ranks.items())
    theirs = tiktoken.Encoding(
        "random", pat_str=LLAMA3, mergeable_ranks=ranks, special_tokens={"<|end|>": 300}
    )
    try:
        ours = opened(lines, "a.tiktoken", pattern=LLAMA3, special_tokens={"<|end|>": 300})
    except ModelFormatError as refused:
        assert re.search("later merges make", str(refused))
        return
    assert ours.special_tokens == {"<|end|>": 300}
    for text in TEXTS:
        assert ours.encode_ordinary(text) == theirs.encode_ordinary(text)


def described(
    vocabulary: dict[str, int], merges: list[list[str]], **changed: Any
) -> dict[str, Any]:
    """Return a `tokenizer.json` as the library writes it."""
    made = tokenizers.Tokenizer(
        tokenizers.models.BPE(vocabulary, [(left, right) for left, right in merges])
    )
    made.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(
        [
            tokenizers.pre_tokenizers.Split(tokenizers.Regex(LLAMA3), "isolated"),
            tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    whole = json.loads(made.to_str())
    whole["model"] |= changed
    return dict(whole)


@settings(max_examples=50)
@given(
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), unique=True, max_size=10),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_tokenizer_json(joined: list[tuple[int, int]], ignore_merges: bool, random: Any) -> None:
    tokens = [b"a", b"b"]
    pairs = []
    for left, right in joined:
        pair = (tokens[left % len(tokens)], tokens[right % len(tokens)])
        if pair not in pairs and len(pair[0] + pair[1]) < 8:
            pairs.append(pair)
            tokens.append(pair[0] + pair[1])
    if random.random() < 0.5:
        random.shuffle(pairs)
    if ignore_merges:
        tokens += random.choices([text.encode() for text in TEXTS], k=random.randint(0, 3))
    vocabulary = {spell(token): id for id, token in enumerate(dict.fromkeys([*BYTES, *tokens]))}
    merges = [[spell(left), spell(right)] for left, right in pairs]
    whole = described(vocabulary, merges, ignore_merges=ignore_merges)
    theirs = tokenizers.Tokenizer.from_str(json.dumps(whole))
    try:
        ours = opened(json.dumps(whole).encode(), "tokenizer.json")
    except ModelFormatError as refused:
        assert re.search("later merges make", str(refused))
        return
    for text in TEXTS:
        assert ours.encode_ordinary(text) == theirs.encode(text).ids
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/tokenizer.json"
        assert superword.export(ours, path, "tokenizer.json")
        again = tokenizers.Tokenizer.from_file(path)
        assert superword.open_base(path)._model.lookup_tokens == ours._model.lookup_tokens
    for text in TEXTS:
        assert again.encode(text).ids == theirs.encode(text).ids


# Merges of Llama 3's vocabulary that join tokens of higher ranks, one after the other.
CHAINS = [
    ["an", "ant", "ar", "lar", "ba", "lantı", "balantı", "balantılar", "lant"],
    [":.", ".:.", ".:.:.:.:", ":.:.:", ":.:"],
    ["ır", "şt", "la", "ar", "araştır", "aştır", "laştır", "ştır"],
    ["yd", "ıydı", "ydı"],
]


@settings(max_examples=50)
@given(
    st.sampled_from(CHAINS),
    st.lists(st.integers(0, 20), min_size=1, max_size=9),
    st.randoms(use_true_random=False),
)
def test_merges_that_happen_at_once_are_rules_after_the_one_that_makes_their_part(
    chain: list[str], picked: list[int], random: Any
) -> None:
    parts = sorted({text[:at] for text in chain for at in range(2, len(text))} - {*chain})
    tokens = dict.fromkeys([*BYTES, *("ı".encode(), "ş".encode()), *map(str.encode, chain)])
    ranks = {token: rank for rank, token in enumerate(tokens)}
    lines = b"".join(base64.b64encode(token) + b" %d\n" % rank for token, rank in ranks.items())
    theirs = tiktoken.Encoding("chain", pat_str=LLAMA3, mergeable_ranks=ranks, special_tokens={})
    ours = opened(lines, "a.tiktoken", pattern=LLAMA3)
    made = [rule.token for rule in ours.rules]
    assert not ours._model.lookup_tokens and made != sorted(made, key=lambda token: ranks[token])
    letters = [*chain, *parts, *"".join(chain)]
    text = "".join(letters[at % len(letters)] for at in picked)
    shuffled = "".join(random.sample(text, len(text)))
    for each in (text, shuffled, text + shuffled, *chain):
        assert ours.encode_ordinary(each) == theirs.encode_ordinary(each)


@settings(max_examples=30)
@given(st.text("ae\u0301\u0308\u0327é각ᄀ ힼ\u11a8가\u212bÅ >\u0338", max_size=12), st.booleans())
def test_texts_in_nfc_have_the_ids_of_a_file_that_normalizes(text: str, is_nested: bool) -> None:
    documents = ["é á ë ae ấ", "각 가 Å ≯ >"] * 3
    base = superword.train(documents, 270, pattern="gpt2", supermerges=False, deletion=None)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tokenizer.json"
        superword.export(base, path, "tokenizer.json")
        theirs = tokenizers.Tokenizer.from_file(str(path))
        nfc = tokenizers.normalizers.NFC()
        theirs.normalizer = tokenizers.normalizers.Sequence([nfc]) if is_nested else nfc
        theirs.save(str(path))
        with pytest.raises(ModelFormatError, match="NFC changes texts, except those that are in"):
            superword.open_base(path)
        with pytest.warns(UserWarning, match="its normalizer NFC"):
            ours = superword.open_base(path, approximate=True)
    assert ours.encode_ordinary(unicodedata.normalize("NFC", text)) == theirs.encode(text).ids


@pytest.mark.parametrize("pattern", ["gpt2", "gpt4o", LLAMA3, LLAMA3.replace("{1,3}", "")])
def test_trained_elsewhere(pattern: str, real_texts: list[str]) -> None:
    pre = tokenizers.pre_tokenizers
    byte_level = pre.ByteLevel(add_prefix_space=False, use_regex=pattern == "gpt2")
    regex = tokenizers.Regex(NAMED_PATTERNS.get(pattern, pattern))
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE())
    theirs.pre_tokenizer = (
        byte_level
        if pattern == "gpt2"
        else pre.Sequence([pre.Split(regex, "isolated"), byte_level])
    )
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=3000,
        initial_alphabet=pre.ByteLevel.alphabet(),
        special_tokens=["<|end|>"],
        show_progress=False,
    )
    theirs.train_from_iterator(real_texts[::3], trainer)
    ours = opened(theirs.to_str().encode(), "tokenizer.json")
    expected = [encoding.ids for encoding in theirs.encode_batch_fast(real_texts)]
    assert ours.encode_ordinary_batch(real_texts) == expected
    assert ours.special_tokens == {"<|end|>": 0}
    extended = superword.extend(ours, real_texts[::3], 200)
    assert extended.vocab_size == ours.vocab_size + 200
    assert extended._model.vocabulary()[:-200] == ours._model.vocabulary()
    assert sum(map(len, extended.encode_ordinary_batch(real_texts))) < sum(map(len, expected))

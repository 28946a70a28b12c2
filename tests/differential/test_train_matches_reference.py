"""The fast trainer against the reference: the same rules, counts and ids for any corpus.

Few letters, words with common prefixes and low thresholds make ties, overlaps, deleted tokens that
are made again, and pretokens that open twice common. Patterns with look-behind let a superword
spell a pretoken.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

import superword
from superword import CorpusError, Tokenizer, reference
from superword.reference import ELIGIBLE, SCRIPT_ELIGIBLE, Deletion
from superword.tokenizer import TrainingConfig

PATTERNS = [
    *("boundless", "gpt2", "gpt4o", "gpt4o-scripts"),
    *(".", "(?s).", "(?s).{1,2}", "ab|.", " ?[a-z]+|.", "(?s) ?.", r"[ab]+|\s", "a+|b"),
    *("(?<= )[ab]+|.", "(?<=')[ab]+|[ab]", "(?<=b)a+b?|.b"),
]
ELIGIBLES = [ELIGIBLE, SCRIPT_ELIGIBLE, "(?s).*", "(?s).*", "[ab ]+"]
DELETIONS: list[Deletion] = ["bytes", "pair", None]
TAUS = [0.3, 0.4, 0.5, 0.6, 0.75, 0.9, 1.0]
MIN_COUNTS = [1, 1, 2, 2, 3, 5]
# The last ones are more than any corpus here has pairs for.
SIZES = [256, 257, 258, 260, 265, 270, 280, 300, 350, 5000]
# Limits; more than half of the models have none of a kind.
CAPS = [None] * 8 + [0, 1, 2, 5, 0.003, 0.01, 0.02]
MAX_WORDS = [None] * 8 + [1, 2, 2, 3, 4]
MAX_BYTES = [None] * 8 + [1, 2, 3, 4, 6]
FORBIDDEN = [None] * 8 + ["aa", "b a", "^ ", "b$", "é", ""]
MODES: list[tuple[bool, Deletion]] = [(on, mode) for on in (True, False) for mode in DELETIONS]

Learned = tuple[list[tuple[object, ...]], list[tuple[int, bytes]]]


def written(rules: Sequence[reference.Rule] | Sequence[superword.Rule]) -> list[tuple[object, ...]]:
    return [(rule.kind, rule.left, rule.right, rule.parts, rule.count) for rule in rules]


def learned(tok: Tokenizer) -> Learned:
    return written(tok.rules), tok._model.vocabulary()


def expected(documents: list[str], parameters: TrainingConfig) -> Learned:
    rules, vocabulary = reference.train(documents, **asdict(parameters))
    return written(rules), list(enumerate(vocabulary))


def assert_equal(documents: list[str], parameters: TrainingConfig, threads: int) -> None:
    """Train both ways; the warning about too few pairs comes exactly when there are too few."""
    rules, vocabulary = expected(documents, parameters)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if any(documents):
            tok = superword.train(documents, **asdict(parameters), threads=threads)
            assert learned(tok) == (rules, vocabulary)
            assert tok.parameters == parameters
        else:
            with pytest.raises(CorpusError, match="no text"):
                superword.train(documents, **asdict(parameters), threads=threads)
            vocabulary = []
    is_short = any(documents) and len(vocabulary) < parameters.vocab_size
    assert ["pairs for" in str(warning.message) for warning in caught] == [True] * is_short


def random_documents(random: Random) -> list[str]:
    """Return random letters, and sentences of a few words, some of them repeated."""
    letters = random.choice(
        ["ab", "ab ", "ab '", "abc  ", "a", "a ", "aab  ", "é a", "日本", "日本 a", "日ー\u0301a b"]
    )
    longest = random.choice([3, 10, 40, 80])
    documents = [
        "".join(random.choices(letters, k=random.randint(0, longest)))
        for _ in range(random.randint(0, 8))
    ]
    if random.random() < 0.5:
        words = ["".join(random.choices("abc", k=random.randint(1, 5))) for _ in range(6)]
        words = words[: random.randint(1, 6)]
        documents += [
            " ".join(random.choices(words, k=random.randint(1, 25)))
            for _ in range(random.randint(1, 4))
        ]
    if random.random() < 0.3:
        documents *= random.randint(1, 3)
    return documents if any(documents) else ["a"]


def random_parameters(random: Random) -> TrainingConfig:
    return TrainingConfig(
        pattern=random.choice(PATTERNS),
        eligible=random.choice(ELIGIBLES),
        supermerges=random.random() < 0.8,
        deletion=random.choice(DELETIONS),
        tau=random.choice(TAUS),
        min_count=random.choice(MIN_COUNTS),
        vocab_size=random.choice(SIZES),
        max_superwords=random.choice(CAPS),
        max_words=random.choice(MAX_WORDS),
        max_token_bytes=random.choice(MAX_BYTES),
        forbid=random.choice(FORBIDDEN),
    )


def twice_spelled(random: Random, parameters: TrainingConfig) -> tuple[list[str], TrainingConfig]:
    """Return documents in which the same bytes are one pretoken or several, each form rare.

    Other random corpora hardly ever show whether the trainer cuts too much at rare neighbours.
    """
    pieces = random.choices(["'ab", "ab", "'a", "b", "'b", "a", "'abb", "c", "'ba"], k=4)
    pieces = pieces[: random.randint(2, 4)]
    documents = [
        "".join(random.choices(pieces, k=random.randint(1, 5)))
        for _ in range(random.randint(5, 25))
    ]
    return documents, replace(
        parameters,
        pattern=random.choice(["(?<=')[ab]+|.", "ab|.", "(?<=b)a+b?|.", "(?<=')[ab]+|[ab]"]),
        eligible="(?s).*",
        supermerges=True,
        min_count=random.choice([3, 4, 5, 6]),
        vocab_size=5000,
    )


@pytest.mark.filterwarnings("ignore:the corpus has pairs for")
def test_random_corpora_give_the_rules_of_the_reference() -> None:
    def check(seed: int) -> None:
        random = Random(seed)
        documents, parameters = random_documents(random), random_parameters(random)
        if seed % 3 == 0:
            documents, parameters = twice_spelled(random, parameters)
        threads = random.randint(1, 3)
        tok = superword.train(documents, **asdict(parameters), threads=threads)
        is_equal = learned(tok) == expected(documents, parameters)
        assert is_equal, f"seed {seed}: train({documents}, **{asdict(parameters)})"

    # In parallel, since a short training mostly waits.
    with ThreadPoolExecutor(4) as pool:
        for _ in pool.map(check, range(800)):
            pass


texts = st.lists(
    st.sampled_from(
        ["a", "b", " ", "'", "ab", "ab", "aab", "abb", "abab", " ab", " a", " ba", "é", "日本", "ก็"]
    ),
    max_size=12,
).map("".join)
repeated = st.builds(lambda text, times: [text] * times, texts, st.sampled_from([1, 1, 2, 5]))
corpora = st.lists(repeated, max_size=6).map(lambda lists: sum(lists, []))
parameters_of_training = st.builds(
    TrainingConfig,
    transition=st.none(),
    second_pattern=st.none(),
    pattern=st.sampled_from(PATTERNS),
    eligible=st.sampled_from(ELIGIBLES),
    supermerges=st.sampled_from([True, True, False]),
    deletion=st.sampled_from(DELETIONS),
    tau=st.sampled_from(TAUS),
    min_count=st.sampled_from(MIN_COUNTS),
    vocab_size=st.sampled_from(SIZES),
    max_superwords=st.sampled_from(CAPS),
    max_words=st.sampled_from(MAX_WORDS),
    max_token_bytes=st.sampled_from(MAX_BYTES),
    forbid=st.sampled_from(FORBIDDEN),
)


@settings(max_examples=200)
@given(corpora, parameters_of_training, st.integers(1, 3))
def test_small_corpora_give_the_rules_of_the_reference(
    documents: list[str], parameters: TrainingConfig, threads: int
) -> None:
    assert_equal(documents, parameters, threads)


@pytest.mark.parametrize(
    "documents",
    [
        # The pretokens ab and a|b: a superword spells an open pretoken.
        ["<ab", "<ab", "ab", "ab", "abab", "<abab"] * 2,
        # ab|c and a|bc: two supermerges make the same token.
        ["'ab'c", "'a'bc", "'ab'c'ab", "'a'bc'ab", "c'ab'c", "c'a'bc"] * 3,
        # The pairs of a token that is spelled in two ways are rare separately, but not together.
        ["<abx", "abx", "<abx", "abx", "<aby", "abz", "xy", "yx"],
    ],
)
@pytest.mark.parametrize("deletion", DELETIONS)
def test_a_superword_may_spell_a_pretoken_or_another_superword(
    documents: list[str], deletion: Deletion
) -> None:
    for pattern in ["(?<=<)[ab]+|.", "ab|.", "bc|.", "(?<=')[abc]+|[abc]"]:
        for min_count in (2, 3):
            assert_equal(
                documents,
                TrainingConfig(
                    pattern=pattern,
                    eligible="(?s).*",
                    supermerges=True,
                    deletion=deletion,
                    tau=0.5,
                    min_count=min_count,
                    vocab_size=300,
                ),
                2,
            )


def read_documents(path: Path) -> list[str]:
    return [json.loads(line)["text"] for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("name", ["case", "delete", "overlap", "random", "repeat", "ties"])
def test_hand_made_corpora_give_the_rules_of_the_reference(golden: Path, name: str) -> None:
    documents = read_documents(golden / f"corpora/micro_{name}.jsonl")
    for number, (supermerges, deletion) in enumerate(MODES):
        pattern = ["boundless", "gpt4o", "gpt2"][number % 3]
        tau, min_count, vocab_size = [(0.9, 2, 400), (0.5, 1, 330), (0.7, 1, 5000)][number // 2]
        parameters = TrainingConfig(
            pattern=pattern,
            eligible=ELIGIBLE,
            supermerges=supermerges,
            deletion=deletion,
            tau=tau,
            min_count=min_count,
            vocab_size=vocab_size,
        )
        assert_equal(documents, parameters, 1 + number % 3)


@pytest.mark.parametrize(
    ("supermerges", "deletion"), [(True, "bytes"), (True, "pair"), (True, None), (False, None)]
)
def test_a_piece_of_the_sample_gives_the_rules_of_the_reference(
    supermerges: bool, deletion: Deletion
) -> None:
    documents = [document[:1500] for document in superword.sample()][:195:14]
    assert 20_000 < sum(map(len, documents)) < 22_000
    parameters = TrainingConfig(supermerges=supermerges, deletion=deletion, tau=0.8, vocab_size=500)
    assert_equal(documents, parameters, 2)


@pytest.mark.filterwarnings("ignore:the corpus has pairs for only 36")
@pytest.mark.parametrize(
    ("name", "vocab_size"),
    [
        ("micro_overlap_gpt4o_1.1", 420),
        ("micro_overlap_ultimate_1.1", 420),
        ("small_b_a_gpt4o_1.1_1200", 1200),
        ("small_b_b_ultimate_1.1_1200", 1200),
    ],
)
def test_training_gives_the_rules_and_counts_of_the_authors(
    golden: Path, name: str, vocab_size: int
) -> None:
    packed = (golden / f"training/{name}.ops.json.zst").read_bytes()
    published: Any = json.loads(zstandard.ZstdDecompressor().stream_reader(packed).read())
    pattern = published["meta"]["pattern_name"].replace("ultimate", "boundless")
    corpus = golden / "corpora" / published["meta"]["corpus"]
    options: dict[str, Any] = {"deletion": None, "min_count": 1, "max_superwords": None}
    tok = superword.train(corpus, vocab_size, pattern=pattern, **options)
    assert written(tok.rules) == [
        (row["kind"], bytes.fromhex(row["left"]), bytes.fromhex(row["right"]), (), row["count"])
        for row in published["ops"]
    ]

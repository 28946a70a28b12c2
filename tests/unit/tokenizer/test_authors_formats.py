"""The two model formats of the paper authors' code: reading them, and rejecting damaged files."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

import superword
from superword import ModelFormatError, PatternError, Tokenizer, UnknownTokenError, reference
from superword.patterns import ELIGIBLE, NAMED_PATTERNS
from superword.tokenizer import Training, TrainingConfig

# ab is deleted when abc is made; then cab, of c and ab, is deleted too, and splits into them again.
WORD_V1 = r"""word v1
"[a-z]+| [a-z]+|."
12
0 a
1 b
2 c
3 Ġ
4 ab
5 abc
6 cab
7 cabb
8 Ġa
9 Ġb
11 ĠaĠb
10 ĉ
1
20 <|end of text|>
6
0 a b
1 c ab
2 ab c
4 cab b
6 Ġ a
7 Ġ b
2
3 ab
5 cab
1
8 Ġa Ġb
0
"""

SETTINGS = {
    "tau": 0.7,
    "is_super": False,
    "superbpe_mode": False,
    "blowup": True,
    "main_regex": NAMED_PATTERNS["gpt4o"],
    "script_specific_regex": None,
    "script_specific_scripts": None,
    "merge_pattern": ELIGIBLE,
}


def boundless_v2(kind: str = "boundless", **settings: object) -> str:
    """The same rules, with deleted tokens removed from the vocabulary."""
    words = json.dumps(SETTINGS | settings)
    text = f"""BoundlessBPE v2 {kind}
vocabulary
9
0 a 0 0
1 b 0 0
2 c 3 0
3 Ġ 0 0
4 abc 9 0
5 cabb 5 0
6 Ġa 4 0
7 Ġb 4 0
8 ĠaĠb 4 1
special_tokens
1
9 <|end of text|>
words
{words}
merges
6
0 a b 20 0
1 c ab 10 0
2 ab c 9 1
4 cab b 5 1
6 Ġ a 4 1
7 Ġ b 4 1
deletions
2
3 ab
5 cab
"""
    if kind == "word":
        return text.replace("\n9\n0 a", "\n8\n0 a").replace("8 ĠaĠb 4 1\n", "")
    return f"{text}superwords\n{words}\nmerges\n1\n0 Ġa Ġb 4 0\ndeletions\n0\n"


def load(text: str | bytes, tmp_path: Path, **options: str) -> Tokenizer:
    path = tmp_path / "their.model"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return superword.load(path, **options)  # type: ignore[arg-type]


def refused(text: str | bytes, tmp_path: Path) -> str:
    with pytest.raises(ModelFormatError) as caught:
        load(text, tmp_path)
    message = str(caught.value)
    start = f"{tmp_path / 'their.model'}: "
    assert message.startswith(start)
    return message.removeprefix(start)


def parts(tok: Tokenizer) -> dict[bytes, tuple[bytes, ...]]:
    return {rule.left: rule.parts for rule in tok.rules if rule.kind == "delete"}


def test_word_v1_is_read(tmp_path: Path) -> None:
    tok = load(WORD_V1, tmp_path)
    assert [(rule.kind, rule.token) for rule in tok.rules] == [
        ("merge", b"ab"),
        ("merge", b"cab"),
        ("merge", b"abc"),
        ("delete", b"ab"),
        ("merge", b"cabb"),
        ("delete", b"cab"),
        ("merge", b" a"),
        ("merge", b" b"),
        ("supermerge", b" a b"),
    ]
    assert {rule.count for rule in tok.rules if rule.kind != "delete"} == {0}
    assert tok.special_tokens == {"<|end of text|>": 20}
    assert tok.parameters == TrainingConfig(
        pattern="[a-z]+| [a-z]+|.",
        eligible=ELIGIBLE,
        supermerges=True,
        max_superwords=None,
        deletion="bytes",
        tau=0.9,
        min_count=1,
        vocab_size=256,
    )
    assert tok.training == Training()
    assert (tok.vocab_size, tok.token_id(b"\t"), tok.token_id(b" a b")) == (12, 10, 11)
    assert tok.is_superword(11) and not tok.is_superword(8)


def test_ids_are_theirs_and_deleted_tokens_keep_them(tmp_path: Path) -> None:
    tok = load(WORD_V1, tmp_path)
    assert (tok.token_bytes(4), tok.token_bytes(6)) == (b"ab", b"cab")
    assert tok.decode([4, 6, 11, 20]) == "abcab a b<|end of text|>"
    assert tok.encode("abc ab cabb a b") == [5, 8, 1, 3, 7, 11]


def test_word_v1_deletes_to_bytes_by_default(tmp_path: Path) -> None:
    to_bytes = {b"ab": (b"a", b"b"), b"cab": (b"c", b"a", b"b")}
    assert parts(load(WORD_V1, tmp_path)) == to_bytes
    assert parts(load(WORD_V1, tmp_path, deletion="bytes")) == to_bytes
    tok = load(WORD_V1, tmp_path, deletion="pair")
    assert parts(tok) == {b"ab": (b"a", b"b"), b"cab": (b"c", b"ab")}
    assert tok.parameters.deletion == "pair"


def test_the_first_pair_stands_even_if_a_part_was_deleted(tmp_path: Path) -> None:
    tok = load(WORD_V1, tmp_path, deletion="pair")
    # cab exists before ab is deleted, and restores it.
    assert tok.encode("cab") == [2, 4]
    assert tok.encode("ab") == [0, 1]
    assert reference.encode("cab", tok.rules, pattern=tok.pattern) == [b"c", b"ab"]  # type: ignore[arg-type]


def test_the_pair_is_that_of_the_earliest_merge_by_index(tmp_path: Path) -> None:
    text = 'word v1\n"."\n6\n0 a\n1 b\n2 c\n3 ab\n4 abc\n5 bc\n0\n'
    text += "4\n4 ab c\n1 b c\n2 a bc\n0 a b\n1\n3 abc\n0\n0\n"
    tok = load(text, tmp_path, deletion="pair")
    assert parts(tok) == {b"abc": (b"a", b"bc")}


@pytest.mark.parametrize("name", ["gpt2", "gpt4", "gpt4o", "punct", "boundless"])
def test_a_regex_that_has_a_name_gets_it(tmp_path: Path, name: str) -> None:
    for regex in (NAMED_PATTERNS[name], NAMED_PATTERNS[name].replace("’", r"\u2019")):
        text = WORD_V1.replace('"[a-z]+| [a-z]+|."', json.dumps(regex))
        assert load(text, tmp_path).pattern == name
    if name == "boundless":  # Their catch-all never matches.
        assert load(text.replace('p{M}+"', 'p{M}+|.+"'), tmp_path).pattern == name


def test_a_model_without_supermerges_or_deletes_says_so(tmp_path: Path) -> None:
    text = 'word v1\n"."\n3\n0 a\n1 b\n2 ab\n0\n1\n0 a b\n0\n0\n0\n'
    tok = load(text, tmp_path, deletion="pair")
    assert (tok.parameters.supermerges, tok.parameters.deletion) == (False, None)


def test_boundless_v2_is_read(tmp_path: Path) -> None:
    tok = load(boundless_v2(), tmp_path)
    assert [(rule.kind, rule.token, rule.count) for rule in tok.rules] == [
        ("merge", b"ab", 20),
        ("merge", b"cab", 10),
        ("merge", b"abc", 9),
        ("delete", b"ab", None),
        ("merge", b"cabb", 5),
        ("delete", b"cab", None),
        ("merge", b" a", 4),
        ("merge", b" b", 4),
        ("supermerge", b" a b", 4),
    ]
    assert tok.parameters == TrainingConfig(
        pattern="gpt4o",
        eligible=ELIGIBLE,
        supermerges=True,
        max_superwords=None,
        deletion="bytes",
        tau=0.7,
        min_count=1,
        vocab_size=256,
    )
    assert tok.special_tokens == {"<|end of text|>": 9}
    assert (tok.token_id(b"abc"), tok.token_bytes(8)) == (4, b" a b")
    assert tok.encode("abc a bcab") == [4, 6, 7, 2, 0, 1]


def test_a_superbpe_model_has_supermerges_too(tmp_path: Path) -> None:
    text = boundless_v2("superbpe", superbpe_mode=True)
    assert load(text, tmp_path) == load(boundless_v2(), tmp_path)


def test_a_word_model_has_no_superwords(tmp_path: Path) -> None:
    tok = load(boundless_v2("word"), tmp_path)
    assert (tok.parameters.supermerges, tok.vocab_size, len(tok.rules)) == (False, 8, 8)
    assert 'expected the end of the file, not "superwords"' in refused(
        boundless_v2().replace("v2 boundless", "v2 word"), tmp_path
    )


def test_a_byte_without_a_token_is_refused_when_it_is_met(tmp_path: Path) -> None:
    tok = load(boundless_v2(), tmp_path)
    assert tok.encode("abc") == [4]
    with pytest.raises(UnknownTokenError):
        tok.token_id(b"d")
    with pytest.raises(UnknownTokenError):
        tok.encode("abcd")


def test_in_boundless_v2_a_pair_is_split_on_until_its_parts_have_ids(tmp_path: Path) -> None:
    tok = load(boundless_v2(blowup=False), tmp_path)
    assert parts(tok) == {b"ab": (b"a", b"b"), b"cab": (b"c", b"a", b"b")}
    assert tok.parameters.deletion == "pair"
    kept = boundless_v2(blowup=False).replace("9\n0 a", "10\n0 a")
    kept = kept.replace("special_tokens", "10 ab 3 0\nspecial_tokens")
    assert parts(load(kept, tmp_path)) == {b"ab": (b"a", b"b"), b"cab": (b"c", b"ab")}


def test_tau_above_one_is_off(tmp_path: Path) -> None:
    text = boundless_v2(tau=1.1).replace("2\n3 ab\n5 cab\n", "0\n")
    text = text.replace("4 cab", "3 cab").replace("6 Ġ a", "4 Ġ a").replace("7 Ġ b", "5 Ġ b")
    text = text.replace("9\n0 a", "11\n0 a")
    text = text.replace("special_tokens", "20 ab 3 0\n21 cab 3 0\nspecial_tokens")
    tok = load(text, tmp_path)
    assert (tok.parameters.deletion, tok.parameters.tau) == (None, 0.9)
    assert "tau is 1.1" in refused(boundless_v2(tau=1.1), tmp_path)


@pytest.mark.parametrize(
    ("pattern", "eligible", "not_eligible"),
    [(r"\p{L}", [" a", "1a\n", "a"], ["1", "\n"]), ("^a", ["a", "a\nb"], ["ba"])],
)
def test_their_eligibility_asks_for_a_match_anywhere(
    tmp_path: Path, pattern: str, eligible: list[str], not_eligible: list[str]
) -> None:
    rule = load(boundless_v2(merge_pattern=pattern), tmp_path).parameters.eligible
    for pretoken in eligible + not_eligible:
        assert superword.is_eligible(pretoken, rule) is (pretoken in eligible), pretoken
        assert reference.is_eligible(pretoken, rule) is (pretoken in eligible), pretoken


def test_defaults_of_a_v2_file_are_those_of_the_authors(tmp_path: Path) -> None:
    tok = load(boundless_v2(main_regex=None, merge_pattern=None), tmp_path)
    assert tok.pattern == "gpt4o"
    assert superword.is_eligible("(a)", tok.parameters.eligible)


@pytest.mark.parametrize("deletion", ["bytes", "pair"])
@pytest.mark.parametrize("text", [WORD_V1, boundless_v2(), boundless_v2(blowup=False)])
def test_their_models_are_saved_as_ours(tmp_path: Path, text: str, deletion: str) -> None:
    tok = load(text, tmp_path, **({"deletion": deletion} if text is WORD_V1 else {}))
    tok.save(tmp_path / "ours.json")
    again = superword.load(tmp_path / "ours.json")
    assert again == tok
    assert again.fingerprint == tok.fingerprint
    assert again._model.vocabulary() == tok._model.vocabulary()
    assert list(again.rules) == list(tok.rules)
    with pytest.raises(ValueError, match="ids are not those of training"):
        tok.truncate(256)


def test_line_ends_may_be_those_of_windows(tmp_path: Path) -> None:
    assert load(WORD_V1.replace("\n", "\r\n"), tmp_path) == load(WORD_V1 + "\n\n", tmp_path)


def test_deletion_is_only_for_files_that_do_not_say_it(tmp_path: Path, tok: Tokenizer) -> None:
    path = tmp_path / "model.json"
    tok.save(path)
    with pytest.raises(ValueError, match="this file already says how it deletes"):
        superword.load(path, deletion="bytes")
    with pytest.raises(ValueError, match="this file already says how it deletes"):
        load(boundless_v2(), tmp_path, deletion="pair")
    with pytest.raises(ValueError, match="'bytes', 'pair' or None, not \"half\""):
        load(WORD_V1, tmp_path, deletion="half")


@pytest.fixture
def tok(tmp_path: Path) -> Tokenizer:
    return load(WORD_V1, tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("word v1", "word v2", 'line 1: the format is "word v2"'),
        ('"[a-z]', "[a-z]", "line 2: expected the regex as a JSON string"),
        ("\n12\n", "\ntwelve\n", 'line 3: expected a number of rows, not "twelve"'),
        ("\n12\n", "\n-1\n", 'line 3: expected a number of rows, not "-1"'),
        ("\n12\n", "\n11\n", 'line 15: expected a number of rows, not "10 ĉ"'),
        ("\n12\n", "\n13\n", 'line 16: expected row 13 of 13, `id token`, not "1"'),
        ("0 a\n", "x a\n", 'line 4: expected an id, not "x"'),
        ("0 a\n", "4294967296 a\n", 'line 4: expected an id, not "4294967296"'),
        ("0 a\n", "0\n", 'line 4: expected row 1 of 12, `id token`, not "0"'),
        ("0 a\n", "0 a b\n", 'line 4: "a b" is not a token in the characters of GPT-2'),
        ("0 a\n", "0 ☃\n", 'line 4: "☃" is not a token in the characters of GPT-2'),
        ("1 b\n", "0 b\n", "line 5: another token also has the id 0"),
        ("5 abc\n", "5 xyz\n", 'line 9: no rule makes the token "xyz", id 5'),
        ("10 ĉ", "10 ab", 'line 15: the token "ab" has two ids; the second is 10'),
        ("7 cabb\n", "7 ĊĊ\n", 'line 11: no rule makes the token "\\n\\n", id 7'),
        ("20 <|end of text|>", "20", 'line 17: expected row 1 of 1, `id text`, not "20"'),
        ("20 <|end of text|>", "4 <|end|>", '"<|end|>" has the id 4, which another'),
        ("2 ab c\n", "1 ab c\n", "line 21: another rule also has the index 1"),
        ("8 Ġa Ġb\n", "9 Ġa Ġb\n", "line 29: no rule has the index 8; the next is 9"),
        ("2 ab c\n", "2 ab\n", 'line 21: expected row 3 of 6, `index left right`, not "2 ab"'),
        ("4 cab b", "4 cax b", 'line 22: rule 4 names "cax", which no earlier rule has made'),
        ("5 cab\n", "5 cabc\n", 'line 27: rule 5 names "cabc", which no earlier rule has made'),
        ("5 cab\n", "5 a\n", 'line 27: rule 5 deletes "a", a single byte'),
        ("1\n8 Ġa Ġb\n0\n", "0\n1\n8 ĠaĠb\n", "line 30: a superword is deleted"),
        ("1\n8 Ġa Ġb\n0\n", "1\n8 Ġa Ġb\n", "line 30: the file ends; expected the num"),
        ("0 a b\n", "0 a b\n\n", "line 20: expected row 2 of 6, `index left right`, not \"\""),
        ("8 Ġa Ġb\n0\n", "8 Ġa Ġb\n0\nmore\n", 'line 31: expected the end of the file, not "more"'),
        ("7 cabb\n", "", 'line 15: expected row 12 of 12, `id token`, not "1"'),
    ],
)  # fmt: skip
def test_errors_say_what_is_wrong_with_word_v1(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert WORD_V1.count(old) >= 1
    assert message in refused(WORD_V1.replace(old, new, 1), tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("v2 boundless", "v3 boundless", 'line 1: the format is "BoundlessBPE v3 boundless"'),
        ("v2 boundless", "v2 other", 'line 1: the format is "BoundlessBPE v2 other"'),
        ("vocabulary", "vocab", 'line 2: expected the line "vocabulary", not "vocab"'),
        ("0 a 0 0", "0 a 0", "line 4: expected row 1 of 9, `id token count is_super`"),
        ("0 a 0 0", "0 a -1 0", 'line 4: expected a count, not "-1"'),
        ("0 a 0 0", "0 a 0 2", 'line 4: expected 0 or 1, not "2"'),
        ("special_tokens", "special", 'line 13: expected the line "special_tokens"'),
        ("words", "word", 'line 16: expected the line "words", not "word"'),
        ('{"tau"', '{tau"', "line 17: expected settings as JSON: key must be a string, at col"),
        ('"tau": 0.7, ', "", "line 17: expected settings as JSON: missing field `tau`, at column"),
        ("0.7", '"0.7"', "line 17: expected settings as JSON: invalid type: string"),
        ("merges", "merge", 'line 18: expected the line "merges", not "merge"'),
        ("0 a b 20 0", "0 a b 20", "line 20: expected row 1 of 6, `index left right count flag`"),
        ("0 a b 20 0", "0 a b 2.5 0", 'line 20: expected a count, not "2.5"'),
        ("0 a b 20 0", "0 a b 20 x", 'line 20: expected 0 or 1, not "x"'),
        ("deletions", "delete", 'line 26: expected the line "deletions", not "delete"'),
        ("5 cab\n", "8 cab\n", "line 24: no rule has the index 5; the next is 6"),
        ("superwords", "super", 'line 30: expected the line "superwords", not "super"'),
        ("0 Ġa Ġb", "0 Ġa Ġc", 'line 34: rule 8 names " c", which no earlier rule has made'),
        ("deletions\n0\n", "deletions\n1\n1 ĠaĠb\n", "line 37: a superword is deleted"),
        ("deletions\n0\n", "", 'line 35: the file ends; expected the line "deletions"'),
        ("4 abc 9 0", "4 ad 9 0", 'line 8: no rule makes the token "ad", id 4'),
        ("9\n0 a 0 0", "8\n0 a 0 0", 'line 12: expected the line "special_tokens", not "8'),
    ],
)  # fmt: skip
def test_errors_say_what_is_wrong_with_boundless_v2(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    text = boundless_v2()
    assert text.count(old) >= 1
    assert message in refused(text.replace(old, new, 1), tmp_path)


def test_an_existing_token_needs_an_id(tmp_path: Path) -> None:
    text = boundless_v2().replace("9\n0 a", "8\n0 a").replace("4 abc 9 0\n", "")
    assert 'the rules make the token "abc", which has no id' in refused(text, tmp_path)


def test_scripts_with_a_regex_of_their_own_are_refused(tmp_path: Path) -> None:
    text = boundless_v2(script_specific_regex=r" ?\p{L}", script_specific_scripts=["Han"])
    assert "line 17: the model splits some scripts" in refused(text, tmp_path)


def test_invalid_utf8_is_rejected(tmp_path: Path) -> None:
    text = WORD_V1.encode().replace(b"1 b\n", b"1 \xff\n")
    assert refused(text, tmp_path) == "line 5: not UTF-8"


@pytest.mark.parametrize("text", [WORD_V1.encode(), boundless_v2().encode()])
def test_a_file_cut_short_is_refused(tmp_path: Path, text: bytes) -> None:
    # Without its last line end it is still complete.
    for end in range(0, len(text) - 1):
        message = refused(text[:end], tmp_path)
        assert "line" in message or "not a model" in message


def test_a_malformed_regex_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PatternError):
        load(WORD_V1.replace("[a-z]+| ", "[a-z+| "), tmp_path)
    with pytest.raises(PatternError):
        load(boundless_v2(main_regex="a("), tmp_path)
    with pytest.raises(PatternError):  # Brackets around it would repair it.
        load(boundless_v2(merge_pattern="a)(b"), tmp_path)


@pytest.mark.parametrize("count", ["9" * 12, "9" * 19, "9" * 40])
def test_a_count_without_rows_takes_no_memory(tmp_path: Path, count: str) -> None:
    assert "line" in refused(WORD_V1.replace("\n12\n", f"\n{count}\n"), tmp_path)


def test_a_file_that_is_not_a_model_is_not_read_to_its_end() -> None:
    with pytest.raises(ModelFormatError, match="/dev/zero: not a model"):
        superword.load("/dev/zero")


@pytest.mark.parametrize("blowup", [True, False])
def test_long_tokens_deleted_over_and_over_take_time_like_the_file(
    tmp_path: Path, blowup: bool
) -> None:
    size = 1500
    tokens = ["a" * length for length in range(2, size)]
    merges = "".join(f"{i} {t[:-1]} a 1 0\n" for i, t in enumerate(tokens))
    deletes = "".join(f"{len(tokens) + i} {t}\n" for i, t in enumerate(tokens))
    settings = json.dumps(SETTINGS | {"blowup": blowup})
    text = f"BoundlessBPE v2 word\nvocabulary\n1\n0 a 0 0\nspecial_tokens\n0\nwords\n{settings}\n"
    text += f"merges\n{len(tokens)}\n{merges}deletions\n{len(tokens)}\n{deletes}"
    start = time.process_time()
    tok = load(text, tmp_path)
    assert time.process_time() - start < 5
    assert parts(tok)[tokens[-1].encode()] == (b"a",) * len(tokens[-1])

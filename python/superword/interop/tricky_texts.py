r"""Texts on which libraries differ, if they differ at all: every export is checked on them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from superword.tokenizer import Tokenizer

__all__ = ["list_tricky_texts"]

# One character of each class that patterns distinguish. All texts of up to three are checked.
KINDS = "aAǅʰ猫\u0301१1 \t\n\u00a0!'_/"
WRITTEN = [
    "The end of the day isn't here, said XMLHttpRequest's snake_case 1234567.",
    "  two  spaces\r\n\n\ttabs — “quotes” … naïve café 猫猫 🐈‍⬛ नमस्ते ﷽",
    "don't DON'T I'll we'Ve you're o’clock a1b2c3 !!!??? -- ///\n",
    "a's's 'tis rock 'n' roll, '''quoted'''",
    "Numbers: 1 22 333 4444 55555 1,234,567.89 0x1F ½ Ⅷ ١٢٣٤ 1\u03012",
    "lines\n\n\nof\r\n\r\ntext \n with \t\n blanks   \n   ",
    "trailing blanks   ",
    "trailing tab\t",
    "trailing newline\n",
    "   leading blanks",
    " ",
    "\n",
    "\r\n \r\n",
    "e\u0301a\u0300 \u0301 \u0301\u0301 क्षि ก็ 각 각",
    "Привет, мир! Γειά σου, Κόσμε. שלום עולם. مرحبا بالعالم، كيف؟",
    "日本語の文章、とカタカナ。中文，句子！한국어 문장.",
    "👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇪 👍🏽 ☃️ ©®™ €£¥ ± × ÷ ∞",
    "def f(x):\n    if x != 0:\n\t\treturn {'a': [1, 2, 3]}  # why?\n\n\nprint(f(42))\n",
    '<a href="https://example.org/a/b?c=d&e=f#g">link</a>\n<!-- -->\n',
    "a/b//c///\n/path/to/file.txt C:\\dir\\name\n\n//comment\n",
    "GitHub iPhone eBay HTMLParser getHTTPResponseCode3D NASA's IDs ǅungla ʰa",
    "x = _private + __init__ ** 2 ;; ... !!\n\n- item\n* item\n",
    "one_two __ _a A_ 'a a' ''a a'' ’a a’b",
    "zero\0byte \x1b[0m \x7f \u200b \ufeff \u2028 \u2029 \u3000 \u0085 \u00ad",
    "words only without a number or two symbols in a row so that a pattern may have a gap here",
    "gap 12 gap !! gap  gap -- gap",
    "\U0010ffff \ufffd \ue000 \u0378 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𓀀 ẞß ſ 'ſ K ŉ",
]
# Tokens of the model that are checked, at most.
MAX_TOKENS = 4096


def list_tricky_texts(tok: Tokenizer) -> Iterator[str]:
    """Yield the texts: written ones, all short ones, and texts of the model's tokens."""
    yield from WRITTEN
    for length in (0, 1, 2, 3):
        yield from map("".join, product(KINDS, repeat=length))
    tokens = [token for _, token in tok._model.vocabulary()]
    chosen = tokens[:: max(1, len(tokens) // MAX_TOKENS)] + tok._model.lookup_tokens
    texts = [token.decode("utf-8", "ignore") for token in chosen]
    yield from texts
    yield "".join(texts)
    yield " ".join(reversed(texts))

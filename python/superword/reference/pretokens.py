"""Splitting texts into pretokens."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import regex
from regex import _regex_core as regex_core  # the names of scripts

PATTERNS: dict[str, str] = {  # the listings of the paper's appendix A
    "gpt2": r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "gpt4": r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+",
    "gpt4o": r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "punct": r" ?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "boundless": "|".join([
        r" ?(?:\p{L}\p{M}*)+['’](?:\p{L}\p{M}*)+",  # B-1, contraction
        r"_(?:\p{Ll}\p{M}*)+",  # B-2, snake_case
        r" ?(?:\p{Lu}\p{M}*)+(?=(?:\p{Lu}\p{M}*)(?:\p{Ll}\p{M}*))",  # B-3, XML of XMLHttp
        r" ?(?:\p{Lu}\p{M}*)?(?:\p{Ll}\p{M}*)+",  # B-4, words
        r" ?(?:\p{Lu}\p{M}*)+",  # B-5, CONSTANT
        r" ?(?:[\p{Lt}\p{Lm}\p{Lo}]\p{M}*)+",  # B-6, titlecase, modifier and uncased letters
        r"(?:\p{N}\p{M}*){1,3}(?=(?:(?:\p{N}\p{M}*){3})*(?:(?:\P{N}\p{M}*)|$))",  # B-7, digits
        r" ?(?:[\p{P}\p{S}]\p{M}*)+",  # B-8, punctuation and symbols
        r"[^\S\r\n]*[\n\r]+|[^\S\r\n]+",  # B-9, whitespace
        r"(?:[\p{Z}\p{C}]\p{M}*)+",  # B-10, separators and controls
        r"\p{M}+",  # B-11, leftover marks
    ]),
}  # fmt: skip
SCRIPT_PATTERN = "gpt4o-scripts"  # splits by script; see split_by_script
UNSPACED_SCRIPTS = ["Han", "Hiragana", "Katakana", "Khmer", "Lao", "Myanmar", "Thai"]
UNSPACED_REGEX = r" ?\p{L}\p{M}*|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
SECOND_PATTERN = r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]{2,}[\r\n/]*| +(?!\S)"  # of SuperBPE
DEFAULT_PATTERN = "gpt4o"  # the paper's own is boundless
ELIGIBLE = r"^(?=.+\p{L})(?:\p{L}\p{M}*|[ _'\u2019])+$"
UNSPACED_LETTER = (  # with its marks
    r"(?=\p{L})[\p{Han}\p{Hiragana}\p{Katakana}\p{Khmer}\p{Lao}\p{Myanmar}\p{Thai}"
    r"〆〱-〵〼ーｰﾞﾟ]\p{M}*"
)
SCRIPT_ELIGIBLE = f"{ELIGIBLE}|^ ?{UNSPACED_LETTER}$"  # also letters of scripts without spaces
SCRIPT_NAMES: list[str] = list(regex_core.PROPERTIES["SCRIPT"][1])  # type: ignore[attr-defined]
SCRIPTS = ["Common", "Inherited", *UNSPACED_SCRIPTS, *SCRIPT_NAMES]


def pretokenize(text: str, pattern: str = DEFAULT_PATTERN) -> list[str]:
    """Split a text into pretokens. Joined, they are the text: 'a+' on 'xaay' -> x, aa, y."""
    if match := regex.search(r"[\ud800-\udfff]", text):
        raise ValueError(f"a lone surrogate has no UTF-8 bytes; replace character {match.start()}")
    if pattern == SCRIPT_PATTERN:
        return split_by_script(text)
    pieces = [text]
    for source in PATTERNS.get(pattern, pattern).split("(?then)"):  # Several regexes in a row.
        pieces = [part for piece in pieces for part in split_once(piece, source)]
    return pieces


def split_once(text: str, source: str) -> list[str]:
    """Split a text into the matches of a regex and the text between them."""
    pretokens, end = [], 0
    for match in regex.finditer(end_only(source), text):
        if match.group():
            pretokens += [text[end : match.start()], match.group()]
            end = match.end()
    return [pretoken for pretoken in [*pretokens, text[end:]] if pretoken]


@cache
def end_only(source: str) -> str:
    r"""Return a regex with `$` as `\Z`: at the end, and not before a last newline. (?m) aside."""
    kept = r"(\\.|\[\^?\]?(?:\\.|[^\]\\])*\])"  # an escaped character, or a class
    return regex.sub(rf"{kept}|\$", lambda match: match[1] or r"\Z", source)


def split_by_script(text: str) -> list[str]:
    """Split each run of one script: into letters where words have no spaces, else as gpt4o does."""
    scripts = find_scripts(text)
    changes = [at for at in range(1, len(text)) if scripts[at] != scripts[at - 1]]
    pretokens = []
    for start, end in pairwise([0, *changes, len(text)]) if text else ():
        is_unspaced = scripts[start] in UNSPACED_SCRIPTS
        pattern = UNSPACED_REGEX if is_unspaced else PATTERNS["gpt4o"]
        pretokens += regex.findall(pattern, text[start:end])
    return pretokens


def find_scripts(text: str) -> list[str]:
    """Return the script of the run that each character belongs to: a1\u0301é -> all Latin.

    Inherited is the script before. Characters without a script belong to the script after them, at
    the end of the text to the last one.
    """
    scripts, last = [], "Common"
    for script in map(find_script, text):
        last = last if script in ("Common", "Inherited") else script
        scripts.append(last if script == "Inherited" else script)
    for at in reversed(range(len(text))):
        if scripts[at] == "Common":
            scripts[at] = scripts[at + 1] if at + 1 < len(text) else last
    return scripts


@cache
def find_script(character: str) -> str:
    """Return the Unicode script of a character; Common if it is Unknown."""
    if regex.match(r"\p{Script=Unknown}", character):
        return "Common"
    names = (name for name in SCRIPTS if regex.match(rf"\p{{Script={name}}}", character))
    return next(names)


def is_eligible(pretoken: str, eligible: str = ELIGIBLE) -> bool:
    """Return whether a pretoken may take part in a supermerge: ' a' and 'ab' may, 'a' may not."""
    return regex.fullmatch(end_only(eligible), pretoken) is not None

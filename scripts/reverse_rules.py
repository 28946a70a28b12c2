"""Reverse each rule of the reference in turn, and check that its unit tests fail.

For each rule, the installed package is copied to a temporary directory, one piece of `reference`
is replaced in the copy, and the unit tests of the reference run against it. A reversal that passes
all tests is a rule without a test: the script names it and exits with status 1.

    .venv/bin/python scripts/reverse_rules.py
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "python" / "superword" / "reference"
TESTS = sorted((ROOT / "tests" / "unit").glob("test_reference*.py"))

# The reversed rule, the source text, and its replacement.
REVERSALS = [
    (
        "unmatched stretches are dropped",
        "[text[end : match.start()], match.group()]",
        "[match.group()]",
    ),
    (
        "text after the last match is dropped",
        "[*pretokens, text[end:]]",
        "pretokens",
    ),
    (
        "an empty match ends a stretch",
        "if match.group():",
        "if match.group() or match.start() > end:",
    ),
    (
        "the first group of a match is the pretoken",
        "match.group()]\n",
        "match.group(min(1, len(match.groups())))]\n",
    ),
    (
        "lone surrogates pass",
        r"[\ud800-\udfff]",
        "(?!)",
    ),
    (
        "a pretoken is eligible when its beginning matches",
        "regex.fullmatch(eligible",
        "regex.match(eligible",
    ),
    (
        "a lone letter is eligible",
        r"(?=.+\p{L})",
        r"(?=.*\p{L})",
    ),
    (
        "every pretoken of one token is open",
        "(self.is_eligible or self.is_superword)",
        "True",
    ),
    (
        "a superword is not open",
        "(self.is_eligible or self.is_superword)",
        "self.is_eligible",
    ),
    (
        "a unit of several tokens is open",
        "len(self.tokens) == 1 and",
        "len(self.tokens) >= 1 and",
    ),
    (
        "overlapping pairs count",
        'pair == previous or b"" in pair',
        'b"" in pair',
    ),
    (
        "a run of equal tokens counts once",
        "            previous = None\n        else:",
        "            previous = pair\n        else:",
    ),
    (
        "no token is looked up",
        "(b,) if (b := p.encode()) in lookup else single_bytes(b)",
        "single_bytes(p.encode())",
    ),
    (
        "a token is looked up where a pretoken starts with it",
        "(b,) if (b := p.encode()) in lookup else single_bytes(b)",
        "max(((t, *single_bytes(p.encode()[len(t) :])) for t in [*lookup, p.encode()[:1]]"
        " if p.encode().startswith(t)), key=lambda parts: len(parts[0]))",
    ),
    (
        "extending looks up no tokens",
        "initial_units(text, pattern, eligible, lookup) for text in documents]",
        "initial_units(text, pattern, eligible) for text in documents]",
    ),
    (
        "a looked-up token may be pruned",
        "set[bytes | None](lookup)",
        "set[bytes | None]()",
    ),
    (
        "a looked-up token may be a residue",
        "if len(token) == 1 or token in lookup}",
        "if len(token) == 1}",
    ),
    (
        "a looked-up token contains others",
        "if len(token) == 1 or token in lookup:",
        "if len(token) == 1:",
    ),
    (
        "replacements overlap",
        "at += 2 if is_pair else 1",
        "at += 1",
    ),
    (
        "replacements go from right to left",
        "== (rule.right,)\n",
        "== (rule.right,)\n"
        "        run = next((n for n, t in enumerate(tokens[at:]) if t != rule.left), None)\n"
        "        is_pair &= (run or len(tokens) - at) % 2 == 0 or rule.left != rule.right\n",
    ),
    (
        "a delete splits superwords too",
        "{} if unit.is_superword else {rule.left: rule.parts}",
        "{rule.left: rule.parts}",
    ),
    (
        "a delete splits into bytes whatever its parts",
        "else {rule.left: rule.parts}",
        "else {rule.left: single_bytes(rule.left)}",
    ),
    (
        "the smallest count is taken",
        "largest = max(",
        "largest = min(",
    ),
    (
        "ties go to the larger pair",
        "return min(tied,",
        "return max(tied,",
    ),
    (
        "ties are decided by the right token first",
        "return min(tied,",
        "return min(tied, key=lambda pair: pair[::-1],",
    ),
    (
        "the longer token is the smaller one",
        "return min(tied,",
        r'return min(tied, key=lambda pair: [token + b"\xff" for token in pair],',
    ),
    (
        "bytes are signed",
        "return min(tied,",
        "return min(tied, key=lambda pair: [[b ^ 128 for b in token] for token in pair],",
    ),
    (
        "a merge wins a tie with a supermerge",
        "if supermerge_count >= merge_count:",
        "if supermerge_count > merge_count:",
    ),
    (
        "min_count itself is too few",
        "max(merge_count, supermerge_count) < min_count",
        "max(merge_count, supermerge_count) <= min_count",
    ),
    (
        "min_count holds for merges only",
        "max(merge_count, supermerge_count) < min_count",
        "merge_count < min_count",
    ),
    (
        "supermerges cannot be switched off",
        "        if self.limits.supermerges:\n",
        "        if True:\n",
    ),
    (
        "a cap lets one superword too many pass",
        "len(counted) < self.limits.max_superwords",
        "len(counted) <= self.limits.max_superwords",
    ),
    (
        "a cap counts supermerges, not superwords",
        '{rule.token for rule in self.rules if rule.kind == "supermerge"}',
        '[rule.token for rule in self.rules if rule.kind == "supermerge"]',
    ),
    (
        "a cap counts unspaced words",
        "[token for token in superwords if not is_unspaced_word(token)]",
        "superwords",
    ),
    (
        "an unspaced word joins others under a cap",
        "return all(map(is_unspaced_word, pair)) and",
        "return",
    ),
    (
        "unspaced words join across a space under a cap",
        ' and not pair[1].startswith(b" ")',
        "",
    ),
    (
        "an unspaced word has the words of both sides",
        'if is_unspaced_word(b"".join(pair)):',
        "if False:",
    ),
    (
        "a token may be as long as a pair of the longest",
        "len(token) <= max_bytes",
        "max(map(len, pair)) <= max_bytes",
    ),
    (
        "max_token_bytes itself is too many",
        "len(token) <= max_bytes",
        "len(token) < max_bytes",
    ),
    (
        "max_words itself is too many",
        "pair) <= max_words",
        "pair) < max_words",
    ),
    (
        "a forbidden regex must match at the start",
        "regex.search(forbid",
        "regex.match(forbid",
    ),
    (
        "a token that is not UTF-8 is forbidden",
        "is not None\n    except UnicodeDecodeError:\n        return False\n\n\n@cache",
        "is not None\n    except UnicodeDecodeError:\n        return True\n\n\n@cache",
    ),
    (
        "a superword has one word more than its left side",
        "sum(self.words.get(token, 1) for token in pair)",
        "self.words.get(pair[0], 1) + 1",
    ),
    (
        "the last rule that makes a token decides its words",
        "max(words, self.words.get(rule.token, 1))",
        "words",
    ),
    (
        "the first rule that makes a token decides its words",
        "max(words, self.words.get(rule.token, 1))",
        "self.words.get(rule.token, words)",
    ),
    (
        "SuperBPE counts the words of both sides",
        "        if self.word_pattern is not None:\n",
        "        if False:\n",
    ),
    (
        "parts of characters are words",
        'decode(errors="ignore")',
        'decode(errors="replace")',
    ),
    (
        "a share is rounded up",
        "math.floor(max_superwords * vocab_size)",
        "math.ceil(max_superwords * vocab_size)",
    ),
    (
        "a pretoken counts once however often it occurs",
        "pair_counts[pair] += occurrences",
        "pair_counts[pair] += 1",
    ),
    (
        "counts for merges do not see absorbed pretokens",
        'if rule.kind != "supermerge":\n            self.alone = apply_rule(rule, self.alone)',
        "left = Counter(unit for units in self.documents for unit in units)\n"
        "        self.alone, self.occurrences = list(left), list(left.values())",
    ),
    (
        "an intersection over self of tau does not delete",
        "intersection_over_self >= tau",
        "intersection_over_self > tau",
    ),
    (
        "intersection over self is taken of the left token alone",
        "[unit.tokens.count(token) for unit in alone]",
        "[unit.tokens.count(merge[0]) for unit in alone]",
    ),
    (
        "deletion cannot be switched off",
        "in dict.fromkeys(merge) if deletion else ()",
        "in dict.fromkeys(merge)",
    ),
    (
        "single bytes are deleted",
        "if len(token) > 1 and intersection",
        "if intersection",
    ),
    (
        "the right token is deleted first",
        "in dict.fromkeys(merge) if deletion",
        "in dict.fromkeys(merge[::-1]) if deletion",
    ),
    (
        "the smaller token is deleted first",
        "in dict.fromkeys(merge) if deletion",
        "in sorted(set(merge)) if deletion",
    ),
    (
        "equal tokens are deleted twice",
        "in dict.fromkeys(merge) if deletion",
        "in merge if deletion",
    ),
    (
        "only the left token is deleted",
        "in dict.fromkeys(merge) if deletion",
        "in merge[:1] if deletion",
    ),
    (
        "a supermerge deletes too",
        "supermerge, (), supermerge_count))\n            return True",
        "supermerge, (), supermerge_count))\n"
        "            left = supermerge[0]\n"
        "            uses = [unit.tokens.count(left) for unit in self.alone]\n"
        "            count = sum(map(mul, uses, self.occurrences))\n"
        "            if deletion and len(left) > 1 and 0 < tau * count <= supermerge_count:\n"
        "                parts = single_bytes(left)\n"
        '                self.perform(Rule(len(self.rules), "delete", left, None, parts))\n'
        "            return True",
    ),
    (
        "mode pair splits into bytes",
        'self.pair_parts(token) if deletion == "pair" else',
        "",
    ),
    (
        "mode bytes splits into the pair",
        ' if deletion == "pair" else single_bytes(token)',
        "",
    ),
    (
        "mode pair never splits a part again",
        'if kinds[-1:] == ["delete"] else',
        'if kinds[-1:] == ["never"] else',
    ),
    (
        "mode pair splits a part that was ever deleted",
        'if kinds[-1:] == ["delete"] else',
        'if "delete" in kinds else',
    ),
    (
        "a supermerge saves a deleted part",
        'if r.token == part and r.kind != "supermerge"]',
        "if r.token == part]",
    ),
    (
        "mode pair takes the latest merge",
        "next(rule for rule in self.rules if",
        "next(rule for rule in self.rules[::-1] if",
    ),
    (
        "mode pair takes supermerges too",
        'if (rule.kind, rule.token) == ("merge", token))',
        'if rule.token == token and rule.kind != "delete")',
    ),
    (
        "a token enters the vocabulary twice",
        "if rule.token not in self.vocabulary:",
        "if True:",
    ),
    (
        "a token that is made again moves to the end",
        "if rule.token not in self.vocabulary:\n",
        "if rule.token in self.vocabulary:\n"
        "                self.vocabulary.remove(rule.token)\n"
        "            if True:\n",
    ),
    (
        "deleted tokens stay in the vocabulary",
        "self.vocabulary.remove(rule.token)",
        "pass",
    ),
    (
        "a deleted token leaves although a supermerge made it",
        '("supermerge", rule.token) not in [(',
        '("delete", rule.token) in [(',
    ),
    (
        "training stops one token early",
        "len(trainer.vocabulary) < vocab_size and",
        "len(trainer.vocabulary) < vocab_size - 1 and",
    ),
    (
        "deletions make no room",
        "len(trainer.vocabulary) < vocab_size and",
        'sum(r.kind != "delete" for r in trainer.rules) + 256 < vocab_size and',
    ),
    (
        "a vocabulary that is full ends the step before its deletions",
        "        for token in dict.fromkeys(merge) if",
        "        if len(self.vocabulary) == 258:\n            return True\n"
        "        for token in dict.fromkeys(merge) if",
    ),
    (
        "a mark with an inherited script has none",
        'scripts.append(last if script == "Inherited" else script)',
        'scripts.append("Common" if script == "Inherited" else script)',
    ),
    (
        "text without a script belongs to the script before it",
        "for at in reversed(range(len(text))):",
        "for at in reversed(range(0)):",
    ),
    (
        "text without a script at the end is a run of its own",
        "if at + 1 < len(text) else last",
        'if at + 1 < len(text) else "Common"',
    ),
    (
        "scripts without spaces are split like others",
        "is_unspaced = scripts[start] in UNSPACED_SCRIPTS",
        "is_unspaced = False",
    ),
    (
        "characters that are not assigned have a script",
        r"\p{Script=Unknown}",
        r"(?!)",
    ),
    (
        "letters of scripts without spaces are not eligible",
        "SCRIPT_ELIGIBLE if pattern == SCRIPT_PATTERN else ELIGIBLE",
        "ELIGIBLE",
    ),
    (
        "explain lists rules that change nothing",
        "if units != before:",
        "if True:",
    ),
    (
        "the latest rule spells a removed token",
        "next(rule for rule in rules if",
        "next(rule for rule in rules[::-1] if",
    ),
    (
        "only merges spell removed tokens",
        'if rule.kind != "delete" and rule.token == token)',
        'if (rule.kind, rule.token) in [("merge", token), ("delete", token)])',
    ),
    (
        "a removed token is replaced by its bytes",
        "return spell(left, rules, kept) + spell(right, rules, kept)",
        "return single_bytes(left + right)",
    ),
    (
        "of equally rare tokens the one with the smallest id is removed",
        "for t in reversed(kept) if len(t) > 1 and",
        "for t in kept if len(t) > 1 and",
    ),
    (
        "single bytes are removed",
        "for t in reversed(kept) if len(t) > 1 and",
        "for t in reversed(kept) if",
    ),
    (
        "a token that a kept one is made from is removed with its rules",
        "and t not in needed]",
        "]",
    ),
    (
        "tokens are not counted again",
        "eligible=eligible, kept=kept)",
        "eligible=eligible)",
    ),
    (
        "a share equal to residues stays",
        "shares.get(t, 0.0) < residues",
        "shares.get(t, 0.0) <= residues",
    ),
    (
        "a residue is directly inside a larger token",
        "return (*pair, *(inner for part in pair for inner in inner_tokens(part, rules, lookup)))",
        "return pair",
    ),
    (
        "several regexes are one alternation",
        '.split("(?then)")',
        '.replace("(?then)", "|").split("\\0")',
    ),
    (
        "extending by both kinds learns merges only",
        'supermerges=kind != "merges")',
        'supermerges=kind == "superwords")',
    ),
    (
        "an extension has no cap",
        'limits._replace(supermerges=kind != "merges")',
        'limits._replace(max_superwords=math.inf, supermerges=kind != "merges")',
    ),
    (
        "extending by merges learns supermerges too",
        'supermerges=kind != "merges")',
        "supermerges=True)",
    ),
    (
        "extending deletes tokens",
        "trainer.step(None, 1, min_count)",
        'trainer.step("bytes", 0.5, min_count)',
    ),
]


def find_installed_package() -> Path:
    """Return the folder of the installed package, which includes the compiled module."""
    spec = importlib.util.find_spec("superword")
    if spec is None or not spec.submodule_search_locations:
        sys.exit("superword is not installed here; `make test` installs it in .venv")
    return Path(spec.submodule_search_locations[0])


def find_failing_test(package: Path) -> str | None:
    """Run the tests against a copy of the package, and return the first that fails, if any."""
    path = os.pathsep.join([str(package.parent), os.environ.get("PYTHONPATH", "")])
    # Without bytecode files, a run cannot use the reversal before it.
    environment = os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--tb=no", "-p", "no:cacheprovider"]
    run = subprocess.run(
        [*command, *map(str, TESTS)], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    if run.returncode == 0:
        return None
    if failure := re.search(r"^FAILED \S*::(\w+)", run.stdout, re.MULTILINE):
        return failure.group(1)
    sys.exit(f"the tests did not run:\n{run.stdout}{run.stderr}")


def main() -> None:
    """Run the tests on the unchanged reference, then on each reversal."""
    survivors = 0
    with tempfile.TemporaryDirectory() as directory:
        package = Path(directory) / "superword"
        shutil.copytree(
            find_installed_package(), package, ignore=shutil.ignore_patterns("__pycache__")
        )
        sources = {path.name: path.read_text(encoding="utf-8") for path in REFERENCE.glob("*.py")}
        for name, source in sources.items():
            (package / "reference" / name).write_text(source, encoding="utf-8")
        if failure := find_failing_test(package):
            sys.exit(f"{failure} fails on the unchanged reference")
        for name, old, new in REVERSALS:
            count = sum(source.count(old) for source in sources.values())
            if count != 1:
                sys.exit(f"{name}: {old!r} occurs {count} times, not once")
            [file] = [file for file, source in sources.items() if old in source]
            path = package / "reference" / file
            path.write_text(sources[file].replace(old, new), encoding="utf-8")
            failure = find_failing_test(package)
            path.write_text(sources[file], encoding="utf-8")
            survivors += failure is None
            print(f"{name}: {failure or 'NO TEST FAILS'}", flush=True)
    print(f"{len(REVERSALS) - survivors} of {len(REVERSALS)} reversals noticed")
    sys.exit(survivors > 0)


if __name__ == "__main__":
    main()

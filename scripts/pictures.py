"""Draw the pictures of the README: a sentence in BPE and in superwords, and speed.

    python scripts/pictures.py

The sentence is split by models that are trained here, on the bundled novels. The speeds are those
in `benchmarks/results`. Each picture is written twice, for light and for dark pages; the
backgrounds are transparent. Text is text: the letters of a token fill its box in any font.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

import superword
from superword.tokenizer.colors import PALETTE, choose_color
from superword.tokenizer.shown_tokens import ShownToken

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs/pictures"
SENTENCE = "He took one of them out of his pocket and went back to the end of the room."
VOCAB_SIZE = 16_384

WIDTH = 880
MONOSPACE = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
SANS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', Helvetica, Arial, sans-serif"
# The width of a letter of a token.
LETTER = 8.4


class Theme(NamedTuple):
    """The colors of a picture."""

    ink: str
    soft: str
    peer: str


THEMES = {
    "light": Theme("#1f2328", "#59636e", "#c5ccd3"),
    "dark": Theme("#e6edf3", "#9198a1", "#4b535c"),
}


class Bar(NamedTuple):
    """A bar: its label, its value, and whether it is one of ours."""

    label: str
    value: float
    is_ours: bool


def draw_text(
    x: float, y: float, text: str, color: str, style: str = "", width: float | None = None
) -> str:
    """Draw a text; with a width, its letters are spaced to fill it."""
    length = "" if width is None else f' textLength="{width:.1f}" lengthAdjust="spacingAndGlyphs"'
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{color}"{length} {style}>{escape(text)}</text>'


def draw_picture(title: str, height: float, parts: Sequence[str]) -> str:
    """Return a picture with a title, which screen readers read."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" '
        f'width="{WIDTH}" height="{height:.0f}" role="img" font-family="{SANS}" font-size="14">\n'
        f"<title>{escape(title)}</title>\n" + "\n".join(parts) + "\n</svg>\n"
    )


def draw_token(x: float, y: float, shown: ShownToken, theme: Theme) -> tuple[str, float]:
    """Draw a token, underlined and with its number of words if it is a superword.

    Returns:
        The drawing, and where the next token starts.
    """
    text = shown.token.decode()
    color = "#{:02x}{:02x}{:02x}".format(*choose_color(shown.id))
    width = len(text) * LETTER + 8 + (8 if shown.is_superword else 0)
    box = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="26" rx="5"'
    parts = [f'<rect {box} fill="{color}" fill-opacity="0.32"/>']
    stripped = text.lstrip(" ")
    start = x + 4 + (len(text) - len(stripped)) * LETTER
    style = f'font-family="{MONOSPACE}"'
    parts.append(draw_text(start, y + 18, stripped, theme.ink, style, len(stripped) * LETTER))
    if shown.is_superword:
        line = f'x="{x + 2:.1f}" y="{y + 24:.1f}" width="{width - 4:.1f}" height="2" rx="1"'
        parts.append(f'<rect {line} fill="{color}"/>')
        small = 'font-size="9"'
        parts.append(draw_text(x + width - 8, y + 10, str(shown.words), theme.soft, small))
    return "".join(parts), x + width + 2


def draw_sentence(theme: Theme) -> str:
    """Draw the sentence as BPE and as BoundlessBPE split it."""
    novels = list(superword.sample())
    models = {
        "BPE": superword.train(novels, VOCAB_SIZE, supermerges=False, deletion=None),
        "BoundlessBPE": superword.train(novels, VOCAB_SIZE, max_superwords=1 / 16),
    }
    parts, y, counts = [], 0.0, []
    for name, tok in models.items():
        tokens = tok.show(SENTENCE).tokens
        counts.append(f"{name}: {len(tokens)} tokens")
        bold = 'font-weight="600"'
        parts.append(draw_text(0, y + 15, name, theme.ink, bold))
        end = f'text-anchor="end" {bold}'
        parts.append(draw_text(WIDTH, y + 15, f"{len(tokens)} tokens", theme.ink, end))
        x = 0.0
        for shown in tokens:
            drawn, x = draw_token(x, y + 24, shown, theme)
            parts.append(drawn)
        assert x <= WIDTH, "the sentence is too long"
        y += 68
    note = (
        f"Two models of {VOCAB_SIZE:,} tokens, trained on the bundled novels. Superwords are "
        "underlined, with their number of words."
    )
    parts.append(draw_text(0, y + 8, note, theme.soft, 'font-size="12"'))
    return draw_picture(f"“{SENTENCE}” {', '.join(counts)}", y + 14, parts)


def read_results(name: str) -> dict[str, dict[str, float]]:
    """Return the rows of a benchmark."""
    found = json.loads((ROOT / f"benchmarks/results/{name}.json").read_text())
    rows: dict[str, dict[str, float]] = found["trainers" if "trainers" in found else "speeds"]
    return rows


def draw_speed(theme: Theme) -> str:
    """Draw how long training takes, and how fast encoding is."""
    trained, encoded = read_results("train-1000"), read_results("encode")
    ours = {"BPE": "plain BPE, gpt4o", "BoundlessBPE": "BoundlessBPE, gpt4o"}
    training = [
        Bar(f"superword, {name}", trained[key]["seconds"], True) for name, key in ours.items()
    ]
    training += [
        Bar(label(key), row["seconds"], False)
        for key, row in trained.items()
        if key.startswith(("gigatoken", "rustbpe", "tokenizers"))
    ]
    encoding = [
        Bar(label(key), row["unseen"], key.startswith("superword")) for key, row in encoded.items()
    ]
    half = WIDTH / 2 - 16
    left = draw_bars(
        0, half, "Training on 1 GB: seconds", sorted(training, key=by_value), "{:.0f} s", theme
    )
    fastest = sorted(encoding, key=by_value, reverse=True)
    right = draw_bars(
        WIDTH - half, half, "Encoding new text: MB per second", fastest, "{:.0f} MB/s", theme
    )
    height = 30 + 24 * max(len(training), len(encoding)) + 22
    note = (
        "Two cores for training, one for encoding; 131,072 tokens; the other libraries train and "
        "encode plain BPE. Shorter is better on the left, longer on the right."
    )
    parts = [*left, *right, draw_text(0, height - 6, note, theme.soft, 'font-size="12"')]
    title = "; ".join(f"{bar.label}: {bar.value:.0f}" for bar in [*training, *fastest])
    return draw_picture(
        f"Seconds to train on 1 GB, and MB per second of encoding. {title}", height, parts
    )


def by_value(bar: Bar) -> float:
    """Return what bars are sorted by."""
    return bar.value


def label(key: str) -> str:
    """Return the name of a library without its version.

    Example: "tokenizers 0.23.3" is "Hugging Face tokenizers".
    """
    name = key.partition(" ")[0].rstrip(",")
    if name == "superword":
        return key.replace("plain ", "")
    return {"tokenizers": "Hugging Face tokenizers"}.get(name, name)


def draw_bars(
    x: float, width: float, title: str, bars: Sequence[Bar], form: str, theme: Theme
) -> list[str]:
    """Draw bars below each other, with their labels at the left and their values at the right."""
    parts = [draw_text(x, 15, title, theme.ink, 'font-weight="600"')]
    blue = "#{:02x}{:02x}{:02x}".format(*PALETTE[7])
    start, room = x + 178, width - 178 - 72
    most = max(bar.value for bar in bars)
    for at, bar in enumerate(bars):
        y = 30 + 24 * at
        color = theme.ink if bar.is_ours else theme.soft
        parts.append(draw_text(x, y + 13, bar.label, color, 'font-size="13"'))
        length = max(room * bar.value / most, 1.5)
        fill = blue if bar.is_ours else theme.peer
        parts.append(
            f'<rect x="{start:.1f}" y="{y + 2}" width="{length:.1f}" height="14" rx="3" '
            f'fill="{fill}"/>'
        )
        parts.append(
            draw_text(start + length + 6, y + 13, form.format(bar.value), color, 'font-size="13"')
        )
    return parts


def draw_all() -> dict[str, str]:
    """Return the pictures by their file names."""
    return {
        f"{name}-{theme}.svg": draw(colors)
        for name, draw in (("sentence", draw_sentence), ("speed", draw_speed))
        for theme, colors in THEMES.items()
    }


def main(folder: Path) -> None:
    """Write the pictures to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in draw_all().items():
        (folder / name).write_text(picture, "utf-8")
        print(folder / name)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)

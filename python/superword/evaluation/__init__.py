"""Measure and compare tokenizers: docs/evaluation.md.

Files in reading order:

- `tokenizers`: one interface to tokenizers of several libraries (`token_spelling` reads their
  tokens, `extras` imports the libraries, `names` tells tokenizers of one name apart).
- `sentencepiece_models`: SentencePiece models behind that interface.
- `opening`: tokenizers from files, by name, or as objects of these libraries.
- `metrics`: bytes per token, Rényi efficiency and the other metrics, as functions of numbers.
- `alignment`, `instability`, `sources`: tokens against pretokens, the ends of prompts, totals by
  source.
- `scripts`, `script_changes`: totals by script (`script_ranges` is generated), and which lose.
- `batches`, `evaluator`: measure a batch of documents, then a whole corpus.
- `measurement`: the result of measuring one tokenizer.
- `rare_tokens`, `pruning`: a smaller vocabulary, without tokens that a corpus hardly needs.
- `windows`, `bootstrap`: the windows in which a language model scores a document, and the interval
  of a difference. Both depend on numpy alone.
- `encoded_documents`, `end_of_text`, `language_models`, `model_scoring`: bits per byte of language
  models. `bit_counts`, `bit_comparison`: the result, its file and its tables.
- `comparison`, `comparison_page`, `comparison_plot`: results side by side, as tables, as a page
  and as figures (`plot_style`).
"""

from superword.evaluation.bit_comparison import (
    ComparedBits,
    compare_bits_per_byte,
    format_bits_csv,
    format_bits_latex,
    format_bits_markdown,
    print_bits,
)
from superword.evaluation.bit_counts import (
    BitsPerByte,
    BitTotals,
    ScoringSettings,
    load_bits_per_byte,
    save_bits_per_byte,
)
from superword.evaluation.bootstrap import BitsDifference, bootstrap_difference
from superword.evaluation.comparison import (
    METRICS,
    Measurements,
    compare_measurements,
    format_comparison_csv,
    format_comparison_html,
    format_comparison_latex,
    format_comparison_markdown,
    print_comparison,
)
from superword.evaluation.comparison_page import ComparedText, build_comparison_page, show_text
from superword.evaluation.comparison_plot import check_plot_path, save_plot
from superword.evaluation.evaluator import compare, evaluate
from superword.evaluation.extras import import_extra
from superword.evaluation.language_models import TransformersModel, open_language_model
from superword.evaluation.measurement import Measurement
from superword.evaluation.metrics import rank_counts, supermerge_shares
from superword.evaluation.model_scoring import ScoreWindows, bits_per_byte
from superword.evaluation.names import name_apart
from superword.evaluation.opening import TokenizerLike, open_tokenizer
from superword.evaluation.plot_style import (
    create_figure,
    format_percent_axis,
    render_figure,
    thin_log_counts,
    use_plot_style,
)
from superword.evaluation.pruning import Pruned, prune
from superword.evaluation.script_changes import (
    describe_script_losses,
    find_losing_scripts,
    list_scripts,
    most_bytes,
    script_rate,
)
from superword.evaluation.scripts import SCRIPTS, ScriptTotals
from superword.evaluation.sources import SourceTotals, group_sources
from superword.evaluation.tokenizers import AnyTokenizer, HuggingFace, Ours, flatten_ids
from superword.evaluation.windows import Window, cut_windows
from superword.html_page import TableColumn, build_page, build_table, inline_svg

__all__ = [
    "METRICS",
    "SCRIPTS",
    "AnyTokenizer",
    "BitTotals",
    "BitsDifference",
    "BitsPerByte",
    "ComparedText",
    "ComparedBits",
    "Measurements",
    "HuggingFace",
    "Measurement",
    "Ours",
    "Pruned",
    "ScoreWindows",
    "ScoringSettings",
    "ScriptTotals",
    "SourceTotals",
    "TableColumn",
    "TokenizerLike",
    "TransformersModel",
    "Window",
    "bits_per_byte",
    "bootstrap_difference",
    "build_comparison_page",
    "build_page",
    "build_table",
    "check_plot_path",
    "compare",
    "compare_bits_per_byte",
    "compare_measurements",
    "create_figure",
    "cut_windows",
    "describe_script_losses",
    "evaluate",
    "find_losing_scripts",
    "flatten_ids",
    "format_bits_csv",
    "format_bits_latex",
    "format_bits_markdown",
    "format_comparison_csv",
    "format_comparison_html",
    "format_comparison_latex",
    "format_comparison_markdown",
    "format_percent_axis",
    "group_sources",
    "import_extra",
    "inline_svg",
    "list_scripts",
    "load_bits_per_byte",
    "most_bytes",
    "name_apart",
    "open_language_model",
    "open_tokenizer",
    "print_bits",
    "print_comparison",
    "prune",
    "rank_counts",
    "render_figure",
    "save_bits_per_byte",
    "save_plot",
    "script_rate",
    "show_text",
    "supermerge_shares",
    "thin_log_counts",
    "use_plot_style",
]

"""Measuring and comparing tokenizers: docs/evaluation.md.

Data walks one way: tokenizers -> measure -> measurement -> comparison, figures, claims, report.
"""

from superword.evaluation.measure import evaluate
from superword.evaluation.measurement import Measurement
from superword.evaluation.tokenizers import AnyTokenizer, open_tokenizer

__all__ = ["AnyTokenizer", "Measurement", "evaluate", "open_tokenizer"]

"""How well a model does the trainer's work, on utterances whose meaning is known. `docs/evals.md` says what counts."""

from spotter.evaluating.judging import Verdict
from spotter.evaluating.running import Results, Run, chosen, evaluate

__all__ = ["Results", "Run", "Verdict", "chosen", "evaluate"]

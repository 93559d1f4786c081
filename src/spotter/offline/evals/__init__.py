"""Utterances with what they mean, and how well they are understood. GUIDE.md says how they are labelled."""

from spotter.offline.evals.cases import NOW, TABLES, Case, cases
from spotter.offline.evals.scoring import Miss, Report, score

__all__ = ["NOW", "TABLES", "Case", "Miss", "Report", "cases", "score"]

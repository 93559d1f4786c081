"""Which intent a stretch of words has, by weights learned from texts of our own: a linear model in plain Python."""

from spotter.offline.understanding.weighing.cutting import Part, meant, parts_of
from spotter.offline.understanding.weighing.model import MIXED, Model, Scores, default_model

__all__ = ["MIXED", "Model", "Part", "Scores", "default_model", "meant", "parts_of"]

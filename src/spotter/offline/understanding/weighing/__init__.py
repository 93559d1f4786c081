"""Which intent a stretch of words has: by weights of words, and by what the small language model hears in it."""

from spotter.offline.understanding.weighing.cutting import Part, meant, parts_of
from spotter.offline.understanding.weighing.hearing import heard_in, is_alarm
from spotter.offline.understanding.weighing.model import MIXED, Model, Scores, default_model

__all__ = ["MIXED", "Model", "Part", "Scores", "default_model", "heard_in", "is_alarm", "meant", "parts_of"]

"""The exercises Spotter knows: data files, the book made from them, finding by name, swapping.

The files in `data/` are the source, one for each movement pattern; `scripts/format_catalogue.py` keeps their form
and `check.py` their sense.
"""

from spotter.training.catalogue.book import Catalogue, Ladder, UnknownExercise, catalogue
from spotter.training.catalogue.matching import Match
from spotter.training.catalogue.swapping import Swap, easier, harder, swaps

__all__ = [
    "Catalogue",
    "Ladder",
    "Match",
    "Swap",
    "UnknownExercise",
    "catalogue",
    "easier",
    "harder",
    "swaps",
]

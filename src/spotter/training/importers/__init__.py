"""Other people's data in our words: exercise collections, and workout logs of other apps.

Parsing only: everything is an iterator over what was understood and what was not (`Skipped`, with the reason), and ids
follow from the content, so that reading a file twice gives the same things twice.
"""

from spotter.training.importers.imported import ImportedExercise
from spotter.training.importers.logged import LoggedExercise, LoggedSet, LoggedWorkout
from spotter.training.importers.outcome import Report, Skipped, UnreadableFile
from spotter.training.importers.sources import read_exercises, read_log

__all__ = [
    "ImportedExercise",
    "LoggedExercise",
    "LoggedSet",
    "LoggedWorkout",
    "Report",
    "Skipped",
    "UnreadableFile",
    "read_exercises",
    "read_log",
]

"""Which of an agent's tools a message asks for, and with which arguments; for any agent, by the tools' own words."""

from spotter.offline.choosing.arguments import Filled, fill_arguments, question_for
from spotter.offline.choosing.ranking import Choice, Offered, Ranked, Verdict, choose, rank

__all__ = [
    "Choice",
    "Filled",
    "Offered",
    "Ranked",
    "Verdict",
    "choose",
    "fill_arguments",
    "question_for",
    "rank",
]

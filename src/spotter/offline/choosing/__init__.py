"""Which of an agent's tools a message asks for, and with which arguments; for any agent, by the tools' own words."""

from spotter.offline.choosing.agents import AGENT_CHOICE, chosen_agent
from spotter.offline.choosing.arguments import Filled, fill_arguments, question_for
from spotter.offline.choosing.ranking import Choice, Offered, Ranked, Verdict, choose, rank

__all__ = [
    "AGENT_CHOICE",
    "Choice",
    "Filled",
    "Offered",
    "Ranked",
    "Verdict",
    "choose",
    "chosen_agent",
    "fill_arguments",
    "question_for",
    "rank",
]

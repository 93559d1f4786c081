"""What somebody means, by rules: no model, no network, the same answer every time.

Text becomes tokens (`text`, `spelling`), tokens become a line of words and tags (`reading`), lines are cut into
clauses, rules over clauses give intents (`deciding`), and what a clause says fills slots (`filling`).
"""

from spotter.offline.understanding.dialogue import EMPTY, Question, Scheduled, Table
from spotter.offline.understanding.intents import Intent
from spotter.offline.understanding.names import BASIC_NAMES, NameList, Names, everyday
from spotter.offline.understanding.references import Item
from spotter.offline.understanding.slots import Slots, Span
from spotter.offline.understanding.understanding import Asked, Understander, Understanding

__all__ = [
    "BASIC_NAMES",
    "EMPTY",
    "Asked",
    "Intent",
    "Item",
    "NameList",
    "Names",
    "Question",
    "Scheduled",
    "Slots",
    "Span",
    "Table",
    "Understander",
    "Understanding",
    "everyday",
]

"""Why something is not in the workout: what speaks against it, or that nothing does and how to get it in."""

from spotter.offline.acting.making import base_request
from spotter.offline.acting.turn import Turn, joined, plainly
from spotter.training.athlete import EVERYWHERE, Athlete
from spotter.training.check import why_not
from spotter.training.design import main_goal
from spotter.training.exercise import Exercise
from spotter.training.explaining import focus
from spotter.training.record import record_of
from spotter.training.rules import limits_of
from spotter.training.slots import about, muscles_meant, slots_for
from spotter.training.vocabulary import Equipment

_UNNAMED = "it needs equipment I have no name for, so I never take it for granted"


def reasons_against(turn: Turn, known: Exercise) -> list[str]:
    """As the check sees it, and what nobody has said: which equipment there is, which joints it loads."""
    athlete = turn.athlete
    found = why_not(known, athlete, limits_of(athlete))
    if known.unproven:
        found = [each for each in found if "load on the" not in each]  # those loads are guesses of ours
    if _unnamed(known):
        return [*(each for each in found if not each.startswith("needs ")), _UNNAMED]
    if athlete.equipment is None and known.setup_with(EVERYWHERE) is None:
        found.append(f"it needs {_needed(known)}, and you have not told me that you have that")
    return found


def why_absent(turn: Turn, known: Exercise) -> str:
    if reasons := reasons_against(turn, known):
        return f"{known.name} is left out of your workouts: {plainly(reasons)}."
    name = known.name.lower()
    if not turn.state.table:
        return f"Nothing speaks against {name}: ask for it and I put it into your next workout."
    because = _elsewhere(turn, known) or _tired(turn, turn.athlete, known)
    because = because or "other exercises for the same muscles came first this time"
    return f"Nothing speaks against {name}: {because}. Say “add {name}” and I put it in."


def _unnamed(known: Exercise) -> bool:
    return all(Equipment.OTHER in setup for setup in known.setups)


def _needed(known: Exercise) -> str:
    """Of its ways to be done, the one with least."""
    setup = min(known.setups, key=lambda each: (len(each), sorted(each)))
    return joined(sorted(item.value.replace("_", " ") for item in setup))


def _elsewhere(turn: Turn, known: Exercise) -> str:
    request = base_request(turn)
    patterns = {pattern for slot in slots_for(request, main_goal(turn.athlete)) for pattern in slot.patterns}
    meant = muscles_meant(request)
    if not about(request) or known.pattern in patterns or meant & set(known.primary):
        return ""
    muscles = joined([muscle.replace("_", " ") for muscle in known.primary])
    return f"it trains {muscles}, and this workout is for {joined(focus(request, main_goal(turn.athlete)))}"


def _tired(turn: Turn, athlete: Athlete, known: Exercise) -> str:
    record = record_of(athlete, turn.mind.book, turn.now.date())
    muscle = known.primary[0]
    if record.rested.get(muscle, 99) > 1:
        return ""
    return f"your {muscle.value.replace('_', ' ')} worked yesterday or today already"

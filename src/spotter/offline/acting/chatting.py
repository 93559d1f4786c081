"""What is said when nothing is to be done: short, friendly, and plain about what it is when asked."""

import re
from typing import Final

from spotter.offline.acting.turn import Turn
from spotter.offline.understanding import Intent
from spotter.offline.understanding.language import other_language
from spotter.offline.understanding.text import tokens_of

_WHAT_ARE_YOU: Final = re.compile(
    r"\b(?:are you|r u|you) (?:an? )?(?:real|human|person|ai|a\.i|robot|bot|machine|chatgpt|gpt|llm|model|computer)"
    r"|\bwhat are you\b|\bwho are you\b|\bwhich model\b|\bwhat model\b|\bam i talking to\b"
)
WHAT_WE_ARE: Final = (
    "I am Spotter's built-in trainer: a program that works by rules, without a language model behind it, not a person. "
    "I plan workouts, change them, log them and keep your goals and preferences in mind."
)
_HELP: Final = (
    "I plan workouts around your time, equipment, goals and anything that hurts, change them, log them, and keep "
    "track.\nFor example: “30 min upper body, no equipment, my left knee hurts” · “swap the second one” · “make it 20 "
    "minutes” · “I hate burpees, never again” · “log it, did everything but the last” · “how did my week go?” · "
    "“put legs on Thursday 7am”."
)
OFFERS: Final = (
    "Make me a 30 minute workout",
    "How did my week go?",
    "What is on my calendar?",
    "What can you do?",
)
_LANGUAGES: Final = {
    "de": "Entschuldigung, ich verstehe bisher nur Englisch.",
    "es": "Lo siento, por ahora solo entiendo inglés.",
    "fr": "Désolé, pour l'instant je ne comprends que l'anglais.",
}
_EMERGENCY: Final = (
    "Please stop exercising now. What you describe can be serious: call your local emergency number or get medical "
    "help right away, and do not stay alone. I will not plan any training until a doctor has cleared you."
)
_WARNING_SIGN: Final = (
    "What you mention can be a warning sign, so I plan nothing yet. If it is happening now, stop and get medical help. "
    "If it is not, please let a doctor look at it; once that is settled, tell me again what you would like to train."
)
_DRUGS: Final = (
    "About performance drugs I give no doses, cycles or sources: they can harm heart, liver and hormones for good. "
    "Please talk to a doctor."
)
_DANGERS: Final = {
    "self_harm": (
        "I am really sorry that you are going through this. You deserve support from a person now: please call your "
        "local emergency number or a crisis line, or reach out to somebody you trust, and stay with them. Training can "
        "wait."
    ),
    "eating": (
        "Thank you for telling me. I will not give numbers for eating less or training it off: that would not be good "
        "for you. Please talk to a doctor or somebody you trust; they can really help. I am here when you want to move "
        "because it feels good."
    ),
    "pregnancy": (
        "Please stop training now and call your midwife or doctor at once; if you cannot reach them, the emergency "
        "number. I will not plan a workout until they have said that it is fine."
    ),
    "joint": (
        "Please stop: do not load it any more today. A joint that locks, gives way or swells should be seen by a "
        "doctor before you train it. I will not plan a workout on it; tell me when you have been cleared."
    ),
}


def courtesy(turn: Turn, intent: Intent) -> None:
    said = turn.text.lower()
    match intent:
        case _ if _WHAT_ARE_YOU.search(said):
            turn.say(WHAT_WE_ARE)
        case Intent.GREETING:
            turn.say("Hello! What shall we train today? Tell me the time you have, or say “help”.")
        case Intent.THANKS:
            turn.say("You are welcome!")
        case Intent.HELP:
            turn.say(_HELP)
        case Intent.STOP | Intent.NO:
            turn.say("All right, I leave everything as it is.")
        case Intent.YES:
            turn.say("Good! What would you like to do next?")
        case _:
            turn.say("I am best at training. Tell me what you feel like today, and how much time you have.")


def danger(turn: Turn, kind: str | None) -> None:
    """Never a workout, whatever else was said."""
    turn.say(_DANGERS.get(kind or "", _EMERGENCY))
    turn.reason = "Safety first."


def cautious(turn: Turn, *, sore_spot: bool) -> bool:
    """What the safety rules saw in a message comes before what we understood of it. True when nothing else is done.

    Only a possible warning sign gets here, a sure one never reaches a model. With a sore spot that was understood, and
    no danger of our own finding, it was that: it is planned around, which is more than refusing would do for anybody.
    """
    note = turn.caution
    if "distress" in note:
        danger(turn, "self_harm")
    elif "disordered eating" in note:
        danger(turn, "eating")
    elif "medical warning sign" in note and not sore_spot:
        turn.say(_WARNING_SIGN)
    elif "Performance drugs" in note:
        turn.say(_DRUGS)
        return False
    else:
        return False
    return True


def foreign(turn: Turn) -> None:
    code = other_language(tokens_of(turn.text)) or "other"
    first = _LANGUAGES.get(code)
    if first:
        turn.say(first)
    turn.say(
        "I understand English. Please write to me in English, for example: “30 minutes, full body, no equipment”."
    )


def unknown(turn: Turn) -> None:
    if _WHAT_ARE_YOU.search(turn.text.lower()):
        turn.say(WHAT_WE_ARE)
        return
    if turn.state.table:
        options = ("Swap an exercise", "Make it shorter", "Make it easier", "Log the whole workout")
        turn.ask("I am not sure what you mean. What should I do with your workout?", options)
    else:
        turn.ask("I am not sure what you mean. What would you like?", OFFERS)

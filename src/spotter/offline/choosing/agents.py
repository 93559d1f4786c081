"""Which of several agents a message is for, by what they say of themselves: the same ranking as for tools."""

import re
from typing import Any, Final

from spotter.offline.choosing.ranking import Offered, Ranked, Verdict, choose, rank

AGENT_CHOICE: Final = "agent_choice"
_AGENTS: Final = re.compile(r"<agents>\n(.*?)\n</agents>", re.DOTALL)
_AGENT: Final = re.compile(r"^- ([a-z][a-z0-9_]*): (.*?)(?: For example: (.*))?$", re.MULTILINE)
_NOW: Final = re.compile(r"^Now speaking: (\S+)$", re.MULTILINE)
_SPOKEN: Final = re.compile(r"<conversation>\n(.*?)\n</conversation>", re.DOTALL)
_PAGE: Final = re.compile(r"<page>\n(.*?)\n</page>", re.DOTALL)
_PERSON: Final = re.compile(r"^user: (.*)$", re.MULTILINE)
_QUOTED: Final = re.compile(r"“(.*?)”")
_SOME: Final = 3
_LITTLE: Final = 0.15
_WELL: Final = 1.5


def chosen_agent(task: str, question: str) -> dict[str, Any]:
    """What was said last counts first; when it tells too little, what was said before, and the page it was said on."""
    found = _AGENTS.search(task)
    agents = [
        Offered(name, description, examples=tuple(_QUOTED.findall(examples or "")))
        for name, description, examples in _AGENT.findall(found[1] if found else "")
    ]
    now = _NOW.search(task)
    current = now[1] if now else (agents[0].name if agents else "")
    spoken, page = _SPOKEN.search(question), _PAGE.search(question)
    said = _PERSON.findall(spoken[1]) if spoken else []
    about = page[1] if page else ""
    if said and (best := _clearly(said[-1], agents)):
        return _answer(agents, said[-1], best, f"What is asked fits what {best} is for.")
    more = " ".join([*said[-_SOME:], about]).strip()
    if more and (best := _clearly(more, agents) or _ahead(about, agents)):
        return _answer(agents, more, best, f"What was said, and where, fits what {best} is for.")
    return _answer(agents, more, current, f"Nothing fits clearly better than {current}.")


def _clearly(text: str, agents: list[Offered]) -> str:
    choice = choose(text, agents)
    return choice.tool.name if choice.verdict is Verdict.CALL and choice.tool is not None else ""


def _ahead(page: str, agents: list[Offered]) -> str:
    """A page speaks of much that no agent knows: there it is enough to be well ahead of the others."""
    found = rank(page, agents)
    if not found or found[0].covered < _LITTLE:
        return ""
    return found[0].tool.name if len(found) == 1 or found[0].score > _WELL * found[1].score else ""


def _answer(agents: list[Offered], text: str, best: str, reason: str) -> dict[str, Any]:
    ranked: list[Ranked] = rank(text, agents)
    scores = {agent.name: 0.0 for agent in agents} | {each.tool.name: each.covered for each in ranked}
    return {"scores": scores, "root_agent": best, "reason": reason}

"""The log as a model sees it. Fed event by event and kept, so that a turn costs what its new events cost.

Every history is legal for every provider: a call that the log does not answer (yet) is answered here, in the same
place each time, so that what was sent before stays a prefix of what is sent next.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Final

from spotter.llm.prompt import AssistantMessage as Said
from spotter.llm.prompt import Fragment, History, Kind, Replay, ToolCall, ToolResult
from spotter.llm.prompt import UserMessage as Heard
from spotter.runtime import verdicts
from spotter.runtime.outside import source_of, wrapped
from spotter.runtime.taint import marks_of
from spotter.runtime.verdicts import RedFlag
from spotter.sessions.codec import Event
from spotter.sessions.events import (
    Action,
    ApprovalDecided,
    ApprovalRequested,
    AssistantMessage,
    Checkpoint,
    Content,
    Ending,
    Failure,
    Handoff,
    Knowledge,
    Notice,
    Outcome,
    Result,
    Stage,
    TurnResumed,
    UserMessage,
    ending_of,
    is_direct,
)

_NOT_ANSWERED: Final = "No result yet: this call is still waiting."
_WAITS: Final = (
    "Not carried out yet: it is waiting for a person's approval. Its result will be told as soon as there is one. Do "
    "not make the same call again."
)
_IDENTICAL_REMEMBERED: Final = 8


class SessionView:
    """What one process knows of a session: its fragments, and what the loop needs to go on."""

    __slots__ = (
        "_held",
        "_places",
        "_shown_from",
        "_turn_over",
        "_turn_starts",
        "awaiting",
        "calls_in_turn",
        "direct_only",
        "due",
        "ending",
        "fragments",
        "knowledge",
        "known_calls",
        "last_sequence",
        "model_calls",
        "noticed",
        "pending",
        "read",
        "recent_calls",
        "red_flag",
        "speaker",
        "to_answer",
        "turn_started",
        "undone",
        "uninformed",
    )

    def __init__(self) -> None:
        self.fragments = History()
        self._places: list[int] = []
        self._held: list[Fragment] = []
        self._turn_starts: set[int] = set()
        self._shown_from = 0
        self.speaker: str | None = None
        """Who was handed the conversation last; None where nobody was."""
        self.last_sequence = 0
        self.pending: dict[str, Action] = {}
        """Calls without a result, in order. Not all of them are in `fragments` unanswered: see `_answer_pending`."""
        self.knowledge: dict[str, tuple[int, str]] = {}
        """By source, what the context holds of it, and the event that told it."""
        self.awaiting: dict[str, ApprovalRequested] = {}
        """Calls that a person has not decided about yet. Those that people talked past are no longer `pending`."""
        self.due: dict[str, ApprovalDecided] = {}
        """Calls that were decided about and have no result yet: the next thing to do."""
        self.read: set[str] = set()
        """Tools whose results the context has held, and marks of its knowledge: see `taint.py`."""
        self.undone: dict[str, Action] = {}
        """Calls that a program made and nobody has carried out. No model reads them as its own: what came of one is
        told as news."""
        self.direct_only = False
        """The turn is about such calls alone, and ends with the last of them."""
        self._turn_over = True
        self.known_calls: set[str] = set()
        self.recent_calls: deque[tuple[str, str]] = deque(maxlen=_IDENTICAL_REMEMBERED)
        self.model_calls = 0
        """Since the turn's user message."""
        self.uninformed = False
        """Whoever answers now has not been told what they should know: see `Initializer`."""
        self.noticed: set[str] = set()
        """What the person was told of us already: in this turn, or for as long as it lasts."""
        self.ending: Ending | None = None
        self.calls_in_turn = 0
        self.turn_started = 0
        self.to_answer: UserMessage | None = None
        """What the turn is about, until it has ended."""
        self.red_flag: RedFlag | None = None
        """Stands since its event: no workout is planned meanwhile."""

    @property
    def tokens(self) -> int:
        return self.fragments.tokens

    def feed(self, events: Iterable[Event]) -> None:
        for event in events:
            self._take(event.content, event.sequence)
            self.last_sequence = event.sequence

    def take(self, content: Content, sequence: int) -> None:
        """An event we have just appended ourselves."""
        self._take(content, sequence)
        self.last_sequence = sequence

    def prompt_messages(self) -> Sequence[Fragment]:
        """The fragments, with an answer to every call. The list itself is handed over when nothing is open."""
        if not self.pending and not self._shown_from:
            return self.fragments
        shown: Iterable[Fragment] = self.fragments
        if self._shown_from:
            shown = (
                f for f, place in zip(self.fragments, self._places, strict=True) if place >= self._shown_from
            )
        return [*shown, *map(self._stand_in, self.pending)]

    def covered_by_checkpoint(self, keep_tokens: float) -> int | None:
        """Up to which event a summary may stand in: up to a turn's beginning, so that no call loses its result,
        and never the turn that is going on. None when nothing would be gained."""
        kept, start = 0.0, None
        for fragment, place in zip(reversed(self.fragments), reversed(self._places), strict=True):
            kept += fragment.tokens
            if place in self._turn_starts:
                if start is not None and kept > keep_tokens:
                    break
                start = place
        if start is None or start - 1 <= self._places[0]:
            return None
        return start - 1

    def fragments_upto(self, sequence: int) -> list[Fragment]:
        return [f for f, place in zip(self.fragments, self._places, strict=True) if place <= sequence]

    def identical_calls(self) -> int:
        """How often the last call was made in a row."""
        if not self.recent_calls:
            return 0
        last, count = self.recent_calls[-1], 0
        for call in reversed(self.recent_calls):
            if call != last:
                break
            count += 1
        return count

    def _take(self, content: Content, sequence: int) -> None:
        self.ending = ending_of(content)
        self.to_answer = None if self.ending is not None else self.to_answer
        self.red_flag = verdicts.red_flag_of(content, sequence) or self.red_flag
        self.noticed |= {content.code} if isinstance(content, Notice) else set()
        self._take_turn(content)
        self._take_need(content)
        match content:
            case UserMessage(source="voice") | AssistantMessage(source="voice"):
                self._take_voice(content, sequence)
            case UserMessage():
                self._take_message(content, sequence)
            case Action(call_id=call_id) if is_direct(call_id):
                self.undone[call_id] = content
                self.known_calls.add(call_id)
            case AssistantMessage() | Action():
                self._take_speech(content, sequence)
            case Result():
                self._take_result(content, sequence)
            case ApprovalRequested() | ApprovalDecided():
                self._take_approval(content)
            case Knowledge():
                self._take_knowledge(content, sequence)
            case Checkpoint():
                self._take_checkpoint(content, sequence)
            case Handoff() | Stage():
                self._take_change(content, sequence)
            case _:
                pass  # failures, endings: for people and the loop, not for the model

    def _take_turn(self, content: Content) -> None:
        """What the turn that goes on is about."""
        match content:
            case UserMessage(source="voice"):
                return
            case UserMessage():
                self.direct_only = False
                self.undone.clear()  # only a log from elsewhere leaves any: nothing in it is carried out
            case Action(call_id=call_id) if is_direct(call_id):
                self.direct_only = True
            case ApprovalDecided(call_id=call_id):
                direct = is_direct(call_id) and all(map(is_direct, self.due))
                self.direct_only = direct and (self._turn_over or self.direct_only)
            case TurnResumed():
                self.direct_only = all(map(is_direct, self.due))
            case _:
                self._turn_over = self._turn_over or self.ending is not None
                return
        self._turn_over = False

    def _take_need(self, content: Content) -> None:
        """Whoever begins to answer needs to know; whoever was told, or has spoken, does not."""
        match content:
            case UserMessage(source="voice") | AssistantMessage(source="voice"):
                pass
            case UserMessage():
                self.uninformed = True
            case Handoff():
                self.uninformed = self.uninformed or self.to_answer is not None
            case Knowledge() | Failure() | AssistantMessage() | Action():
                self.uninformed = False
            case _:
                self.uninformed = self.uninformed and self.ending is None

    def _take_message(self, content: UserMessage, sequence: int) -> None:
        self._answer_pending(sequence)
        self._start_turn(sequence, content)
        self._add(Fragment(Heard(verdicts.as_read(content))), sequence)
        if (note := verdicts.guidance(content)) is not None:
            self._add(Fragment(Heard(note)), sequence)

    def _take_knowledge(self, content: Knowledge, sequence: int) -> None:
        if content.formatted:
            self.knowledge[content.source] = sequence, content.formatted
            self.read.update(marks_of(content))
            self._note(wrapped(content.formatted, source_of(content), content.source), sequence)

    def _take_voice(self, content: UserMessage | AssistantMessage, sequence: int) -> None:
        """Spoken beside whatever turn is going on: it begins none, answers no call and counts for no limit."""
        if isinstance(content, UserMessage) and self.to_answer is None and not self.pending:
            self._turn_starts.add(sequence)  # a summary may end before it
        if not content.text:
            return
        text = verdicts.as_read(content)
        fragment = Fragment(Heard(text) if isinstance(content, UserMessage) else Said(text))
        if self.pending:
            self._held.append(fragment)
        else:
            self._add(fragment, sequence)

    def _take_approval(self, content: ApprovalRequested | ApprovalDecided) -> None:
        if isinstance(content, ApprovalRequested):
            self.awaiting[content.call_id] = content
            self.due.pop(content.call_id, None)
            self.undone.pop(content.call_id, None)
            return
        self.awaiting.pop(content.call_id, None)
        if content.tool:
            self.due[content.call_id] = content

    def _take_change(self, content: Handoff | Stage, sequence: int) -> None:
        if isinstance(content, Handoff):
            self.speaker = content.to_agent
            self._shown_from = self.turn_started if content.history == "turn" else 0
            self._note(f"[The conversation was handed to {content.to_agent}. {content.reason}]", sequence)
        elif content.accepted:
            self._note(f"[The session is now in the stage {content.to_stage}.]", sequence)

    def _take_speech(self, content: AssistantMessage | Action, sequence: int) -> None:
        if content.usage is not None:
            self.model_calls += 1
        if self.pending and (isinstance(content, AssistantMessage) or self.fragments[-1].kind is Kind.RESULT):
            # A new step: what the one before left open (only logs from elsewhere do) is answered first.
            self._answer_pending(sequence)
        if isinstance(content, AssistantMessage):
            if content.text:
                replay = Replay(*content.replay) if content.replay else None
                self._add(Fragment(Said(verdicts.as_read(content), replay=replay)), sequence)
            return
        self.pending[content.call_id] = content
        self.known_calls.add(content.call_id)
        self.calls_in_turn += 1
        self.recent_calls.append((content.tool, content.args))
        self._add(Fragment(Said(calls=(ToolCall(content.call_id, content.tool, content.args),))), sequence)

    def _take_result(self, content: Result, sequence: int) -> None:
        text = content.formatted or content.error or ""
        self.awaiting.pop(content.call_id, None)
        self.due.pop(content.call_id, None)
        self.undone.pop(content.call_id, None)
        if content.outcome not in (Outcome.DENIED, Outcome.CANCELLED):
            self.read.add(content.tool)
        self.read.update(marks_of(content))
        if content.outcome is Outcome.OK:
            text = wrapped(text, "tool", content.tool)  # the rest are our own words
        if self.pending.pop(content.call_id, None) is None:
            # Answered in its place when somebody spoke meanwhile; what came of it later is told as news.
            self._note(f"[The result of {content.tool}, {content.call_id}]\n{text}", sequence)
            return
        self._add(
            Fragment(ToolResult(content.call_id, text, is_error=content.outcome is not Outcome.OK)), sequence
        )
        if not self.pending:
            self._say_held(sequence)

    def _take_checkpoint(self, content: Checkpoint, sequence: int) -> None:
        kept = [(f, p) for f, p in zip(self.fragments, self._places, strict=True) if p > content.covers]
        waiting = "".join(
            f"\n[The call {one.call_id}, {one.tool} {one.args}, is still waiting for a person's approval.]"
            for one in content.waiting
        )
        summary = Fragment(Heard(f"[What happened before, in short]\n{content.summary}{waiting}"))
        self.fragments = History([summary, *(fragment for fragment, _ in kept)])
        self._places = [content.covers, *(place for _, place in kept)]
        kept_calls = {call.id for fragment, _ in kept for call in getattr(fragment.message, "calls", ())}
        self.pending = {call_id: call for call_id, call in self.pending.items() if call_id in kept_calls}
        self.knowledge = {name: told for name, told in self.knowledge.items() if told[0] > content.covers}
        self.read.update(content.read)
        self.read.update(marks_of(content))
        for one in content.waiting:
            if one.call_id not in self.due:
                self.awaiting.setdefault(one.call_id, ApprovalRequested(**one.model_dump()))

    def _answer_pending(self, sequence: int) -> None:
        """Before the event `sequence`. Placed with the call's own turn, so that a checkpoint takes both or none."""
        for call_id in self.pending:
            self._add(self._stand_in(call_id), sequence - 1)
        self.pending = {}
        self._say_held(sequence - 1)

    def _stand_in(self, call_id: str) -> Fragment:
        waits = call_id in self.awaiting or call_id in self.due
        return Fragment(ToolResult(call_id, _WAITS if waits else _NOT_ANSWERED))

    def _start_turn(self, sequence: int, message: UserMessage) -> None:
        self._turn_starts.add(sequence)
        self.turn_started = sequence
        self.to_answer = message
        self.model_calls = 0
        self.noticed.discard("fallback")
        self.calls_in_turn = 0
        self.recent_calls.clear()

    def _note(self, text: str, sequence: int) -> None:
        """Between a call and its result nothing may stand: then it is said after the results."""
        if self.pending:
            self._held.append(Fragment(Heard(text)))
        else:
            self._add(Fragment(Heard(text)), sequence)

    def _say_held(self, sequence: int) -> None:
        for fragment in self._held:
            self._add(fragment, sequence)
        self._held.clear()

    def _add(self, fragment: Fragment, sequence: int) -> None:
        self.fragments.append(fragment)
        self._places.append(sequence)

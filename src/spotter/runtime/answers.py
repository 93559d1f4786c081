"""What a model says, on its way out: sentence by sentence through the gate, shown and recorded only after it."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any, Final

from pydantic_core import from_json, to_json

from spotter.identity.principal import Role
from spotter.llm.port import Final as ModelFinal
from spotter.llm.prompt import Fragment, ToolResult, UserMessage
from spotter.runtime import verdicts
from spotter.safety import Action as Decided
from spotter.safety import ModerationDecision, Policy, Released, SentenceGate, moderate
from spotter.safety.normalise import normalise
from spotter.safety.personal_data import personal_data
from spotter.sessions.codec import storable
from spotter.sessions.events import Action
from spotter.sessions.projections import ASK_TOOL, NOTIFY_TOOL
from spotter.store.scope import Scope

SPEAKING: Final = (ASK_TOOL, NOTIFY_TOOL)
_NOT_SAID_BY_THE_PERSON: Final = ("<untrusted", "[")
Show = Callable[[str], None]


class OutputRules:
    """How an organisation's policy judges what a model says to one person. `context` is what the model has read:
    looked at only when personal data is found, to tell the reader's own from other people's."""

    def __init__(self, policy: Policy, scope: Scope, context: Sequence[Fragment]) -> None:
        self._policy = policy
        self._context = context
        # Staff see what their tools show them: whether they may was decided there.
        self._all_read = scope.role not in (None, Role.MEMBER)
        self._allowed: Collection[str] | None = None

    def gate(self) -> SentenceGate:
        return SentenceGate(self.check)

    def check(self, text: str) -> ModerationDecision:
        decision = moderate(text, "assistant", self._policy)
        if decision.redacted is None:
            return decision
        if self._allowed is None:
            self._allowed = self._known_to_the_reader()
        return moderate(text, "assistant", self._policy, allowed_data=self._allowed)

    def _known_to_the_reader(self) -> set[str]:
        known: set[str] = set()
        for fragment in self._context:
            match fragment.message:
                case UserMessage(text) if self._all_read or not text.startswith(_NOT_SAID_BY_THE_PERSON):
                    known |= _values(text, self._policy)
                case ToolResult(_, text, _) if self._all_read:
                    known |= _values(text, self._policy)
                case _:
                    pass
        return known


def _values(text: str, policy: Policy) -> set[str]:
    return {text[one.start : one.end] for one in personal_data(normalise(text), policy.regions)}


class CheckedAnswer:
    """One answer. Feed what the model says; `text` is what may be known of it."""

    def __init__(self, rules: OutputRules, show: Show | None = None) -> None:
        self._rules = rules
        self._show = show
        self._begin()

    def _begin(self) -> None:
        self._gate = self._rules.gate()
        self._heard: list[str] = []
        self._decisions: list[tuple[int | None, ModerationDecision]] = []
        self._changed = False
        self.text = ""

    @property
    def heard(self) -> str:
        """All the model said. Not for anybody's eyes."""
        return "".join(self._heard)

    @property
    def blocked(self) -> bool:
        return self._gate.blocked is not None

    def feed(self, delta: str) -> None:
        self._heard.append(delta)
        if not self.blocked:
            self._take(self._gate.feed(delta))

    def settle(self, answer: ModelFinal) -> ModelFinal:
        """The answer as it may be recorded. A call that came with a blocked text is not made."""
        if self.heard != answer.text:
            # It came whole, or its pieces were something else: then it is the whole that counts.
            self._begin()
            self._show = None
            self.feed(answer.text)
        if not self.blocked:
            self._take(self._gate.finish())
        if self.blocked:
            return replace(answer, text=self.text, tool_calls=(), replay=None)
        return replace(answer, text=self.text) if self._changed else answer

    @property
    def decision(self) -> ModerationDecision:
        return verdicts.merged(self._decisions, "assistant")

    @property
    def verdict(self) -> dict[str, Any]:
        return verdicts.as_record(self.decision, redacted=self._changed)

    def _take(self, pieces: list[Released]) -> None:
        for piece in pieces:
            redacted = piece.decision.action is Decided.REDACT
            self._changed |= redacted
            self._decisions.append((None if redacted else len(self.text), piece.decision))
            self._say(piece.text)
        if self._gate.blocked is not None:
            self._changed = True
            self._decisions.append((None, self._gate.blocked))
            space = "" if not self.text or self.text[-1].isspace() else " "
            self._say(space + (self._gate.replacement or ""))

    def _say(self, piece: str) -> None:
        self.text += piece
        if self._show is not None:
            self._show(piece)


def speaking(call: Action, rules: OutputRules) -> tuple[Action, ModerationDecision | None]:
    """A call that speaks to the person, with words that may be said. People see the call as soon as it is recorded."""
    if call.tool not in SPEAKING:
        return call, None
    decisions: list[tuple[int | None, ModerationDecision]] = []
    try:
        arguments = from_json(call.args or "{}")
    except ValueError:
        arguments = call.args
    changed = _said(arguments, rules, decisions)
    decision = verdicts.merged(decisions, "assistant")
    if changed == arguments:
        return call.model_copy(update={"moderation": verdicts.as_record(decision, spans=False)}), decision
    args = changed if isinstance(changed, str) else to_json(changed).decode()
    verdict = verdicts.as_record(decision, redacted=True, spans=False)
    return call.model_copy(update={"args": storable(args), "moderation": verdict}), decision


def _said(value: Any, rules: OutputRules, decisions: list[tuple[int | None, ModerationDecision]]) -> Any:
    match value:
        case str() if value.strip():
            gate = rules.gate()
            released = gate.feed(value) + gate.finish()
            decisions += [(None, piece.decision) for piece in released]
            if gate.blocked is not None:
                decisions.append((None, gate.blocked))
            return "".join(piece.text for piece in released) + (gate.replacement or "")
        case list():
            return [_said(one, rules, decisions) for one in value]
        case dict():
            return {key: _said(one, rules, decisions) for key, one in value.items()}
        case _:
            return value

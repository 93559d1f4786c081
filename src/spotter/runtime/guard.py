"""Before a turn: what a person said is checked before it is recorded, and the decision is recorded with it.

So it is made once, whoever runs the turn: a message that waited, or whose process died, is answered by what its event
says. What must not reach a model gets its answer here, without one.
"""

from collections.abc import Collection
from typing import Final, Protocol

from spotter.identity.principal import Role
from spotter.runtime import verdicts
from spotter.safety import (
    DEFAULT_POLICY,
    Action,
    CategoryName,
    ModerationDecision,
    Policy,
    Source,
    moderate,
    reply_for,
)
from spotter.safety.normalise import normalise
from spotter.safety.personal_data import Found, personal_data, redact_once
from spotter.sessions.events import AssistantMessage, Ending, UserMessage
from spotter.store.scope import Scope

_SOURCES: Final[dict[str, Source]] = {"voice": "voice", "api": "api", "job": "api"}
_KEPT_BY_NOBODY: Final = frozenset({"card", "private key", "secret"})
_LIKE_A_KEY: Final = 16
_NO_WORDS: Final = "I cannot go on with this."


class Guard(Protocol):
    """Who checks. Never asked while a connection is held: a second opinion may take seconds."""

    async def policy(self, scope: Scope) -> Policy: ...

    async def check(
        self, scope: Scope, text: str, source: Source = "member", *, allowed_data: Collection[str] = ()
    ) -> ModerationDecision: ...

    def seen(self, decision: ModerationDecision) -> None:
        """Somebody else has decided by this policy: count it."""
        ...


class DefaultGuard:
    """By the policy in the source, without anybody's second opinion. There is no turn without a check."""

    async def policy(self, scope: Scope) -> Policy:
        return DEFAULT_POLICY

    async def check(
        self, scope: Scope, text: str, source: Source = "member", *, allowed_data: Collection[str] = ()
    ) -> ModerationDecision:
        return moderate(text, source, allowed_data=allowed_data)

    def seen(self, decision: ModerationDecision) -> None:
        pass


async def heard(guard: Guard, scope: Scope, message: UserMessage) -> UserMessage:
    """The message as it is to be recorded: with the decision about it, and without what must not be kept."""
    source = _SOURCES.get(message.source) or ("member" if scope.role == Role.MEMBER else "staff")
    decision = await guard.check(scope, message.text, source)
    text = message.text
    if decision.redacted is not None:
        text = _kept(text, decision.redacted, await guard.policy(scope))
    verdict = verdicts.as_record(decision, redacted=text != message.text)
    return message.model_copy(update={"text": text, "moderation": verdict})


async def reply_instead(guard: Guard, scope: Scope, message: UserMessage) -> AssistantMessage | None:
    """What to answer without asking a model; None when the turn may go on."""
    if not verdicts.was_judged(message.moderation):
        # Said while another version ran. It cannot be written to any more, but it is not let through unread.
        message = await heard(guard, scope, message)
    decision = verdicts.decision_in(message.moderation)
    if decision is None or decision.allowed:
        return None
    text = reply_for(decision, region=_region(await guard.policy(scope))) or _NO_WORDS
    verdict = verdicts.as_record(decision, spans=False)
    return AssistantMessage(text=text, moderation={**verdict, "reply": True}, ends=Ending.FINAL)


def _region(policy: Policy) -> str | None:
    """Where to call for help. A wrong number is worse than none: only where the organisation names one country."""
    named = "regions" in policy.model_fields_set and len(policy.regions) == 1
    return policy.regions[0] if named else None


def _kept(text: str, redacted: str, policy: Policy) -> str:
    """Without any personal data where the organisation says so. Otherwise people may leave an address or a number (how
    else would somebody be called back?), but nobody's card and keys are kept."""
    chosen = policy.categories.get(CategoryName.PERSONAL_DATA)
    if chosen is not None and chosen.people is Action.REDACT:
        return redacted
    found = [
        one
        for one in personal_data(normalise(text), policy.regions, _KEPT_BY_NOBODY)
        if _is_dangerous(one, text)
    ]
    return redact_once(text, found) if found else text


def _is_dangerous(found: Found, text: str) -> bool:
    """A password in plain words looks like any word; what looks like a key is one."""
    value = text[found.start : found.end]
    return found.kind != "secret" or (len(value) >= _LIKE_A_KEY and any(map(str.isdigit, value)))

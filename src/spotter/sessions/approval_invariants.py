"""I16: what needs an approval happens only with one, once; what was denied never does."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from spotter.sessions.events import ApprovalDecided, ApprovalRequested, Content, Outcome, Result
from spotter.sessions.invariants import PATIENCE, ApprovalRow, Found, SessionRow

_HAPPENED: Final = (Outcome.OK, Outcome.UNCERTAIN)
_DECIDED_BY_EVENT: Final = ("approved", "denied", "expired", "used")


@dataclass(slots=True)
class Asked:
    session: SessionRow
    _requests: dict[UUID, int] = field(default_factory=dict)
    _decided: dict[UUID, bool] = field(default_factory=dict)
    _calls: dict[str, int] = field(default_factory=dict)
    """Calls of this session that people were asked about, and where first."""
    _results: Counter[str] = field(default_factory=Counter)
    _outcomes: dict[str, Outcome] = field(default_factory=dict)

    def take(self, sequence: int, content: Content) -> None:
        if sequence <= self.session.copied:
            return  # a copy has the words of a request, not its power
        match content:
            case ApprovalRequested(approval_id=approval_id, call_id=call_id):
                self._requests[approval_id] = sequence
                self._calls.setdefault(call_id, sequence)
            case ApprovalDecided(approval_id=approval_id, approved=approved):
                self._decided[approval_id] = approved
            case Result(call_id=call_id, outcome=outcome) if call_id in self._calls:
                self._results[call_id] += 1
                self._outcomes[call_id] = outcome
            case _:
                pass

    def end(self) -> Iterator[Found]:
        used: Counter[str] = Counter()
        for row in self.session.approvals:
            used[row.call_id] += row.state == "used"
            yield from self._check_row(row)
        for call_id, sequence in self._calls.items():
            times = used[call_id]
            happened = self._outcomes.get(call_id) in _HAPPENED
            if happened and times != 1:
                yield Found("I16", sequence, f"call {call_id} was carried out with {times} approvals")
            if not times and (call_id in self.session.marks or call_id in self.session.outbox):
                yield Found("I16", sequence, f"call {call_id} has an effect outside, but no approval")
        known = {row.approval_id for row in self.session.approvals}
        for approval_id, sequence in self._requests.items():
            if approval_id not in known:
                yield Found("I16", sequence, f"approval {approval_id} was asked for, but nobody can give it")

    def _check_row(self, row: ApprovalRow) -> Iterator[Found]:
        name, answers = f"approval {row.approval_id}", self._results[row.call_id]
        if row.approval_id not in self._requests:
            yield Found("I16", None, f"{name} was never asked for in the log")
        if row.state == "used" and row.settled and answers != 1:
            yield Found("I16", None, f"{name} was used, and its call has {answers} results")
        if row.state == "superseded" and not row.settled:
            yield Found("I16", None, f"{name} is void, but its call still waits for it")
        if row.settled and row.state in ("pending", "approved"):
            yield Found("I16", None, f"{name} is {row.state}, but its call was answered")
        idle = not row.settled and not self.session.turn_open
        if idle and row.decided_at is not None and self.session.now - row.decided_at > PATIENCE:
            yield Found("I6", None, f"nobody has gone on since {name} was decided at {row.decided_at}")
        if row.state in _DECIDED_BY_EVENT:
            said = self._decided.get(row.approval_id)
            if said is not (row.state in ("approved", "used")):
                yield Found("I16", None, f"{name} is {row.state}, but the log says otherwise")

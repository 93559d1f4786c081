"""Which calls are asked about: a table of policies, thresholds and what was read before."""

from typing import Any

import pytest

from spotter.identity.principal import Role
from spotter.runtime.approval_policy import ALWAYS, NEVER, Mode, Policy, Rule, above, demand, rule_for
from spotter.runtime.taint import PRIVATE, UNTRUSTED, Taint, marks_of, taint_of
from spotter.sessions.events import Knowledge
from tests.support.approvals import TOOLS

FREE = Rule(Mode.NEVER, approver=Role.OWNER)
MANY = above("to", 50)


@pytest.mark.parametrize(
    ("policies", "declared", "expected"),
    [
        ([], NEVER, NEVER),
        ([], ALWAYS, ALWAYS),
        ([Policy(FREE, tool="mail")], ALWAYS, FREE),
        ([Policy(MANY, tool="mail")], ALWAYS, MANY),
        ([Policy(FREE)], ALWAYS, ALWAYS),
        ([Policy(FREE, agent="a")], MANY, MANY),
        ([Policy(ALWAYS)], MANY, ALWAYS),
        ([Policy(ALWAYS)], NEVER, ALWAYS),
        ([Policy(MANY, role="member")], NEVER, MANY),
        ([Policy(ALWAYS, agent="a"), Policy(MANY, role="member")], NEVER, ALWAYS),
        ([Policy(ALWAYS), Policy(MANY, role="member")], NEVER, MANY),
        ([Policy(ALWAYS, agent="a", role="member"), Policy(FREE, tool="mail")], NEVER, FREE),
        ([Policy(FREE, tool="mail"), Policy(ALWAYS, tool="mail", role="member")], NEVER, ALWAYS),
        ([Policy(FREE, tool="mail", role="member"), Policy(MANY, tool="mail", agent="a")], NEVER, MANY),
        (
            [Policy(FREE, tool="mail", agent="a"), Policy(MANY, tool="mail", agent="a", role="member")],
            NEVER,
            MANY,
        ),
        (
            [Policy(ALWAYS, tool="other"), Policy(ALWAYS, agent="b"), Policy(ALWAYS, role="staff")],
            NEVER,
            NEVER,
        ),
    ],
)
def test_the_most_specific_policy_wins(policies: list[Policy], declared: Rule, expected: Rule) -> None:
    for order in (policies, policies[::-1]):
        assert rule_for(order, declared, tool="mail", agent="a", role="member") == expected


@pytest.mark.parametrize(
    ("rule", "arguments", "asked"),
    [
        (NEVER, {"to": 10**9}, False),
        (ALWAYS, {}, True),
        (MANY, {"to": 50}, False),
        (MANY, {"to": 51}, True),
        (MANY, {"to": 50.01}, True),
        (MANY, {"to": ["x"] * 50}, False),
        (MANY, {"to": ["x"] * 51}, True),
        (MANY, {"to": 10**400}, True),
        # What cannot be measured is asked about.
        (MANY, {}, True),
        (MANY, {"to": "everybody"}, True),
        (MANY, {"to": True}, True),
        (MANY, {"to": None}, True),
        (MANY, {"to": float("nan")}, True),
    ],
)
def test_thresholds(rule: Rule, arguments: dict[str, Any], asked: bool) -> None:
    assert (demand(rule, arguments) is not None) == asked


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        (set(), Taint()),
        ({"look"}, Taint()),
        ({"browse"}, Taint(untrusted=True)),
        ({"members"}, Taint(private=True)),
        ({"browse", "members", "look"}, Taint(untrusted=True, private=True)),
        ({"members", UNTRUSTED}, Taint(untrusted=True, private=True)),
        ({"browse", PRIVATE}, Taint(untrusted=True, private=True)),
        ({"a tool nobody knows"}, Taint(untrusted=True)),
    ],
)
def test_what_was_read(read: set[str], expected: Taint) -> None:
    assert taint_of(read, {one.name: one for one in TOOLS}.get) == expected


@pytest.mark.parametrize(
    ("fact", "expected"),
    [
        (Knowledge(source="profile"), set()),
        (Knowledge(source="profile", private=True), {PRIVATE}),
        (Knowledge(source="web", untrusted=True), {UNTRUSTED}),
        (Knowledge(source="import:members.csv"), {UNTRUSTED}),
        (Knowledge(source="quarantine"), {UNTRUSTED}),
    ],
)
def test_what_knowledge_brings(fact: Knowledge, expected: set[str]) -> None:
    assert set(marks_of(fact)) == expected

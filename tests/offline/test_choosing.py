"""Tools of an agent that this room has never heard of."""

from datetime import UTC, datetime

import pytest

from spotter.offline.choosing import Offered, Verdict, choose, fill_arguments, question_for, rank

NOW = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)

TOOLS = (
    Offered(
        "list_at_risk_members",
        "Members who have not visited for a while and may cancel.",
        {
            "type": "object",
            "properties": {"days": {"type": "integer", "description": "Days without a visit"}},
        },
        ("who is about to leave?", "which members stopped coming"),
    ),
    Offered(
        "send_message",
        "Write to a member by e-mail or text.",
        {
            "type": "object",
            "properties": {
                "member_id": {"type": "string", "description": "Whom to write to"},
                "channel": {"type": "string", "enum": ["email", "sms"]},
                "message": {"type": "string", "description": "What to say"},
            },
            "required": ["member_id", "message"],
        },
    ),
    Offered(
        "book_class",
        "Reserve a place in a class for a member.",
        {
            "type": "object",
            "properties": {
                "class_name": {"type": "string", "enum": ["yoga", "spinning", "boxing"]},
                "date": {"type": "string", "format": "date"},
                "places": {"type": "integer", "minimum": 1, "maximum": 10},
            },
            "required": ["class_name", "date"],
        },
        ("put me in yoga on friday",),
    ),
    Offered("revenue_report", "Income of a period, by product.", {"type": "object", "properties": {}}),
)


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("which members stopped coming lately?", "list_at_risk_members"),
        ("book a spinning class for friday", "book_class"),
        ("send a message to M-12", "send_message"),
        ("show me the income report", "revenue_report"),
    ],
)
def test_the_tool_that_fits(message: str, name: str) -> None:
    choice = choose(message, TOOLS)
    assert choice.verdict is Verdict.CALL
    assert choice.tool is not None
    assert choice.tool.name == name


@pytest.mark.parametrize(
    "message", ["", "what a lovely day", "my cat ate the curtains", "tell me about black holes"]
)
def test_no_tool_fits(message: str) -> None:
    assert choose(message, TOOLS).verdict is not Verdict.CALL


def test_two_alike_lead_to_a_question() -> None:
    twins = (Offered("list_members", "All members."), Offered("list_staff", "All staff."))
    assert choose("list", twins).verdict is Verdict.ASK


def test_no_tools() -> None:
    assert rank("anything", ()) == []
    assert choose("anything", ()).verdict is Verdict.ANSWER


def test_arguments_by_their_schema() -> None:
    filled = fill_arguments(TOOLS[2], "book 2 places in yoga for Friday", NOW)
    assert filled.arguments == {"class_name": "yoga", "date": "2026-11-20", "places": 2}
    assert filled.missing == ()
    assert fill_arguments(TOOLS[0], "members gone for 14 days", NOW).arguments == {"days": 14}


def test_what_is_missing_is_asked_for_once() -> None:
    filled = fill_arguments(TOOLS[2], "book a class", NOW)
    assert filled.missing == ("class_name", "date")
    question = question_for(TOOLS[2], filled.missing)
    assert question.count("?") == 1
    assert "yoga, spinning, boxing" in question


def test_ids_and_quotes() -> None:
    filled = fill_arguments(TOOLS[1], 'email M-12: "See you on Monday"', NOW)
    assert filled.arguments == {"member_id": "M-12", "channel": "email", "message": "See you on Monday"}


def test_out_of_bounds_is_not_filled() -> None:
    assert "places" not in fill_arguments(TOOLS[2], "yoga friday, 50 places", NOW).arguments


def test_nested_and_lists() -> None:
    tool = Offered(
        "plan",
        "Plan.",
        {
            "type": "object",
            "properties": {
                "days": {"type": "array", "items": {"type": "string", "enum": ["monday", "friday"]}},
                "options": {
                    "type": "object",
                    "properties": {"quiet": {"type": "boolean"}, "minutes": {"type": "number"}},
                },
            },
        },
    )
    filled = fill_arguments(tool, "monday and friday, 20 minutes, not quiet", NOW)
    assert set(filled.arguments["days"]) == {"monday", "friday"}
    assert filled.arguments["options"] == {"quiet": False, "minutes": 20}

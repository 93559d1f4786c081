"""At the front desk: what the gym has written down about itself, and the way to the coach."""

from typing import Annotated

from pydantic import Field

from spotter.identity import organisations
from spotter.runtime.executor import ToolContext
from spotter.runtime.tool import Answer, FixAndRetry, tool
from spotter.scenarios import gym_facts
from spotter.scenarios.coach import visits


@tool(
    category="front_desk",
    examples=[
        "when are you open",
        "what does a membership cost",
        "where are you, can I park there",
        "what are the rules",
        "how do I reach you by phone",
    ],
)
async def look_up_gym_facts(
    context: ToolContext,
    question: Annotated[str, Field(min_length=1, max_length=500, description="what they want to know")],
) -> Answer:
    """Look up what the gym has written down about itself: opening hours, prices, address, classes, rules, contact. What
    is not written down is not known. For example: “When are you open on Sunday?”; “How much is a membership, what does
    it cost?”; “Where can I park?”; “How can I reach you by phone?”; “Do you have showers or a sauna?”"""
    uow = await context.transaction()
    facts = (await organisations.get_organisation(uow)).facts
    found = gym_facts.relevant(facts, question)
    return Answer({"success": True, "facts": found, "topics": list(facts)}, gym_facts.told(facts, question))


@tool(
    category="front_desk",
    examples=["I want to start training", "I need a training plan", "bring me to the coach"],
)
async def visit_coach(context: ToolContext) -> Answer:
    """Bring somebody who wants to train to the coach: their visit is found, or a new one begins. The coach asks the
    health questions; nobody gets around them from here. For example: “I want to start training”; “I need a plan”;
    “Bring me to the coach”; “Make me a workout”"""
    if context.scope.user_id is None:
        raise FixAndRetry("Nobody is signed in here. The coach coaches people; ask them to sign in.")
    uow = await context.transaction()
    visit = await visits.latest(uow) or await visits.begin(uow)
    data = {"success": True, "coach_session_id": str(visit.id), "stage": visit.stage}
    told = (
        "The coach is ready for you, with a few health questions first."
        if visit.stage == "intake"
        else "The coach goes on with you where you stopped last time."
    )
    return Answer(data, told)


TOOLS = (look_up_gym_facts, visit_coach)

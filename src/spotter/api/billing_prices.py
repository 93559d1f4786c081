"""Prices of models, an organisation's own among them, and what something will cost."""

from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Decimal
from itertools import islice
from typing import Annotated
from uuid import UUID

from fastapi import Query, Request
from pydantic import AwareDatetime, BaseModel, Field, StringConstraints

from spotter.api.access import BillingCaller, Caller, StaffCaller
from spotter.api.billing_fields import Money
from spotter.api.fields import Body
from spotter.api.problem_schema import problem_responses
from spotter.api.routing import router
from spotter.api.services import services_of
from spotter.api.sessions import AgentName
from spotter.api.transactions import Transaction
from spotter.billing import estimates, pricing
from spotter.billing.accounts import read_account
from spotter.billing.estimates import Amount
from spotter.billing.price import Band, Price, Rates, Source
from spotter.billing.tables import ModelPrice
from spotter.clock import now
from spotter.errors import InvalidInput
from spotter.llm.resolver import split_name
from spotter.llm.tokens import estimate as tokens_in
from spotter.money import DOLLAR, dollars
from spotter.runtime.kit import Part

routes = router("billing", prefix="/api/billing")

ServerName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{0,39}$"), Field(examples=["openai"])]
ModelName = Annotated[str, StringConstraints(pattern=r"^[!-~]{1,200}$"), Field(examples=["gpt-4o"])]
FullModelName = Annotated[
    str, StringConstraints(pattern=r"^[!-~]{1,240}$"), Field(examples=["openai:gpt-4o"])
]
# Finer than any price there is, and ten thousand dollars a million tokens is a typing error.
Dollars = Annotated[Decimal, Field(ge=0, le=10_000, max_digits=11, decimal_places=6, examples=["2.50"])]


class PriceRates(BaseModel):
    """Dollars per million tokens."""

    above_prompt_tokens: int = Field(description="for prompts longer than this; all their tokens cost this")
    input: str
    output: str
    cache_read: str
    cache_write: str


class PriceInForce(BaseModel):
    provider: str
    model: str
    rates: list[PriceRates]
    per_call: Money
    source: Source
    label: str
    valid_from: datetime | None
    valid_to: datetime | None = Field(description="half-open; null while no end is known")


class Prices(BaseModel):
    as_of: datetime
    items: list[PriceInForce]
    more: bool = Field(description="there are more than the limit; name a provider or a part of the name")


class NewPrice(Body):
    """Dollars per million tokens. `model` may be `*`: all models of that server."""

    provider: ServerName
    model: ModelName
    input: Dollars
    output: Dollars
    cache_read: Dollars | None = Field(default=None, description="what input costs, if not given")
    cache_write: Dollars | None = None
    valid_from: AwareDatetime | None = Field(default=None, description="now, if not given; never in the past")


class OwnPrice(BaseModel):
    id: UUID
    provider: str
    model: str
    input: str
    output: str
    cache_read: str
    cache_write: str
    valid_from: datetime
    valid_to: datetime | None


class OwnPrices(BaseModel):
    as_of: datetime
    items: list[OwnPrice]


class EstimateRequest(Body):
    """For an agent or a model: something said to it `turns` times, to each of `recipients`."""

    agent: AgentName | None = None
    model: FullModelName | None = None
    prompt_tokens: int | None = Field(
        default=None, ge=0, le=2_000_000, description="of the first call; reckoned from `text` if not given"
    )
    text: Annotated[str, StringConstraints(max_length=100_000)] = ""
    answer_tokens: int | None = Field(default=None, ge=1, le=200_000, description="of each answer, if known")
    turns: int = Field(default=1, ge=1, le=100)
    recipients: int = Field(default=1, ge=1, le=100_000)


class EstimatedAmount(BaseModel):
    cost: Money
    charge: Money

    @classmethod
    def of(cls, amount: Amount) -> "EstimatedAmount":
        return cls(cost=Money.of(amount.cost), charge=Money.of(amount.charge))


class CostEstimate(BaseModel):
    """What is usual, not a limit. Without a price there is no amount, which does not mean that it is free."""

    as_of: datetime
    model: str
    priced: bool
    price: str | None
    low: EstimatedAmount | None
    expected: EstimatedAmount | None
    high: EstimatedAmount | None
    assumptions: list[str]


def _rates(band: Band) -> PriceRates:
    rates = band.rates
    return PriceRates(
        above_prompt_tokens=band.above,
        input=dollars(rates.input),
        output=dollars(rates.output),
        cache_read=dollars(rates.cache_read),
        cache_write=dollars(rates.cache_write),
    )


def _shown(price: Price) -> PriceInForce:
    return PriceInForce(
        provider=price.provider,
        model=price.model,
        rates=[_rates(band) for band in price.bands],
        per_call=Money.of(price.per_call),
        source=price.source,
        label=price.label,
        valid_from=price.valid_from,
        valid_to=price.valid_to,
    )


def _own(row: ModelPrice) -> OwnPrice:
    return OwnPrice(
        id=row.id,
        provider=row.provider,
        model=row.model,
        input=dollars(row.input),
        output=dollars(row.output),
        cache_read=dollars(row.input if row.cache_read is None else row.cache_read),
        cache_write=dollars(row.input if row.cache_write is None else row.cache_write),
        valid_from=row.valid_from,
        valid_to=row.valid_to,
    )


@routes.get("/prices")
async def list_prices(
    request: Request,
    caller: StaffCaller,
    provider: Annotated[ServerName | None, Query()] = None,
    search: Annotated[str, Query(max_length=100, description="a part of the model's name")] = "",
    model: Annotated[
        FullModelName | None, Query(description="only the price this model is charged at")
    ] = None,
    at: Annotated[AwareDatetime | None, Query(description="at another moment than now")] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> Prices:
    """Prices in force, the organisation's own first, with where they are from and how long they hold."""
    book = services_of(request).prices
    moment = now() if at is None else at.astimezone(UTC)
    if model is not None:
        found = await book.price(caller.scope, *split_name(model), moment)
        return Prices(as_of=moment, items=[_shown(found)] if found is not None else [], more=False)
    fitting = await book.in_force(caller.scope, moment, provider=provider, search=search)
    shown = list(islice(fitting, limit + 1))
    return Prices(as_of=moment, items=[_shown(price) for price in shown[:limit]], more=len(shown) > limit)


@routes.get("/own-prices")
async def list_own_prices(caller: StaffCaller, uow: Transaction) -> OwnPrices:
    """Every price the organisation has set, those that ended and those to come included, newest first."""
    rows = await pricing.own_prices(uow)
    return OwnPrices(as_of=now(), items=[_own(row) for row in rows])


@routes.post("/own-prices", status_code=201)
async def set_own_price(
    request: Request, caller: BillingCaller, uow: Transaction, body: NewPrice
) -> OwnPrice:
    """Set a price of your own, from now or from a later moment on. What was charged before stays as it is."""
    rates = Rates.of(
        _micros(body.input),
        _micros(body.output),
        None if body.cache_read is None else _micros(body.cache_read),
        None if body.cache_write is None else _micros(body.cache_write),
    )
    book = services_of(request).prices
    return _own(await book.set_own(uow, body.provider, body.model, rates, body.valid_from))


@routes.delete("/own-prices/{price_id}", status_code=204)
async def end_own_price(request: Request, caller: BillingCaller, uow: Transaction, price_id: UUID) -> None:
    """End a price now, or take back one that has not begun. The list price holds again."""
    await services_of(request).prices.end_own(uow, price_id)


@routes.post("/estimate", responses=problem_responses(404))
async def estimate_cost(
    request: Request, caller: Caller, uow: Transaction, body: EstimateRequest
) -> CostEstimate:
    """What a run or a bulk action will cost: low, expected and high, with what that assumes. Nothing is spent."""
    if (body.agent is None) == (body.model is None):
        raise InvalidInput("Name an agent or a model, one of them.")
    services = services_of(request)
    agent = await services.agents(caller.scope, Part(body.agent)) if body.agent is not None else None
    name = agent.model if agent is not None else body.model or ""
    provider, model = split_name(name)
    ask = estimates.Ask(
        said_tokens=body.prompt_tokens if body.prompt_tokens is not None else tokens_in(body.text),
        whole_prompt=body.prompt_tokens is not None,
        instructions_tokens=tokens_in(agent.instructions) if agent is not None else 0,
        tools=len(agent.tools) if agent is not None else 0,
        answer_tokens=body.answer_tokens,
        turns=body.turns,
        recipients=body.recipients,
        longest=agent.limits.checkpoint_tokens if agent is not None else None,
    )
    lately = await estimates.experience(uow, agent=body.agent, model=f"{provider}:{model}")
    plan, assumptions = estimates.plan_for(ask, lately)
    moment = now()
    price = await services.prices.price(caller.scope, provider, model, moment)
    made = estimates.estimate(price, plan, (await read_account(uow)).markup) if price is not None else None
    if price is None:
        assumptions = ["Nobody knows a price of this model. An administrator can set one.", *assumptions]
    return CostEstimate(
        as_of=moment,
        model=f"{provider}:{model}" if provider != "offline" else model,
        priced=price is not None,
        price=price.label if price is not None else None,
        low=EstimatedAmount.of(made.low) if made else None,
        expected=EstimatedAmount.of(made.expected) if made else None,
        high=EstimatedAmount.of(made.high) if made else None,
        assumptions=assumptions,
    )


def _micros(price: Decimal) -> int:
    """Per million tokens; exact, because the field takes six decimals."""
    return int((price * DOLLAR).to_integral_value(ROUND_HALF_UP))

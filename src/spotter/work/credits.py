"""This month's credits for everybody whose subscription has some: each organisation in its own transaction."""

from spotter.billing.credit_ledger import give_monthly
from spotter.store.scope import Scope
from spotter.work.job import JobCall

_DUE = "SELECT org_id FROM billing_accounts WHERE monthly_credits > 0"


async def give_credits(call: JobCall) -> None:
    """Every hour, because months begin at another hour in each time zone. What was given is not given again."""
    async with await call.workshop.as_job() as connection:
        due = await (await connection.execute(_DUE)).fetchall()
    for (org_id,) in due:
        async with call.workshop.database.unit_of_work(Scope(org_id, None, "service")) as uow:
            await give_monthly(uow)

"""Every job there is."""

from spotter.work.approval_expiry import expire_approvals
from spotter.work.credits import give_credits
from spotter.work.guests import erase_guests
from spotter.work.job import Job
from spotter.work.outbox import ATTEMPTS, deliver
from spotter.work.retention import sweep
from spotter.work.selftest import count
from spotter.work.voice_expiry import end_voices

JOBS: tuple[Job, ...] = (
    Job("work.sweep", sweep, queue="upkeep", cron="17 * * * *"),
    Job("approvals.expire", expire_approvals, queue="upkeep", cron="* * * * *"),
    Job("voice.end", end_voices, queue="upkeep", cron="* * * * *"),
    Job("billing.monthly_credits", give_credits, queue="upkeep", cron="4 * * * *"),
    Job("coach.erase_guests", erase_guests, queue="upkeep", cron="41 * * * *"),
    Job("outbox.deliver", deliver, queue="outbox", attempts=ATTEMPTS),
    Job("work.selftest", count, queue="upkeep"),
)

"""Background tasks end, even when a cancellation gets lost on its way."""

import asyncio

import pytest

from spotter.tasks import end_tasks


async def test_a_lost_cancellation_is_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spotter.tasks._ASK_AGAIN", 0.01)
    swallowed = 0

    async def deaf() -> None:
        nonlocal swallowed
        while True:
            try:
                await asyncio.sleep(10)
            except asyncio.CancelledError:
                swallowed += 1
                if swallowed == 3:
                    raise

    task = asyncio.create_task(deaf())
    await asyncio.sleep(0)
    await asyncio.wait_for(end_tasks(task, None), 60)
    assert task.cancelled()
    assert swallowed == 3


async def test_one_that_had_broken_is_told(caplog: pytest.LogCaptureFixture) -> None:
    async def broken() -> None:
        raise RuntimeError("why")

    task = asyncio.create_task(broken(), name="the broken one")
    await asyncio.sleep(0.01)
    await end_tasks(task)
    assert "the broken one" in caplog.text

"""Following a session: nothing twice, nothing out of place, and what was missed is asked for again."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable
from contextlib import aclosing
from typing import TypeVar

from typing_extensions import override

from spotter.app import House
from spotter.llm.port import (
    DEFAULTS,
    Capabilities,
    Chunk,
    Final,
    FinishReason,
    ModelSettings,
    StreamingModel,
    TextDelta,
    Usage,
)
from spotter.llm.prompt import NO_TOOLS, Prompt, Tools
from spotter.llm.scripted import ScriptedModel
from spotter.runtime.speech import topic_of
from spotter.runtime.watch import Item, Said, Watch
from spotter.sessions.codec import Event
from spotter.sessions.events import AssistantMessage, UserMessage
from spotter.store.bus import Delta
from tests.support.agents import new_session, running_turns
from tests.support.people import Gym

T = TypeVar("T")


async def soon(work: Awaitable[T]) -> T:
    return await asyncio.wait_for(work, 60)


class Dictated(StreamingModel):
    """Says a word when it is given one; None is the end. A word is a line, so that it is released at once."""

    name = provider = "dictated"
    capabilities = Capabilities()

    def __init__(self) -> None:
        self.words: asyncio.Queue[str | None] = asyncio.Queue()

    @override
    async def stream(
        self, prompt: Prompt, tools: Tools = NO_TOOLS, settings: ModelSettings = DEFAULTS
    ) -> AsyncGenerator[Chunk, None]:
        text = ""
        while (word := await self.words.get()) is not None:
            text += word
            yield TextDelta(word)
        yield Final(
            text=text,
            tool_calls=(),
            finish=FinishReason.STOP,
            usage=Usage(input=1, output=1, reported=True),
            provider=self.provider,
            model=self.name,
        )


async def a_watch(home: House, gym: Gym) -> Watch:
    services, scope = home.services, gym.member.scope
    session_id = await new_session(home, scope)
    return Watch(services.bus, services.log, scope, session_id)


async def next_said(items: AsyncGenerator[Item, None]) -> Said:
    async for item in items:
        if isinstance(item, Said):
            return item
    raise AssertionError("the session ended")


async def test_what_was_missed_is_asked_for_again(home: House, gym: Gym) -> None:
    watch, model = await a_watch(home, gym), Dictated()
    async with running_turns(home, model) as turns, aclosing(watch.follow()) as items:
        await turns.say(gym.member.scope, watch.session_id, UserMessage(text="go"))
        model.words.put_nowait("one\n")
        first = await soon(next_said(items))
        assert (first.offset, first.text) == (0, "one\n")
        (reader,) = home.services.bus._subscribers._by_topic[topic_of(watch.session_id)]
        model.words.put_nowait("two\n")
        while not any(isinstance(notice, Delta) for notice in reader._buffer):
            await asyncio.sleep(0.001)
        reader._buffer.clear()
        model.words.put_nowait("three\n")
        assert await soon(next_said(items)) == Said(first.key, 4, "two\nthree\n")
        model.words.put_nowait("four\n")
        assert await soon(next_said(items)) == Said(first.key, 14, "four\n")
        model.words.put_nowait(None)
        last = await soon(anext(items))
        assert isinstance(last, Event)
        assert isinstance(last.content, AssistantMessage)
        assert last.content.text == "one\ntwo\nthree\nfour\n"


async def test_many_who_ask_are_told_together(home: House, gym: Gym) -> None:
    watch, model = await a_watch(home, gym), Dictated()
    async with (
        running_turns(home, model) as turns,
        home.services.bus.subscribe(topic_of(watch.session_id)) as notices,
    ):
        await turns.say(gym.member.scope, watch.session_id, UserMessage(text="go"))
        for word in ("one\n", "two\n", "three\n"):
            model.words.put_nowait(word)
        heard = ""
        while len(heard) < 14:
            heard += "".join(n.text for n in await soon(notices.batch()) or [] if isinstance(n, Delta))
        for _ in range(100):
            turns.tell_so_far(watch.session_id)
        told = await soon(anext(aiter(notices)))
        while not isinstance(told, Delta):
            told = await soon(anext(aiter(notices)))
        assert (told.offset, told.text) == (0, "one\ntwo\nthree\n")
        model.words.put_nowait("four\n")
        more = [n for n in await soon(notices.batch()) or [] if isinstance(n, Delta)]
        while not more:
            more = [n for n in await soon(notices.batch()) or [] if isinstance(n, Delta)]
        assert [(n.offset, n.text) for n in more] == [(14, "four\n")]
        model.words.put_nowait(None)


async def test_words_do_not_come_after_the_event_that_has_them(home: House, gym: Gym) -> None:
    watch, bus = await a_watch(home, gym), home.services.bus
    topic = topic_of(watch.session_id)
    async with running_turns(home, ScriptedModel(["Hello."])) as turns:
        ticket = await turns.say(gym.member.scope, watch.session_id, UserMessage(text="go"))
        assert ticket.done is not None
        await soon(ticket.done)
        async with aclosing(watch.follow()) as items:
            assert isinstance(await soon(anext(items)), Event)
            assert isinstance(await soon(anext(items)), Event)
            listening = asyncio.create_task(next_said(items))
            while not all(reader._waiter for reader in bus._subscribers._by_topic[topic]):
                await asyncio.sleep(0.001)
            bus.publish_append(topic, "1.0", "Hello.", 0)
            bus.publish_highest(topic, "sequence", 2)
            bus.publish_append(topic, "2.0", "And", 0)
            assert await soon(listening) == Said("2.0", 0, "And")


async def test_silence_is_told_as_an_empty_batch(home: House, gym: Gym) -> None:
    watch = await a_watch(home, gym)
    async with aclosing(watch.batches(0.01)) as batches:
        assert await soon(anext(batches)) == []
        assert await soon(anext(batches)) == []

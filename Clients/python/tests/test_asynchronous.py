"""The asynchronous client does what the synchronous one does, several sessions at a time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

import cardpresent
from cardpresent import Service, asynchronous
from cardpresent.asynchronous import AsyncService
from conftest import WrongServer


def run(work: Coroutine[Any, Any, None]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(60):
            await work

    asyncio.run(bounded())


def test_a_person_acts_while_events_stream(cardpresent_service: Service) -> None:
    async def work() -> None:
        async with asynchronous.connect(cardpresent_service.address) as service:
            async with service.session("pin-required", readers="pinpad") as session:
                reader = session.reader()
                payment = await session.pay("3.00", cardholder="by_hand")
                async with session.stream_events(deadline=20) as events:
                    await reader.insert()
                    await reader.type_pin("1234")
                    await reader.remove()
                    kinds = []
                    async for event in events:
                        kinds.append(event.kind)
                        if event.kind == "step_ended" and "pay" in event.detail:
                            break
                assert "card_inserted" in kinds
                assert (await session.payment(payment)).outcome == "approved"
                assert (await session.wait_for_event("host", "sent")).detail == "authorize sent"
                with pytest.raises(cardpresent.DeadlinePassed):
                    await session.wait_for_event("crash", deadline=0.2)
            with pytest.raises(cardpresent.NotFound):
                await session.state()

    run(work())


def test_sessions_run_side_by_side(cardpresent_service: Service) -> None:
    async def pay(service: AsyncService, card: str) -> str:
        async with service.session(card) as session:
            return (await session.within(40).pay("12.50")).outcome

    async def work() -> None:
        async with asynchronous.connect(cardpresent_service.address) as service:
            outcomes = await asyncio.gather(*(pay(service, card) for card in ["visa-credit", "insufficient-funds"]))
            assert outcomes == ["approved", "declined"]
            started = await service.session()
            assert repr(await service.attach(started.id)) == repr(started)
            await started.delete()

    run(work())


def test_a_started_service_ends_with_its_block() -> None:
    async def work() -> None:
        async with asynchronous.serve(token="a-token-of-some-length") as service:
            assert (await service.state()).sessions == 0
            with pytest.raises(cardpresent.AccessDenied):
                await AsyncService(service.address).state()
            address = service.address
        with pytest.raises(cardpresent.ServiceUnreachable):
            await AsyncService(address).state()

    run(work())


def test_a_program_that_never_listens_is_killed(tmp_path: Path) -> None:
    stuck = tmp_path / "program"
    stuck.write_text("#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 0.1; done\n")
    stuck.chmod(0o755)

    async def work() -> None:
        with pytest.raises(cardpresent.DeadlinePassed):
            async with asynchronous.serve(stuck, start_deadline=0.5):
                pass

    run(work())


def test_a_server_that_never_answers_ends_with_the_deadline(silent_server: WrongServer) -> None:
    async def work() -> None:
        began = time.monotonic()
        with pytest.raises(cardpresent.DeadlinePassed, match="0.3 seconds"):
            await AsyncService(silent_server.address, deadline=0.3).session()
        assert time.monotonic() - began < 10
        assert silent_server.requests == 1

    run(work())


def test_a_request_is_never_sent_twice(rude_server: WrongServer) -> None:
    async def work() -> None:
        with pytest.raises(cardpresent.ServiceUnreachable):
            await AsyncService(rude_server.address).session()
        assert rude_server.requests == 1

    run(work())


def test_errors_in_the_block_stay_the_same(cardpresent_service: Service) -> None:
    async def work() -> None:
        async with asynchronous.connect(cardpresent_service.address) as service:
            with pytest.raises(TimeoutError, match="my own"):
                async with service.session() as session, session.stream_events():
                    raise TimeoutError("my own")

    run(work())

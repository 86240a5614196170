"""Starting, finding, and losing the service; deadlines and errors."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

import cardpresent
from cardpresent import Service, Session
from conftest import WrongServer


def test_the_service_tells_its_load_and_catalog(cardpresent_service: Service, simulated_session: Session) -> None:
    assert cardpresent_service.state().sessions >= 1
    assert simulated_session.id in [session.id for session in cardpresent_service.sessions()]
    catalog = cardpresent_service.catalog()
    assert "visa-credit" in [card.name for card in catalog.cards]
    assert {"pinpad", "short-apdu"} <= set(catalog.reader_models)
    assert "cents" in catalog.issuer_rules


def test_a_session_ends_with_its_block(cardpresent_service: Service) -> None:
    with cardpresent_service.session() as session:
        assert cardpresent_service.attach(session.id).id == session.id
    with pytest.raises(cardpresent.NotFound, match=session.id) as raised:
        session.state()
    assert (raised.value.status, raised.value.code) == (404, "unknown_session")
    with cardpresent_service.session() as session:
        session.delete()  # The block ends without an error.


def test_a_mistake_says_where_it_is_and_what_to_do(cardpresent_service: Service) -> None:
    with pytest.raises(cardpresent.InvalidRequest) as raised:
        cardpresent_service.session(readers=["pinpad", "pinpat"])
    assert (raised.value.code, raised.value.path) == ("invalid_body", "readers[1]")
    assert raised.value.message in str(raised.value)
    assert raised.value.fix is not None and raised.value.fix in str(raised.value)


SCENARIO = """template_version: 1
description: A card is declined
card: visa-credit
matrix: { outcome: [declined, approved] }
steps:
  - connect
  - pay: 12.50
    expect: { outcome: "${outcome}" }
"""


def test_a_scenario_is_played_with_its_result(cardpresent_service: Service) -> None:
    played = cardpresent_service.play_scenario(SCENARIO, file="pay.yaml")
    assert (played.name, played.status) == ("pay[outcome=declined]", "failed")
    assert played.reason == "step 2, pay 12.50 USD: outcome: expected 'declined', seen 'approved'"
    assert [(mismatch.step, mismatch.line) for mismatch in played.mismatches] == [(2, 8)]
    assert played.decodings and {decoding.event for decoding in played.decodings} <= {each.id for each in played.events}
    again = cardpresent_service.play_scenario(SCENARIO, file="pay.yaml", scenario=played.scenarios[1])
    assert (again.status, again.reason, again.mismatches) == ("passed", None, ())
    with pytest.raises(cardpresent.InvalidRequest, match="pay.yaml:2:1: unknown key 'descripton'"):
        cardpresent_service.play_scenario(SCENARIO.replace("description", "descripton"), file="pay.yaml")


def test_a_card_number_in_place_of_a_name_is_masked(simulated_session: Session) -> None:
    with pytest.raises(cardpresent.NotFound) as raised:
        simulated_session.reader().insert("4761739001010010")
    assert "4761739001010010" not in str(raised.value)
    # The service masks every digit, before the client masks what is left.
    assert "'****************'" in str(raised.value)


def test_a_started_service_ends_with_its_block() -> None:
    with cardpresent.serve(sessions_limit=1) as service:
        assert service.state().sessions_limit == 1
        with service.session(), pytest.raises(cardpresent.LimitReached):
            service.session()
    with pytest.raises(cardpresent.ServiceUnreachable, match=service.address):
        service.state()


def test_a_service_with_a_token_refuses_other_clients() -> None:
    token = "a-token-of-some-length"
    with cardpresent.serve(token=token) as service:
        assert service.state().sessions == 0
        with pytest.raises(cardpresent.AccessDenied), cardpresent.connect(service.address):
            pass
        with cardpresent.connect(service.address, token=token) as same:
            assert same.state().sessions == 0
    assert token not in repr(service)


def test_a_missing_program_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARDPRESENT_PROGRAM", "/nowhere/cardpresent")
    with pytest.raises(cardpresent.ProgramError, match="/nowhere/cardpresent"), cardpresent.serve():
        pass


def program(folder: Path, text: str) -> Path:
    path = folder / "program"
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


def test_a_program_that_ends_at_once_tells_why(tmp_path: Path) -> None:
    failing = program(tmp_path, "echo 'no more ports' >&2; exit 69\n")
    with pytest.raises(cardpresent.ProgramError, match="exit code 69: no more ports"), cardpresent.serve(failing):
        pass


def test_a_program_that_never_listens_is_killed(tmp_path: Path) -> None:
    stuck = program(tmp_path, f"trap '' TERM; echo $$ >{tmp_path}/pid; while :; do sleep 0.1; done\n")
    with pytest.raises(cardpresent.DeadlinePassed, match="start of the service"):
        with cardpresent.serve(stuck, start_deadline=0.5):
            pass
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_an_error_in_the_block_stays_the_same(cardpresent_service: Service) -> None:
    with pytest.raises(FileNotFoundError, match="my own"):
        with cardpresent_service.session() as session, session.stream_events():
            raise FileNotFoundError("my own")


def test_a_server_that_never_answers_ends_with_the_deadline(silent_server: WrongServer) -> None:
    began = time.monotonic()
    with pytest.raises(cardpresent.DeadlinePassed, match="0.3 seconds"):
        Service(silent_server.address, deadline=0.3).session()
    assert time.monotonic() - began < 10
    assert silent_server.requests == 1


def test_a_request_is_never_sent_twice(rude_server: WrongServer) -> None:
    with pytest.raises(cardpresent.ServiceUnreachable):
        Service(rude_server.address).session()
    assert rude_server.requests == 1


def test_another_program_at_the_address_is_noticed(other_server: WrongServer) -> None:
    with pytest.raises(cardpresent.UnexpectedAnswer, match="404"), cardpresent.connect(other_server.address):
        pass


@pytest.mark.parametrize("address", ["127.0.0.1:8200", "ftp://127.0.0.1", "http://", "http://a:b@127.0.0.1:8200"])
def test_an_address_without_a_scheme_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match="http://127.0.0.1:8200"):
        Service(address)


def test_a_deadline_is_positive(cardpresent_service: Service) -> None:
    with pytest.raises(ValueError, match="more than 0"):
        Service(cardpresent_service.address, deadline=0).state()

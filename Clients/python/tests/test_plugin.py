"""The pytest plugin, in test runs of its own."""

from __future__ import annotations

import pytest

from cardpresent import Service


def test_a_failed_test_shows_its_session(pytester: pytest.Pytester, cardpresent_service: Service) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.simulated_reader("insufficient-funds", seed=7)
        def test_fails(simulated_reader):
            assert simulated_reader.session.pay("12.50").outcome == "approved"

        def test_passes(simulated_reader):
            assert simulated_reader.session.pay("12.50").outcome == "approved"
            simulated_reader.session.pay("3.00", cardholder="by_hand")

        def test_waits(simulated_reader):
            simulated_reader.session.pay("3.00", cardholder="by_hand")
            assert False
        """
    )
    result = pytester.runpytest("--cardpresent-service", cardpresent_service.address, "-v", "--strict-markers")
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(
        [
            "*- simulated session s* -*",
            "seed 7",
            "payment P000001: 12.50 USD declined (declined), declined_by_host: *",
            "*0.000 s  step pay 12.50 USD",
            "* s  host authorize answered 51",
            "*- simulated session s* -*",
            "waits for: WaitingFor(kind='card', ways=('insert',))",
        ]
    )
    assert cardpresent_service.sessions() == ()


def test_each_test_has_its_own_session_of_one_service(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        seen = set()

        def check(service, reader):
            assert service.state().sessions == 1
            seen.add((service.address, reader.session.id))
            return len(seen)

        def test_first(cardpresent_service, simulated_reader, simulated_session):
            assert simulated_reader.session is simulated_session
            assert check(cardpresent_service, simulated_reader) == 1

        def test_second(cardpresent_service, simulated_reader):
            assert check(cardpresent_service, simulated_reader) == 2
            assert len({address for address, _ in seen}) == 1
        """
    )
    pytester.runpytest_subprocess().assert_outcomes(passed=2)


def test_a_missing_program_is_an_error_and_no_skip(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(simulated_reader): pass")
    result = pytester.runpytest("--cardpresent-program", "/nowhere/cardpresent")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*ProgramError: there is no program '/nowhere/cardpresent': *CARDPRESENT_PROGRAM*"])


def test_a_dead_service_does_not_hide_the_failure(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import os
        import signal

        def test_it(simulated_reader):
            with open(f"/proc/self/task/{os.getpid()}/children") as children:
                os.kill(int(children.read()), signal.SIGKILL)
            assert False, "my own failure"
        """
    )
    result = pytester.runpytest_subprocess()
    result.stdout.fnmatch_lines(["*my own failure*", "*- simulated session s1 -*", "the session can't be read: *"])

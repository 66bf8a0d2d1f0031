"""Options of the test run, and its signals."""

from __future__ import annotations

import signal

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--regenerate-golden", action="store_true", help="write the expected texts of tests/golden anew"
    )


def pytest_configure() -> None:
    """What a shell starts in the background ignores Ctrl-C, and hands that on to commands that tests stop."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)

"""The list of faults that `python3 -m tests.faults` plants keeps up with the rules and the code."""

from __future__ import annotations

import pytest

from tests.faults.planted import ROOT, Fault, faults, named_for, rows


@pytest.mark.parametrize("fault", faults(), ids=lambda fault: f"{fault.rule}: {fault.fault}")
def test_a_fault_breaks_a_line_that_stands_once(fault: Fault) -> None:
    assert (ROOT / fault.file).read_text(encoding="utf-8").count(fault.line) == 1
    assert fault.line != fault.broken
    assert named_for(fault)


def test_every_rule_has_a_fault() -> None:
    planted = [(fault.rule, fault.subject) for fault in faults()]
    missing = [
        key
        for key in rows()
        if not any(rule == key[0] and key[1].startswith(subject) for rule, subject in planted)
    ]
    assert missing == []

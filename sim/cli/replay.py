"""`carre replay`: one battle as a film."""

from __future__ import annotations

import argparse

from sim.cli.options import scenario_of
from sim.cli.output import page, show, wrote
from sim.report import plots, writing
from sim.report.moments import replay
from sim.report.replay import replay_json, replay_lines, save_frames, save_gif


def run(options: argparse.Namespace) -> None:
    """`carre replay`."""
    scenario = scenario_of(options.scenario, options.changes)
    if options.gif or options.frames:
        plots.prepare()
    if options.frames:
        writing.folder(options.frames)
    found = replay(scenario, options.run_number, options.seed)
    if options.gif:
        wrote(save_gif(found, options.gif))
    if options.frames:
        wrote(f"{save_frames(found, options.frames)} pictures in {options.frames}")
    show(options, page(options).wrap(replay_lines(found)), replay_json(found))

"""`python3 -m sim COMMAND …`: the command line `carre`; in a fresh checkout it sets up what it needs the
first time."""

import sys


def main() -> int:
    """Run a command, in the project's own environment where there is one; returns the exit code."""
    try:
        from sim import bootstrap

        if bootstrap.needed():
            return bootstrap.run(["-m", "sim.cli", *sys.argv[1:]])
        from sim import cli
    except KeyboardInterrupt:
        print("carre: stopped", file=sys.stderr)
        return 130
    return cli.main()


if __name__ == "__main__":
    sys.exit(main())

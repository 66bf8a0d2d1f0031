"""`python3 -m sim COMMAND …`: the command line `carre`, from a fresh checkout; sets up what it needs the first time."""

import sys

from sim import bootstrap

if __name__ == "__main__":
    inside = sys.prefix == str(bootstrap.ENVIRONMENT)
    if inside:
        from sim.cli import main

        sys.exit(main())
    sys.exit(bootstrap.run(["-m", "sim.cli", *sys.argv[1:]]))

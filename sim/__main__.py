"""`python3 -m sim COMMAND …`: the command line `carre`; in a fresh checkout it sets up what it needs the first time."""

import sys

from sim import bootstrap

if __name__ == "__main__":
    if bootstrap.needed():
        sys.exit(bootstrap.run(["-m", "sim.cli", *sys.argv[1:]]))
    from sim.cli import main

    sys.exit(main())

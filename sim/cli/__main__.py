"""`python -m sim.cli`: the command line in an environment that is set up."""

import sys

from sim.cli import main

if __name__ == "__main__":
    sys.exit(main())

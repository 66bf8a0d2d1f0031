"""`python3 -m tests`: set up what the tests need, and run them. Further arguments go to pytest."""

import sys

from sim import bootstrap

if __name__ == "__main__":
    sys.exit(bootstrap.run(["-m", "pytest", *sys.argv[1:]], development=True))

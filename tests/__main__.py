"""`python3 -m tests`: set up what the tests need, and run them all, file by file on all processors. Arguments
go to pytest, which then runs in one process."""

import sys

from sim import bootstrap

if __name__ == "__main__":
    arguments = sys.argv[1:] or ["-n", "auto", "--dist", "loadfile"]
    sys.exit(bootstrap.run(["-m", "pytest", *arguments], development=True))

"""`python -m manyhash.spark`, and what spark-submit is given."""

import sys

from manyhash.spark.command import main

if __name__ == "__main__":
    sys.exit(main())

"""The command line: ``credence``, or ``python -m credence``."""

from __future__ import annotations

import os
import sys


def main() -> int:
    # Arrow's usual allocator keeps what a reader has given back; here that is needed for the rows.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    from . import _program
    from ._tables import Tables

    _program.set_tables(Tables())
    return _program.main([b"credence", *map(os.fsencode, sys.argv[1:])])


if __name__ == "__main__":
    sys.exit(main())

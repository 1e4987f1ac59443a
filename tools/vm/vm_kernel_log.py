# SPDX-License-Identifier: GPL-2.0-only
"""Finds the lines of a kernel log that say something went wrong."""

import re

# Case matters: the kernel writes these words exactly so, while "warning" or
# "stall" inside ordinary messages ("Installing 9P2000") is innocent.
BAD_PATTERNS = [
    # Crashes.
    r"\bKernel panic - not syncing\b",
    r"\bOops\b",
    r"\bBUG: ",
    r"\bkernel BUG at ",
    r"\bWARNING: ",
    r"-\[ cut here \]-",
    r"\bgeneral protection fault\b",
    r"\bunable to handle\b",
    r"\bUnable to handle\b",
    r"\bdouble fault\b",
    r"\bstack guard page was hit\b",
    r"\b(?:kernel )?stack overflow\b",
    r"\binvalid opcode: ",
    r"\bdivide error: ",
    r"\bend trace\b",
    # Sanitizers and memory checks.
    r"\b(?:KASAN|KMSAN|KCSAN|UBSAN|KFENCE): ",
    r"\bkmemleak: \d+ new suspected memory leaks",
    r"\bBad page (?:state|map|cache)\b",
    r"\bbad p[gum4]+d ",
    r"\bVM_FAULT_OOM leaked\b",
    r"\bBad rss-counter state\b",
    r"\bBad swap\b",
    r"\brefcount_t: ",
    r"\blist_(?:add|del) corruption\b",
    r"\bslab error\b",
    r"\b(?:Redzone|Poison|Padding|Object) overwritten\b",
    r"\bObjects remaining in\b",
    r"\bpage allocation failure\b",
    r"\bnon-zero (?:mapcount|pgtables_bytes)\b",
    # Locking.
    r"\bpossible (?:circular|recursive) locking dependency detected\b",
    r"\bpossible irq lock inversion dependency detected\b",
    r"-(?:safe|READ-safe) -> .*-unsafe lock order detected\b",
    r"\binconsistent lock state\b",
    r"\bsuspicious RCU usage\b",
    r"\bbad unlock balance detected\b",
    r"\bheld lock freed\b",
    r"\block held (?:when returning to user space|at task exit)\b",
    r"\bInvalid wait context\b",
    r"\bbad contention detected\b",
    r"\bsleeping function called from invalid context\b",
    r"\bscheduling while atomic\b",
    r"\bDEBUG_LOCKS_WARN_ON\b",
    r"\bMAX_LOCK(?:DEP_\w+|_DEPTH) too low\b",
    # Hangs.
    r"\bblocked for more than \d+ seconds\b",
    r"\bhung_task: blocked tasks\b",
    r"\bsoft lockup\b",
    r"\b[Hh]ard LOCKUP\b",
    r"\bdetected(?: expedited)? stalls? on\b",
    r"\bself-detected stall on CPU\b",
    r"\bRCU Stall\b",
    r"\bkthread (?:starved|timer wakeup didn't happen) for\b",
    r"\bworkqueue lockup\b",
    r"\birq \d+: nobody cared\b",
]

_BAD = re.compile("|".join(BAD_PATTERNS))
_TIME = re.compile(r"^(?:<\d+>)?\[ *\d+\.\d+\](?:\[ *[TC]\d+\])? ?")


def strip_time(line: str) -> str:
    """A log line without level, time and caller."""
    return _TIME.sub("", line)


def bad_lines(lines: list[str], allowed: list[str]) -> list[str]:
    """The offending LINES of a log, each once, in order.  ALLOWED are regular
    expressions for lines that are expected."""
    permit = re.compile("|".join(f"(?:{each})" for each in allowed) or r"(?!)")
    found: dict[str, str] = {}
    for line in lines:
        if _BAD.search(line) and not permit.search(line):
            found.setdefault(strip_time(line), line)
    return list(found.values())

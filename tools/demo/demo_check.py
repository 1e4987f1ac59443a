# SPDX-License-Identifier: GPL-2.0-only
"""What hymcctl said at the end of each mode, against what the replay counted.

hymc-replay compares its own counts with the counters it reads by ioctl. hymcctl gets
them by another way (netlink), and prints them as tables and as JSON: all must agree.
"""

from __future__ import annotations

import json
from pathlib import Path

# What the replay counts itself, and the counters of the device that say the same.
SAME = (
    ("lookup_keys", ("lookup_keys",)),
    ("hint_requests", ("hint_requests",)),
    ("hint_blocks", ("hint_blocks",)),
    ("loaded_blocks", ("acquire_staged", "acquire_late", "acquire_demand")),
    ("loaded_bytes", ("acquire_bytes",)),
    ("put_stored", ("put_blocks",)),
    ("put_stored_bytes", ("put_bytes",)),
    ("put_present", ("put_present",)),
    ("put_skipped", ("skip_buffer", "skip_frames")),
    ("put_skipped_ssd", ("skip_ssd",)),
)
# Fresh pools from which nothing is evicted or deleted.
GAUGES = (("blocks", "put_stored"), ("block_bytes", "put_stored_bytes"))


def table_values(text: str) -> dict[str, int]:
    """Numbers of the table "hymcctl stats" prints: name, value, ..."""
    values = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) >= 3 and words[1].isdigit():
            values[words[0]] = int(words[1])
    return values


def check_sums(where: str, stats: dict, counts: dict) -> list[str]:
    """One source of counters against the replay's counts."""
    bad = []
    for ours, theirs in SAME:
        value = sum(stats.get(name, -1) for name in theirs)
        if value != counts[ours]:
            bad.append(f"{where}: {' + '.join(theirs)} is {value}, "
                       f"the replay counted {counts[ours]} {ours}")
    return bad


def check_gauges(where: str, stats: dict, counts: dict) -> list[str]:
    """What is in the pool against what was stored."""
    return [f"{where}: {gauge} is {stats.get(gauge)}, the replay counted "
            f"{counts[ours]} {ours}"
            for gauge, ours in GAUGES if stats.get(gauge) != counts[ours]]


def check_mode(folder: Path, name: str, mode: dict) -> list[str]:
    """All of hymcctl's outputs of one mode."""
    stats = json.loads((folder / f"stats-{name}.json").read_text())["stats"]
    table = table_values((folder / f"stats-{name}.txt").read_text())
    pool = json.loads((folder / f"pool-{name}.json").read_text())["now"]
    counts = mode["counts"]
    bad = check_sums(f"{name}: hymcctl stats --json", stats, counts)
    bad += check_sums(f"{name}: hymcctl stats", table, counts)
    bad += check_gauges(f"{name}: hymcctl stats --json", stats, counts)
    bad += check_gauges(f"{name}: hymcctl pool show --json", pool, counts)
    for field in ("ssd_read_bytes", "ssd_write_bytes"):
        if stats[field] != mode[field]:
            bad.append(f"{name}: hymcctl says {field} is {stats[field]}, "
                       f"the report {mode[field]}")
    return bad


def check_report(folder: Path, report: dict) -> list[str]:
    """Sentences about everything that does not agree; none when all is well."""
    bad = []
    for name, mode in report["modes"].items():
        try:
            bad += check_mode(folder, name, mode)
        except (OSError, ValueError, KeyError) as error:
            bad.append(f"{name}: hymcctl's output is not usable: {error!r}")
    return bad

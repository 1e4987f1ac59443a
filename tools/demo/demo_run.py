# SPDX-License-Identifier: GPL-2.0-only
"""Run one operating point in the virtual machine, and judge it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from demo_check import check_report
from demo_point import TOP, TRACE, Point

# What the project promises of the demo's own point, at equal DRAM.
TARGETS = (("p50", 3.0), ("p99", 5.0))
# A machine that is shared with others may take several times as long.
TIMEOUT_S = 1500


class DemoError(Exception):
    """The demo cannot go on; the text is a sentence."""


def say(text: str) -> None:
    """A line of the demo's own."""
    print(text, flush=True)


def command(point: Point, kernel: str, out: Path) -> list[str]:
    """The whole command line."""
    return [str(TOP / "tools/vm/hymc-vm"), "run", "--kernel", kernel,
            *point.vm_options(), "--timeout", str(TIMEOUT_S), "--out", str(out), "--",
            str(TOP / "tools/demo/guest"), *point.replay_options(), str(TRACE)]


def check_built() -> None:
    """What the guest runs must be there."""
    for name in ("hymc-replay", "hymcctl"):
        if not (TOP / "build" / name).exists():
            raise DemoError(f"build/{name} is missing; run 'make demo', or 'make' first")


def run_point(point: Point, kernel: str, out: Path) -> dict:
    """Run @point; its report. DemoError when there is none."""
    check_built()
    out.mkdir(parents=True, exist_ok=True)
    for old in ("report.json", *(f"{kind}-{mode}.{end}" for kind in ("pool", "stats")
                                 for mode in ("lru", "demand", "hymc")
                                 for end in ("txt", "json"))):
        (out / old).unlink(missing_ok=True)
    say(f"{point.name}: {point.why}")
    say(f"    {point.requests} requests of {TRACE.name}, {point.dram_gib} GiB of "
        f"device DRAM, a drive of {point.drive_gb_s:g} GB/s,")
    say(f"    a link of {point.link_gb_s:g} GB/s, {point.gpus} GPUs of {point.gpu_tokens_s} tokens/s; sizes scaled by "
        f"1/{point.scale}, time by {point.speed:g}")
    start = time.monotonic()
    status = subprocess.run(command(point, kernel, out), cwd=TOP, check=False,
                            stdin=subprocess.DEVNULL).returncode
    say(f"    {time.monotonic() - start:.0f} s, machine and all")
    if status not in (0, 1) or not (out / "report.json").exists():
        raise DemoError(f"the replay in the virtual machine failed with status "
                        f"{status}; its output is in {os.path.relpath(out)}")
    return json.loads((out / "report.json").read_text())


def judge(out: Path, report: dict) -> bool:
    """Print the verdict on correctness; True when all is right."""
    bad = check_report(out, report)
    for sentence in bad:
        say(f"DISAGREEMENT: {sentence}")
    if not report["good"]:
        say("WRONG: see the table above")
    if bad or not report["good"]:
        return False
    say(f"{report['bytes_checked'] / 2**30:.2f} GiB were read and compared, "
        f"{report['bytes_wrong']} bytes wrong; "
        "the replay's counts, hymcctl's tables and its JSON agree")
    return True


def show_targets(report: dict) -> None:
    """The promise, and what came out."""
    ratio = report["ratios"].get("lru/hymc")
    if not ratio:
        return
    for quantile, want in TARGETS:
        got = ratio[quantile]
        say(f"time to load a prefix, {quantile}: lru takes {got:.1f} times as long as "
            f"hymc ({'' if got >= want else 'NOT '}at least {want:g})")


def make_page(page: Path, reports: list[Path], title: str) -> None:
    """Turn reports into a page."""
    status = subprocess.run(
        [sys.executable, str(TOP / "tools/replay/hymc-report"), "-o", str(page),
         "--title", title, *map(str, reports)], check=False).returncode
    if status:
        raise DemoError(f"hymc-report failed with status {status}")

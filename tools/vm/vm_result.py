# SPDX-License-Identifier: GPL-2.0-only
"""What a finished run amounts to: its results brought home, everything wrong
explained, one exit status."""

import dataclasses
import shutil
import sys
from pathlib import Path

import vm_kernel_log
from vm_options import Options

EXIT_TIMEOUT = 124
EXIT_RUNNER = 125
EXIT_KERNEL_LOG = 126

# Lines of a log that are worth showing: of a fault, and of an early end.
SHOWN_LINES = 25
SHOWN_TAIL = 10

RESULTS_OF_GUEST = ("dmesg", "rc", "processes")
RESULTS = ("stdout", "stderr", "console", *RESULTS_OF_GUEST)


def say(message: str) -> None:
    """A line of the runner's own on stderr."""
    sys.stderr.write(f"hymc-vm: {message}\n")
    sys.stderr.flush()


@dataclasses.dataclass(frozen=True)
class Finished:
    """A run whose QEMU has ended."""

    control: Path
    out: Path
    qemu_log: Path
    qemu_status: int | None
    in_time: bool


def _read(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except FileNotFoundError:
        return ""


def _show(lines: list[str], most: int) -> None:
    for line in lines[:most]:
        sys.stderr.write(f"    {line}\n")
    if len(lines) > most:
        sys.stderr.write(f"    ... and {len(lines) - most} more lines\n")


def _lines(text: str) -> list[str]:
    return text.replace("\r", "").rstrip().splitlines()


def _kernel_log_is_clean(out: Path, allowed: list[str]) -> bool:
    lines = _lines(_read(out / "dmesg")) + _lines(_read(out / "console"))
    bad = vm_kernel_log.bad_lines(lines, allowed)
    if not bad:
        return True
    say("the kernel log is not clean:")
    _show(bad, SHOWN_LINES)
    first = lines.index(bad[0])
    say("the log from the first of these lines on:")
    _show(lines[first:], SHOWN_LINES)
    return False


def _explain_dead_guest(run: Finished, clean: bool) -> None:
    reason = _read(run.control / "fail").strip()
    if reason:
        say(reason)
        say("the last lines of the kernel log:")
        _show(_lines(_read(run.out / "dmesg"))[-SHOWN_TAIL:], SHOWN_TAIL)
        return
    stage = _read(run.control / "stage").strip() or "boot"
    say(f"the guest ended during '{stage}' without a result "
        f"(QEMU's exit status {run.qemu_status})")
    _show(_lines(_read(run.qemu_log)), SHOWN_LINES)
    console = _read(run.out / "console")
    if clean and console:
        say("the last lines of its console:")
        _show(_lines(console)[-SHOWN_TAIL:], SHOWN_TAIL)


def _explain_late_guest(options: Options, run: Finished) -> None:
    say(f"time was up after {options.timeout:g} s (--timeout)")
    processes = _lines(_read(run.control / "processes"))
    if processes:
        say("what ran in the guest:")
        _show(processes, SHOWN_LINES)
        return
    stage = _read(run.control / "stage").strip() or "boot"
    say(f"the guest had got to '{stage}'; the last lines of its console:")
    _show(_lines(_read(run.out / "console"))[-SHOWN_TAIL:], SHOWN_TAIL)


def _collect(control: Path, out: Path) -> str:
    """Bring the guest's results to --out; the command's status or ""."""
    for name in RESULTS_OF_GUEST:
        if (control / name).is_file():
            shutil.copyfile(control / name, out / name)
    return _read(control / "rc").strip()


def forget_results(out: Path) -> None:
    """Results of an earlier run in the same place must not be taken for ours."""
    for name in RESULTS:
        (out / name).unlink(missing_ok=True)


def judge(options: Options, run: Finished) -> int:
    """The exit status, with everything wrong explained on stderr."""
    rc = _collect(run.control, run.out)
    clean = _kernel_log_is_clean(run.out, options.allow_dmesg)
    if not run.in_time:
        _explain_late_guest(options, run)
        return EXIT_KERNEL_LOG if not clean else EXIT_TIMEOUT
    if not rc.isdigit():
        _explain_dead_guest(run, clean)
        return EXIT_RUNNER if clean else EXIT_KERNEL_LOG
    return int(rc) if clean else EXIT_KERNEL_LOG


def judge_shell(run: Finished) -> int:
    """The exit status after an interactive session."""
    reason = _read(run.control / "fail").strip()
    if reason:
        say(reason)
        return EXIT_RUNNER
    return int(_collect(run.control, run.out) or 0)

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What hymc-replay concludes and hymc-report shows, tested against a device that misbehaves on demand.

Runs the whole program with tests/fake-libhymc.c in place of the kernel. Prints TAP.
"""

from __future__ import annotations

import html.parser
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
REPLAY = os.path.join(TOP, os.environ.get("BUILD", "build"), "tests", "replay",
                      "hymc-replay-fake")
REPORT = os.path.join(TOP, "tools", "replay", "hymc-report")
DEVICE = ["--dram", "dax0.0", "--ssd", "/dev/fake"]
FAST = ["--speed", "1000", "--hbm-blocks", "0", "--scale", "1/1024", "--slots", "2"]


class Failed(Exception):
    """An expectation that does not hold."""


def expect(cond: bool, what: str) -> None:
    """Fail the running test unless @cond."""
    if not cond:
        raise Failed(what)


def write_trace(path: str, sessions: int = 4, turns: int = 5) -> None:
    """Conversations that grow by one and a half blocks a turn."""
    with open(path, "w", encoding="ascii") as file:
        for turn in range(turns):
            for session in range(sessions):
                tokens = 768 * (turn + 1)
                ids = [1000 * session + i for i in range(tokens // 512)]
                if tokens % 512:
                    ids.append(1000 * session + 500 + turn)
                file.write(json.dumps({
                    "timestamp": 1000 * turn, "input_length": tokens,
                    "output_length": 10, "hash_ids": ids}) + "\n")


class Run:
    """One run of the program."""

    def __init__(self, folder: str, *args: str, fake: str = "",
                 trace: str = "trace") -> None:
        self.report_path = os.path.join(folder, "report.json")
        if os.path.exists(self.report_path):
            os.remove(self.report_path)
        done = subprocess.run(
            [REPLAY, *DEVICE, *FAST, "--report", self.report_path, *args,
             os.path.join(folder, trace)], capture_output=True, text=True,
            timeout=60, check=False, env=dict(os.environ, FAKE=fake))
        self.status = done.returncode
        self.out = done.stdout
        self.err = done.stderr
        self.report = None
        if os.path.exists(self.report_path):
            with open(self.report_path, encoding="utf-8") as file:
                self.report = json.load(file)

    def expect_status(self, want: int) -> None:
        """Fail unless the exit status is @want."""
        expect(self.status == want,
               f"status {self.status}, not {want}: {self.err} {self.out}")

    def mode(self, name: str) -> dict:
        """The report of one mode."""
        return self.report["modes"][name]


def test_good(folder: str) -> None:
    """A device that does its job passes, in all modes"""
    run = Run(folder)
    run.expect_status(0)
    report = run.report
    expect(report["good"] and report["bytes_wrong"] == 0, "not good")
    expect(list(report["modes"]) == ["lru", "demand", "hymc"], "modes")
    for name, mode in report["modes"].items():
        counts = mode["counts"]
        expect(counts["requests"] == 20, f"{name}: requests")
        expect(counts["requests_loading"] > 10, f"{name}: nothing was loaded")
        expect(mode["bytes_checked"] == counts["loaded_bytes"],
               f"{name}: not every loaded byte was checked")
        expect(counts["prompt_blocks"] == counts["hbm_blocks"]
               + counts["hit_blocks"] + counts["missing_blocks"],
               f"{name}: blocks do not add up")
        expect(mode["staged_share"] == 1, f"{name}: shares")
        expect(mode["load_cdf"][-1][1] == 1, f"{name}: distribution")
        columns = {len(c) for c in mode["series"].values()}
        expect(len(columns) == 1 and columns.pop() >= 2, f"{name}: series")
    expect(report["bytes_checked"] == sum(
        m["bytes_checked"] for m in report["modes"].values()), "total")
    expect(report["ratios"]["lru/hymc"]["p50"] > 0, "ratios")
    expect(report["common"]["requests"] > 0, "common")
    expect(run.mode("hymc")["counts"]["hint_requests"] > 0, "no hints")
    expect(run.mode("demand")["counts"]["hint_requests"] == 0, "hints")
    expect(run.err.count("pool created") == 3, "a fresh pool per mode")
    expect(run.err.count("destroyed") == 3, "pools are left")


def wrong_bytes(folder: str, fake: str) -> dict:
    """Run with a fault that must be found; the details of it."""
    run = Run(folder, "--modes", "hymc", fake=fake)
    run.expect_status(1)
    expect("WRONG BYTES (hymc): line " in run.out, f"not told: {run.out}")
    expect(run.report["bytes_wrong"] > 0 and not run.report["good"], "report")
    return run.mode("hymc")["wrong"][0]


def test_flip(folder: str) -> None:
    """A flipped bit is found, with its place and both values"""
    wrong = wrong_bytes(folder, "flip:7")
    expect(wrong["wrong_bytes"] == 1, "count")
    expect(wrong["offset"] == wrong["len"] // 2, "offset")
    expect(int(wrong["expected"][:2], 16) ^ int(wrong["got"][:2], 16) == 4,
           "values")


def test_swap(folder: str) -> None:
    """Another block's bytes are found"""
    expect(wrong_bytes(folder, "swap:3")["wrong_bytes"] > 1000, "count")


def test_lengths(folder: str) -> None:
    """A block of another length is found"""
    wrong = wrong_bytes(folder, "short:4")
    expect(wrong["len"] == wrong["expected_len"] - 1, "short")
    wrong = wrong_bytes(folder, "long:4")
    expect(wrong["len"] == wrong["expected_len"] + 1, "long")


def test_stray(folder: str) -> None:
    """A run outside the mapping is not read, and ends the run"""
    run = Run(folder, "--modes", "demand", fake="stray:2")
    run.expect_status(3)
    expect("loading a prefix" in run.err, run.err)


def test_lost(folder: str) -> None:
    """A lost, missing or late block is recomputed, not an error"""
    for fake, count in (("lose:2", "load_lost"), ("miss:2", "load_missing"),
                        ("late:2", "load_timeout")):
        run = Run(folder, "--modes", "demand", fake=fake)
        run.expect_status(0)
        counts = run.mode("demand")["counts"]
        expect(counts[count] == 1, f"{count} is {counts[count]}")
        expect(counts["recomputed_blocks"] >= 1, "recomputed")
        expect(counts["put_present"] >= 1, "the block is offered again")
        expect(counts["loaded_blocks"] + counts["recomputed_blocks"]
               == counts["hit_blocks"], "blocks do not add up")


def test_skipped(folder: str) -> None:
    """A skipped insert is counted, not retried, and what follows is withheld"""
    for fake, count in (("skip:5", "put_skipped"), ("full:5", "put_skipped_ssd")):
        run = Run(folder, "--modes", "hymc", "--put-batch", "1", fake=fake)
        run.expect_status(0)
        counts = run.mode("hymc")["counts"]
        expect(counts[count] == 1, f"{count} is {counts[count]}")
        expect(counts["put_offered"] == counts["put_stored"]
               + counts["put_present"] + 1, "offered do not add up")


def test_counters(folder: str) -> None:
    """Counters that disagree with the replay's are an error"""
    run = Run(folder, "--modes", "lru", fake="count:3")
    run.expect_status(1)
    expect("DISAGREEMENT (lru): blocks stored" in run.out, run.out)
    expect(len(run.mode("lru")["disagreements"]) == 1, "report")
    expect(run.report["bytes_wrong"] == 0, "bytes")
    run = Run(folder, "--modes", "lru", fake="bytes:3")
    run.expect_status(1)
    expect("DISAGREEMENT (lru): bytes stored" in run.out, run.out)
    run = Run(folder, "--modes", "lru", fake="leak:3")
    run.expect_status(1)
    expect("DISAGREEMENT (lru): views outstanding" in run.out, run.out)


def test_own_cache(folder: str) -> None:
    """What the engine has itself is not loaded from the pool"""
    # One slot: each request is done before the next one starts.
    args = ["--modes", "hymc", "--slots", "1"]
    without = Run(folder, *args).mode("hymc")["counts"]
    run = Run(folder, *args, "--hbm-blocks", "1000")
    run.expect_status(0)
    counts = run.mode("hymc")["counts"]
    expect(without["hbm_blocks"] == 0, "a cache of 0 blocks holds some")
    expect(counts["hbm_blocks"] >= without["loaded_blocks"] > 0, "blocks")
    expect(counts["loaded_blocks"] == 0, "loaded all the same")


def test_link(folder: str) -> None:
    """A slow link makes loading as slow as it is"""
    # 10 MB/s, 1000 times faster, 1/1024 of the size.
    run = Run(folder, "--modes", "hymc", "--link-rate", "1e7")
    run.expect_status(0)
    rate = run.mode("hymc")["load_bytes_per_s"]
    expect(rate <= 1e7 * 1000 / 1024, f"faster than the link: {rate}")
    quick = Run(folder, "--modes", "hymc", "--link-rate", "1e12")
    expect(quick.mode("hymc")["load_ms"]["mean"]
           < run.mode("hymc")["load_ms"]["mean"], "the rate does not matter")


def test_dead(folder: str) -> None:
    """A device that goes away ends the run with a sentence"""
    run = Run(folder, "--modes", "lru,hymc", fake="dead:9")
    run.expect_status(3)
    expect("lru: loading a prefix: the fake says no" in run.err, run.err)
    expect(run.report is None, "half a report")
    expect(run.err.count("created") == run.err.count("destroyed") == 1, "pools")


def test_broken_trace(folder: str) -> None:
    """A broken line: its number, what is wrong, and nothing is run"""
    with open(os.path.join(folder, "trace"), encoding="ascii") as file:
        lines = file.read().splitlines()
    lines[11] = lines[11].replace("[", "[-")
    with open(os.path.join(folder, "broken"), "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")
    # Also when the broken line is behind what would be replayed.
    run = Run(folder, "--requests", "3", trace="broken")
    run.expect_status(2)
    expect(re.search(r'broken:12: "hash_ids"\[0\] is not', run.err) is not None,
           run.err)
    expect("pool created" not in run.err and not run.out, "it was run")


def test_usage(folder: str) -> None:
    """Bad usage says which option and why, and touches nothing"""
    for args, what in (
            (["--speed", "0"], "--speed: '0' is not a positive number"),
            (["--slots", "300"], "a whole number of 1..256"),
            (["--scale", "1/0"], "--scale"), (["--modes", "lru,x"], "'x'"),
            (["--modes", "lru,lru"], "twice"), (["--model", "gpt"], "--model"),
            (["--dev", "/dev/hymc0"], "--dev"), (["--scale", "64"], "1 GiB"),
            (["--nonsense"], "--help")):
        run = Run(folder, *args)
        run.expect_status(2)
        expect(what in run.err, f"{args}: {run.err}")
        expect("created" not in run.err, f"{args}: a pool was made")


def test_busy(folder: str) -> None:
    """A pool that cannot be made: the library's sentence, status 3"""
    run = Run(folder, "--ssd", "/dev/busy")
    run.expect_status(3)
    expect("cannot make a pool: the fake says no" in run.err, run.err)


def test_at_end(folder: str) -> None:
    """The hook runs once a mode, before the pool goes"""
    path = os.path.join(folder, "hook")
    run = Run(folder, "--at-end",
              f"echo $HYMC_MODE $HYMC_POOL >>{path}; echo hook >&2")
    run.expect_status(0)
    with open(path, encoding="ascii") as file:
        expect(file.read() == "lru 0\ndemand 0\nhymc 0\n", "calls")
    events = re.findall(r"created|hook|destroyed", run.err)
    expect(events == ["created", "hook", "destroyed"] * 3, str(events))
    run = Run(folder, "--at-end", "exit 5")
    run.expect_status(3)
    expect("ended with status 5" in run.err, run.err)
    expect(run.err.count("destroyed") == 1, "pool left")


def test_interrupt(folder: str) -> None:
    """Ctrl-C stops within seconds and destroys the pool"""
    with subprocess.Popen(
            [REPLAY, *DEVICE, "--speed", "0.001", os.path.join(folder, "trace")],
            stderr=subprocess.PIPE, text=True) as child:
        expect("created" in child.stderr.readline(), "no pool")
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        start = time.monotonic()
        err = child.communicate(timeout=60)[1]
    expect(child.returncode == 130, f"status {child.returncode}")
    expect(time.monotonic() - start < 5, "it took long")
    expect("interrupted" in err and "destroyed" in err, err)


class Balanced(html.parser.HTMLParser):
    """Notes tags that are not closed in order, and everything fetched."""

    VOID = {"meta"}

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.count: dict[str, int] = {}
        self.outside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list) -> None:
        self.count[tag] = self.count.get(tag, 0) + 1
        self.outside += [f"{tag} {key}={value}" for key, value in attrs
                         if key in ("src", "href", "srcset", "data", "xlink:href")]
        if tag in ("script", "link", "img", "iframe", "object"):
            self.outside.append(tag)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        expect(bool(self.open) and self.open[-1] == tag,
               f"</{tag}> closes {self.open[-1:]}")
        self.open.pop()


def make_page(folder: str, *reports: str) -> tuple[Balanced, str]:
    """Run hymc-report and take its page apart."""
    path = os.path.join(folder, "page.html")
    subprocess.run([REPORT, "-o", path, *reports], check=True, timeout=60)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    parser = Balanced()
    parser.feed(text)
    parser.close()
    expect(not parser.open, f"never closed: {parser.open}")
    expect(not parser.outside, f"not self-contained: {parser.outside}")
    expect("url(" not in text and "@import" not in text, "style fetches")
    return parser, text


def test_page(folder: str) -> None:
    """The page is well-formed, self-contained and has all pictures"""
    run = Run(folder, "--note", "point=<b>&amp", "--note", "drive=1 GB/s")
    parser, text = make_page(folder, run.report_path)
    expect(parser.count["svg"] == 1 + 3 + 3, f"pictures: {parser.count}")
    expect("&lt;b&gt;&amp;amp" in text and "<b>&amp" not in text, "not escaped")
    expect("NaN" not in text and "nan," not in text, "not a number")
    for mode in run.report["modes"].values():
        expect(f"{mode['counts']['loaded_blocks']:,}" in text, "counts")
    parser, text = make_page(folder, run.report_path, run.report_path)
    expect(parser.count["svg"] == 1 + 3 + 3 + 2, "sweep pictures")
    expect("Other operating points" in text, "sweep table")


def test_page_of_trouble(folder: str) -> None:
    """Wrong bytes stand out on the page, and one mode alone makes one"""
    run = Run(folder, "--modes", "hymc", fake="flip:7")
    parser, text = make_page(folder, run.report_path)
    expect(f'<b class="bad">{run.report["bytes_wrong"]}</b>bytes wrong' in text,
           "no tile")
    expect(parser.count["svg"] == 3, "pictures")
    # Nothing loaded at all: no distribution, but still a page.
    run = Run(folder, "--modes", "lru", "--requests", "1")
    run.expect_status(0)
    make_page(folder, run.report_path)


def test_page_of_nonsense(folder: str) -> None:
    """What is no report is refused with a sentence"""
    path = os.path.join(folder, "nonsense")
    for text, what in (("{", "not JSON"), ("{}", "not a report"),
                       ("[1]", "not a report"), ('{"format": 2}', "version")):
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        done = subprocess.run([REPORT, "-o", path + ".html", path], check=False,
                              capture_output=True, text=True, timeout=60)
        expect(done.returncode == 1 and what in done.stderr, done.stderr)
        expect(not os.path.exists(path + ".html"), "a page was written")


TESTS = [test_good, test_flip, test_swap, test_lengths, test_stray, test_lost,
         test_skipped, test_own_cache, test_link, test_counters, test_dead,
         test_broken_trace, test_usage, test_busy, test_at_end, test_interrupt, test_page,
         test_page_of_trouble, test_page_of_nonsense]


def main() -> int:
    """Run all tests."""
    bad = 0
    print(f"TAP version 13\n1..{len(TESTS)}")
    for number, test in enumerate(TESTS, 1):
        with tempfile.TemporaryDirectory(prefix="hymc-verdict-") as folder:
            write_trace(os.path.join(folder, "trace"))
            try:
                test(folder)
            except (Failed, KeyError, subprocess.SubprocessError) as error:
                bad += 1
                print(f"not ok {number} - {test.__doc__}")
                print("# " + str(error).replace("\n", "\n# "), flush=True)
                continue
        print(f"ok {number} - {test.__doc__}", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

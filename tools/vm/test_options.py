# SPDX-License-Identifier: GPL-2.0-only
"""The command line: sizes, combinations, and what becomes of them."""

import argparse
import contextlib
import io
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import vm_options
from vm_options import GIB, MIB, Ssd


def parse(*words: str) -> argparse.Namespace:
    """Parse a run command line."""
    return vm_options.parse_arguments(["run", *words, "--", "true"])


class Sizes(unittest.TestCase):
    """parse_size() and the parsers built on it."""

    def test_suffixes(self) -> None:
        for text, size in (("0", 0), ("4096", 4096), ("64k", 65536),
                           ("1M", MIB), ("2G", 2 * GIB), ("2GiB", 2 * GIB),
                           ("3g", 3 * GIB), ("1T", 1 << 40)):
            with self.subTest(text):
                self.assertEqual(vm_options.parse_size(text), size)

    def test_nonsense(self) -> None:
        for text in ("", "G", "1.5G", "-1", "1 G", "1X", "0x10", "1GG"):
            with self.subTest(text):
                with self.assertRaises(argparse.ArgumentTypeError):
                    vm_options.parse_size(text)

    def test_dram(self) -> None:
        self.assertEqual(vm_options.parse_dram("none"), 0)
        self.assertEqual(vm_options.parse_dram("256M"), 256 * MIB)
        for text in ("0", "1M", "300M", "1"):
            with self.subTest(text):
                with self.assertRaises(argparse.ArgumentTypeError):
                    vm_options.parse_dram(text)

    def test_ssd(self) -> None:
        self.assertEqual(vm_options.parse_ssd("1G"), Ssd(None, GIB))
        self.assertIsNone(vm_options.parse_ssd("none"))
        with tempfile.NamedTemporaryFile() as image:
            self.assertEqual(vm_options.parse_ssd(image.name),
                             Ssd(Path(image.name), 0))
        for text in ("1", "1000001", "/", "/nonexistent"):
            with self.subTest(text):
                with self.assertRaises(argparse.ArgumentTypeError):
                    vm_options.parse_ssd(text)

    def test_env(self) -> None:
        self.assertEqual(vm_options.parse_env("A=b=c"), "A=b=c")
        with mock.patch.dict(os.environ, {"A": "1"}):
            self.assertEqual(vm_options.parse_env("A"), "A=1")
        with self.assertRaises(argparse.ArgumentTypeError):
            vm_options.parse_env("1A=b")


class Combinations(unittest.TestCase):
    """What parse_arguments() refuses, and finish_options()'s defaults."""

    def refused(self, *words: str) -> str:
        """The message of a refused command line (status 2)."""
        stderr = io.StringIO()
        with contextlib.redirect_stderr(stderr):
            with self.assertRaises(SystemExit) as caught:
                parse(*words)
        self.assertEqual(caught.exception.code, 2)
        return stderr.getvalue()

    def test_refused(self) -> None:
        self.assertIn("total throttle", self.refused(
            "--ssd-total-bw", "1M", "--ssd-read-bw", "1M"))
        self.assertIn("--ssd none", self.refused("--ssd", "none",
                                                 "--ssd", "1G"))
        self.assertIn("--ssd none", self.refused("--ssd", "none",
                                                 "--ssd-read-bw", "1M"))
        self.assertIn("--no-module", self.refused("--no-module",
                                                  "--module", "x.ko"))
        self.assertIn("--memory", self.refused("--memory", "1M"))
        self.assertIn("--timeout", self.refused("--timeout", "-1"))
        self.assertIn("--dax-driver", self.refused(
            "--dram", "none", "--dax-driver", "kmem"))
        self.assertIn("regular expression", self.refused("--allow-dmesg", "("))
        self.assertIn("positive", self.refused("--cpus", "0"))

    def test_throttles_of_different_kinds_go_together(self) -> None:
        options = vm_options.finish_options(
            parse("--no-module", "--ssd-total-bw", "1M",
                  "--ssd-read-iops", "100"), "1.2.3")
        self.assertEqual(options.throttle,
                         {"bps-total": MIB, "iops-read": 100})

    def test_defaults(self) -> None:
        options = vm_options.finish_options(parse("--no-module"), "1.2.3")
        self.assertEqual(options.ssds, [Ssd(None, 4 * GIB)])
        self.assertEqual(options.dram, 512 * MIB)
        self.assertFalse(options.load)
        self.assertEqual(options.command, ["true"])

    def test_no_ssd(self) -> None:
        options = vm_options.finish_options(
            parse("--no-module", "--ssd", "none"), "1.2.3")
        self.assertEqual(options.ssds, [])

    def test_missing_module(self) -> None:
        with self.assertRaisesRegex(vm_options.VmError, "kmod-no-such"):
            vm_options.finish_options(parse(), "no-such")

    def test_module_is_loaded_unless_told(self) -> None:
        with tempfile.NamedTemporaryFile(suffix=".ko") as module:
            words = ["--module", module.name]
            self.assertTrue(vm_options.finish_options(
                parse(*words), "1").load)
            self.assertFalse(vm_options.finish_options(
                parse(*words, "--no-load"), "1").load)

    def test_the_command_keeps_its_options(self) -> None:
        args = vm_options.parse_arguments(
            ["run", "--no-module", "--", "ls", "--dram", "-l"])
        self.assertEqual(args.command, ["ls", "--dram", "-l"])


if __name__ == "__main__":
    unittest.main()

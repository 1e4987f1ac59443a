# SPDX-License-Identifier: GPL-2.0-only
"""The parts of the set-up that need neither root nor a network: reading apt's
sources, choosing where a suite comes from, the tables, and the refusals."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"

ONE_LINE = f"""\
# deb http://commented/debian bookworm main
deb-src http://source/debian bookworm main
deb [arch=amd64 signed-by={KEYRING}] http://mirror/debian bookworm main contrib # x
deb http://security/debian-security bookworm-security non-free main
deb http://vendor/debian bookworm stable
deb
"""

DEB822 = f"""\
Types: deb deb-src
# a comment inside a stanza
URIs: http://one/debian http://two/debian
Suites: bookworm
 bookworm-updates
Components: main
Signed-By: {KEYRING}

Types: deb
Enabled: no
URIs: http://off/debian
Suites: bookworm
Components: main

types: deb
uris: http://inline/debian
suites: bookworm
components: contrib main
signed-by:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 abc

Types: deb-src
URIs: http://source/debian
Suites: bookworm
Components: main

Types: deb
URIs: http://vendor/debian
Suites: stable
Components: edge
"""


def awk(program: str, text: str) -> list[str]:
    """The output lines of one of our awk programs."""
    result = subprocess.run(["awk", "-f", HERE / program], input=text,
                            capture_output=True, text=True, check=True)
    return result.stdout.splitlines()


def shell(script: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run a script with the functions of the set-up."""
    prefix = f". {HERE}/common.sh; . {HERE}/apt-private.sh; . {HERE}/kits.sh; "
    return subprocess.run(["bash", "-c", prefix + script], text=True,
                          env={**os.environ, **env}, capture_output=True,
                          check=False)


class Sources(unittest.TestCase):
    """Reading apt's source files."""

    def test_one_line(self) -> None:
        self.assertEqual(awk("sources-list.awk", ONE_LINE), [
            f"http://mirror/debian bookworm {KEYRING}",
            "http://security/debian-security bookworm-security -"])

    def test_deb822(self) -> None:
        self.assertEqual(awk("sources-deb822.awk", DEB822), [
            f"http://one/debian bookworm {KEYRING}",
            f"http://one/debian bookworm-updates {KEYRING}",
            f"http://two/debian bookworm {KEYRING}",
            f"http://two/debian bookworm-updates {KEYRING}",
            "http://inline/debian bookworm -"])

    def test_empty(self) -> None:
        self.assertEqual(awk("sources-list.awk", ""), [])
        self.assertEqual(awk("sources-deb822.awk", "\n\n"), [])


class SuiteSource(unittest.TestCase):
    """Deriving where a suite is fetched from."""

    def source(self, suite: str, *sources: str) -> str:
        """suite_source SUITE on a bookworm host with these sources."""
        lines = "\n".join(sources)
        script = (f"host_codename() {{ echo bookworm; }}; "
                  f"apt_sources() {{ cat <<'EOF'\n{lines}\nEOF\n}}; "
                  f"suite_source {suite}")
        return shell(script).stdout.strip()

    def test_from_the_own_release(self) -> None:
        self.assertEqual(
            self.source("trixie-backports", "http://m/debian bookworm -"),
            f"deb [signed-by={KEYRING}] http://m/debian trixie-backports main")

    def test_the_suite_itself_goes_first(self) -> None:
        self.assertIn("http://b/debian", self.source(
            "bookworm-backports", "http://a/debian bookworm -",
            "http://b/debian bookworm-backports -"))

    def test_security_is_another_archive(self) -> None:
        sources = ("http://m/debian bookworm -",
                   "http://s/debian-security bookworm-security -")
        self.assertIn("http://s/", self.source("bookworm-security", *sources))
        self.assertIn("http://m/", self.source("bookworm", *sources))

    def test_other_vendors_do_not_win(self) -> None:
        self.assertIn("http://m/debian", self.source(
            "trixie", "https://vendor/prod bookworm /etc/vendor.gpg",
            "http://m/debian bookworm -"))

    def test_keyring_of_one_release_is_widened(self) -> None:
        narrow = "/usr/share/keyrings/debian-archive-bookworm-stable.gpg"
        self.assertIn(f"signed-by={KEYRING}", self.source(
            "trixie", f"http://m/debian bookworm {narrow}"))

    def test_keyring_of_a_mirror_is_kept(self) -> None:
        self.assertIn("signed-by=/etc/mirror.gpg", self.source(
            "trixie", "http://m/debian bookworm /etc/mirror.gpg"))

    def test_none(self) -> None:
        self.assertEqual(self.source("trixie", "http://m/debian sid -"), "")
        self.assertEqual(self.source("bookworm-security",
                                     "http://m/debian bookworm -"), "")


class Tables(unittest.TestCase):
    """The tables of packages and kernels."""

    def test_every_kernel_line_has_four_fields(self) -> None:
        rows = shell(f"table_rows {HERE}/kernels").stdout.splitlines()
        self.assertTrue(rows)
        for row in rows:
            with self.subTest(row):
                self.assertEqual(len(row.split()), 4)

    def test_every_package_line_has_a_target(self) -> None:
        rows = shell(f"table_rows {HERE}/packages").stdout.splitlines()
        self.assertTrue(rows)
        for row in rows:
            with self.subTest(row):
                self.assertIn(row.split()[0], ("build", "vm", "check"))
                self.assertEqual(len(row.split()), 2)

    def test_image_patterns(self) -> None:
        names = ["linux-image-6.12.9+deb12-amd64",
                 "linux-image-6.12.95+deb12-amd64",
                 "linux-image-6.12.95+deb12.1-amd64",
                 "linux-image-6.12.99+deb12-amd64-unsigned",
                 "linux-image-6.12.99+deb12-rt-amd64",
                 "linux-image-6.12.99+deb12-cloud-amd64",
                 "linux-image-6.12.99+deb12-amd64-dbg",
                 "linux-image-6.12.99+deb13-amd64"]
        script = (f"host_codename() {{ echo bookworm; }}; "
                  f"apt_private() {{ printf '%s\\n' {' '.join(names)}; }}; "
                  "read -r _ _ _ pattern <<<\"$(kernel_row 6.12)\"; "
                  "newest_package linux-image- \"$pattern\"")
        self.assertEqual(shell(script).stdout.strip(), names[2])

    def test_unknown_kernel(self) -> None:
        result = shell("kernel_row 5.4")
        self.assertEqual(result.returncode, 1)
        self.assertIn("no kernel called '5.4'", result.stderr)


class Refusals(unittest.TestCase):
    """What cannot work is said at once."""

    def run_program(self, name: str, *words: str,
                    cache: str) -> subprocess.CompletedProcess[str]:
        """Run setup.sh or kit.sh with this HYMC_CACHE."""
        return subprocess.run([HERE / name, *words], text=True, check=False,
                              env={**os.environ, "HYMC_CACHE": cache},
                              capture_output=True)

    def test_cache_with_a_blank(self) -> None:
        result = self.run_program("kit.sh", "kdir", cache="/tmp/a b")
        self.assertEqual(result.returncode, 1)
        self.assertIn("blank", result.stderr)

    def test_relative_cache(self) -> None:
        result = self.run_program("setup.sh", "build", cache="cache")
        self.assertEqual(result.returncode, 1)
        self.assertIn("absolute", result.stderr)

    def test_usage(self) -> None:
        for words in ((), ("everything",), ("build", "vm"), ("kernel",)):
            with self.subTest(words):
                result = self.run_program("setup.sh", *words, cache="/x")
                self.assertEqual(result.returncode, 2)
        self.assertEqual(
            self.run_program("kit.sh", "what", cache="/x").returncode, 2)

    def test_kit_that_is_not_there(self) -> None:
        directory = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, directory)
        for words, advice in ((("kdir",), "setup.sh vm"),
                              (("kdir", "6.1"), "setup.sh kernel 6.1"),
                              (("source",), "setup.sh check")):
            with self.subTest(words):
                result = self.run_program("kit.sh", *words, cache=directory)
                self.assertEqual(result.returncode, 1)
                self.assertIn(advice, result.stderr)
        self.assertEqual(os.listdir(directory), [])

    def test_half_made_kit_does_not_count(self) -> None:
        directory = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, directory)
        kit = Path(directory) / "kernel-6.12"
        kit.mkdir()
        (kit / "release").write_text("6.12\n")
        result = self.run_program("kit.sh", "release", cache=directory)
        self.assertEqual(result.returncode, 1)
        (kit / "stamp").write_text("format 0: something else\n")
        result = self.run_program("kit.sh", "release", cache=directory)
        self.assertEqual(result.returncode, 1)


if __name__ == "__main__":
    unittest.main()

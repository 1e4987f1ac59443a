# SPDX-License-Identifier: GPL-2.0-only
"""What is put together for a boot: initramfs, module list, QEMU's command
line, the files the guest reads, and the judgement of a finished run."""

import contextlib
import io
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import vm_initramfs
import vm_kit
import vm_options
import vm_qemu
import vm_result
import vm_run
from vm_options import GIB, MIB


def make_options(*words: str) -> vm_options.Options:
    """Options of a run without the module."""
    args = vm_options.parse_arguments(
        ["run", "--no-module", *words, "--", "echo", "a b", "it's"])
    return vm_options.finish_options(args, "1.2.3")


def make_kit(directory: Path, *, regions: bool = True) -> vm_kit.Kit:
    """A kit with a few module index lines."""
    (directory / "modules.builtin").write_text(
        "kernel/drivers/virtio/virtio_pci.ko\n")
    (directory / "modules.dep").write_text(
        "kernel/fs/9p/9p.ko: kernel/net/9p/9pnet.ko kernel/fs/netfs.ko\n"
        "kernel/net/9p/9pnet.ko: kernel/fs/netfs.ko\n"
        "kernel/fs/netfs.ko:\n"
        "kernel/net/9p/9pnet-virtio.ko.xz: kernel/net/9p/9pnet.ko\n"
        + ("kernel/drivers/dax/dax_cxl.ko:\n" if regions else ""))
    return vm_kit.Kit("1.2.3", directory / "vmlinuz", directory,
                      Path("/usr/bin/qemu"))


class WithDirectory(unittest.TestCase):
    """A test with a directory of its own."""

    def setUp(self) -> None:
        self.directory = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.directory)


class Kit(WithDirectory):
    """Reading the kit's module index."""

    def test_load_order_puts_needs_first(self) -> None:
        kit = make_kit(self.directory)
        order = kit.load_order(["virtio_pci", "9p", "9pnet_virtio"])
        self.assertEqual([path.name for path in order],
                         ["netfs.ko", "9pnet.ko", "9p.ko",
                          "9pnet-virtio.ko.xz"])

    def test_unknown_module(self) -> None:
        with self.assertRaisesRegex(vm_options.VmError, "no module nvme"):
            make_kit(self.directory).load_order(["nvme"])

    def test_cxl_regions(self) -> None:
        self.assertTrue(make_kit(self.directory).cxl_regions)
        self.assertFalse(make_kit(self.directory, regions=False).cxl_regions)


class Initramfs(WithDirectory):
    """The cpio writer, against cpio's own reader when there is one."""

    MEMBERS = [("bin", 0o40755, b""), ("bin/a", 0o100755, b"x"),
               ("b", 0o100644, b"12345678" * 1000)]

    def test_layout(self) -> None:
        archive = vm_initramfs.cpio_archive(self.MEMBERS)
        self.assertEqual(len(archive) % 4, 0)
        self.assertEqual(archive.count(b"070701"), len(self.MEMBERS) + 1)
        self.assertIn(b"TRAILER!!!", archive)
        self.assertEqual(archive, vm_initramfs.cpio_archive(self.MEMBERS))

    @unittest.skipUnless(shutil.which("busybox"), "busybox is not installed")
    def test_another_program_reads_it(self) -> None:
        subprocess.run(["busybox", "cpio", "-id"], cwd=self.directory,
                       input=vm_initramfs.cpio_archive(self.MEMBERS),
                       capture_output=True, check=True)
        self.assertEqual((self.directory / "b").read_bytes(),
                         self.MEMBERS[2][2])
        self.assertEqual((self.directory / "bin/a").stat().st_mode, 0o100755)


class QemuCommand(WithDirectory):
    """The QEMU command line."""

    def command(self, *words: str, regions: bool = True) -> str:
        """The whole command line as one string."""
        image = self.directory / "image,1"
        image.touch()
        return " ".join(vm_qemu.qemu_command(
            make_options(*words), make_kit(self.directory, regions=regions),
            Path("/image"), control=Path("/control"), out=Path("/out,x"),
            console=Path("/out,x/console"), drives=[image],
            stream_fds=(7, 8)))

    def test_commas_in_paths(self) -> None:
        self.assertIn("path=/out,,x,security_model", self.command())
        self.assertIn("image,,1,if=none", self.command())

    def test_window_holds_the_device(self) -> None:
        self.assertIn("cxl-fmw.0.size=4096M", self.command())
        self.assertIn("cxl-fmw.0.size=8192M", self.command("--dram", "8G"))

    def test_throttle(self) -> None:
        self.assertIn("throttling.bps-read=104857600",
                      self.command("--ssd-read-bw", "100M"))

    def test_no_device(self) -> None:
        self.assertNotIn("cxl", self.command("--dram", "none"))

    def test_stand_in_without_cxl_regions(self) -> None:
        command = self.command("--dram", "1G", regions=False)
        self.assertNotIn("cxl", command)
        self.assertIn("-m 3072M", command)
        self.assertIn("memmap=1024M%0x100000000-1+0xefffffff", command)

    def test_stand_in_lies_above_more_memory(self) -> None:
        options = make_options("--memory", "3G")
        self.assertEqual(vm_qemu.low_memory(options), 2 * GIB)
        self.assertIn(f"%{5 * GIB:#x}-1", vm_qemu.soft_reserved(options))
        options = make_options("--memory", "512M")
        self.assertEqual(vm_qemu.low_memory(options), 512 * MIB)

    def test_a_bug_ends_a_run_but_not_a_shell(self) -> None:
        self.assertIn("oops=panic", self.command())
        options = make_options()
        options.mode = "shell"
        command = vm_qemu.qemu_command(
            options, make_kit(self.directory), Path("/i"), control=Path("/c"),
            out=Path("/o"), console=Path("/o/c"), drives=[], stream_fds=None)
        self.assertNotIn("oops=panic", " ".join(command))
        self.assertIn("mon:stdio", command)


class GuestFiles(WithDirectory):
    """The shell text that the guest reads."""

    def test_the_command_arrives_unchanged(self) -> None:
        script = vm_run.command_script(make_options("--env", "X=a 'b' $c"))
        result = subprocess.run(["sh", "-c", script], capture_output=True,
                                text=True, check=True)
        self.assertEqual(result.stdout, "a b it's\n")
        self.assertIn("HYMC_SSD=/dev/nvme0n1", script)

    def test_variables(self) -> None:
        script = vm_run.command_script(make_options("--env", "X=a 'b' $c"))
        setup = script.rsplit("exec", 1)[0]
        result = subprocess.run(
            ["sh", "-c", setup + 'printf "%s|" "$X" "$HYMC_VM" "$HYMC_DAX"'],
            capture_output=True, text=True, check=True)
        self.assertEqual(result.stdout, "a 'b' $c|1|dax0.0|")

    def test_no_devices_no_variables(self) -> None:
        script = vm_run.command_script(
            make_options("--dram", "none", "--ssd", "none"))
        self.assertNotIn("HYMC_DAX", script)
        self.assertNotIn("HYMC_SSD", script)

    def test_job_is_shell(self) -> None:
        job = vm_run.job_file(make_options("--ssd", "1G", "--ssd", "2G"),
                              make_kit(self.directory), 12.7)
        result = subprocess.run(
            ["sh", "-c", job + 'echo "$MODE $SSDS $DEADLINE $DRAM_KIND"'],
            capture_output=True, text=True, check=True)
        self.assertEqual(result.stdout,
                         "run /dev/nvme0n1 /dev/nvme1n1 12 cxl\n")


class Judgement(WithDirectory):
    """The exit status for what the guest left behind."""

    def judge(self, *, rc: str | None, dmesg: str = "", console: str = "",
              in_time: bool = True, words: tuple[str, ...] = ()) -> int:
        """Judge a made-up run."""
        run = vm_result.Finished(
            control=self.directory / "control", out=self.directory / "out",
            qemu_log=self.directory / "qemu.log", qemu_status=0,
            in_time=in_time)
        run.out.mkdir()
        run.control.mkdir()
        if rc is not None:
            (run.control / "rc").write_text(rc)
        (run.control / "dmesg").write_text(dmesg)
        (run.out / "console").write_text(console)
        with contextlib.redirect_stderr(io.StringIO()):
            return vm_result.judge(make_options(*words), run)

    def test_own_status(self) -> None:
        self.assertEqual(self.judge(rc="7\n"), 7)

    def test_no_result(self) -> None:
        self.assertEqual(self.judge(rc=None), 125)

    def test_half_written_result(self) -> None:
        self.assertEqual(self.judge(rc=""), 125)

    def test_time_is_up(self) -> None:
        self.assertEqual(self.judge(rc=None, in_time=False), 124)

    def test_dirty_log_beats_success(self) -> None:
        self.assertEqual(self.judge(rc="0", dmesg="[ 1.0] WARNING: x"), 126)

    def test_dirty_console_counts(self) -> None:
        self.assertEqual(self.judge(rc="0", console="BUG: x\r\n"), 126)

    def test_dirty_log_beats_timeout_and_death(self) -> None:
        self.assertEqual(self.judge(rc=None, dmesg="BUG: x", in_time=False),
                         126)

    def test_panic_without_result(self) -> None:
        self.assertEqual(
            self.judge(rc=None, console="Kernel panic - not syncing: x"), 126)

    def test_expected_warning(self) -> None:
        self.assertEqual(self.judge(rc="3", dmesg="WARNING: expected",
                                    words=("--allow-dmesg", "expected$")), 3)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: GPL-2.0-only
"""One boot of the virtual machine: prepares its files, starts QEMU, passes
the command's output on while it runs, ends it in time, judges the result."""

import contextlib
import ctypes
import fcntl
import os
import selectors
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import vm_initramfs
import vm_kit
import vm_qemu
import vm_result
from vm_options import Options
from vm_result import say

HERE = Path(__file__).resolve().parent

GUEST_OUT = "/run/hymc-vm/out"
GUEST_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# How long QEMU may take to end after SIGTERM before it is killed.
GRACE_S = 5
PR_SET_PDEATHSIG = 1
SCRATCH_PREFIX = "hymc-vm-"


class TimeUp(Exception):
    """The run has taken as long as it may (--timeout)."""


class Interrupted(Exception):
    """A signal asked the runner to stop."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def _remove_abandoned(parent: Path) -> None:
    """Delete what runs that were killed have left (they no longer hold their
    lock)."""
    for path in parent.glob(f"{SCRATCH_PREFIX}*"):
        try:
            with (path / "lock").open("rb") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path, ignore_errors=True)
        except OSError:
            continue


class Scratch:
    """The directory of one run: control share, scratch drives, log files."""

    def __init__(self, options: Options) -> None:
        if options.out:
            options.out.mkdir(parents=True, exist_ok=True)
        parent = Path(os.environ.get("TMPDIR") or "/var/tmp")
        _remove_abandoned(parent)
        self.path = Path(tempfile.mkdtemp(prefix=SCRATCH_PREFIX, dir=parent))
        self.lock = (self.path / "lock").open("wb")
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        self.control = self.path / "control"
        self.control.mkdir()
        self.out = options.out or self.path / "out"
        self.out.mkdir(exist_ok=True)
        self.images: list[Path] = []

    def drives(self, options: Options) -> list[Path]:
        """Image paths of all drives; scratch ones are made, sparse."""
        paths = []
        for number, ssd in enumerate(options.ssds):
            path = ssd.path
            if path is None:
                path = self.out / f"ssd{number}.img"
                with path.open("wb") as file:
                    file.truncate(ssd.size)
                self.images.append(path)
            paths.append(path)
        return paths

    def remove(self, keep_images: bool) -> None:
        """Delete what the run does not leave behind."""
        self.lock.close()
        if keep_images and self.out.parent == self.path and self.images:
            say(f"the scratch drives are in {self.out}")
            (self.path / "lock").unlink()
            shutil.rmtree(self.control, ignore_errors=True)
            return
        if not keep_images:
            for image in self.images:
                image.unlink(missing_ok=True)
        shutil.rmtree(self.path, ignore_errors=True)


def _guest_environment(options: Options) -> dict[str, str]:
    drives = [f"/dev/nvme{n}n1" for n in range(len(options.ssds))]
    env = {"PATH": GUEST_PATH, "HOME": os.environ.get("HOME") or "/root",
           "USER": "root", "LOGNAME": "root", "LANG": "C.UTF-8",
           "TERM": os.environ.get("TERM") or "dumb", "HYMC_VM": "1",
           "HYMC_VM_OUT": GUEST_OUT}
    if options.dram:
        env["HYMC_DAX"] = "dax0.0"
    if drives:
        env["HYMC_SSD"] = drives[0]
        env["HYMC_SSDS"] = " ".join(drives)
    return env | dict(item.split("=", 1) for item in options.env)


def command_script(options: Options) -> str:
    """The shell script that the guest runs: environment, then the command."""
    lines = [f"export {name}={shlex.quote(value)}"
             for name, value in _guest_environment(options).items()]
    if options.mode == "shell":
        size = shutil.get_terminal_size()
        lines.append(f"stty rows {size.lines} cols {size.columns}")
        lines.append("exec bash -i")
    else:
        lines.append(f"exec {shlex.join(options.command)}")
    return "\n".join(lines) + "\n"


def dram_kind(options: Options, kit: vm_kit.Kit) -> str:
    """How the guest gets at the device memory: none, cxl or hmem."""
    if not options.dram:
        return "none"
    return "cxl" if kit.cxl_regions else "hmem"


def job_file(options: Options, kit: vm_kit.Kit, deadline: float) -> str:
    """What init-guest has to do, as shell assignments."""
    job = {"MODE": options.mode, "RELEASE": kit.release,
           "MODULES": str(kit.modules.resolve()), "CWD": os.getcwd(),
           "DRAM_BYTES": str(options.dram),
           "DRAM_KIND": dram_kind(options, kit),
           "DAX_DRIVER": options.dax_driver,
           "SSDS": " ".join(f"/dev/nvme{n}n1"
                            for n in range(len(options.ssds))),
           "LOAD": str(int(options.load)), "DEADLINE": str(int(deadline))}
    return "".join(f"{key}={shlex.quote(value)}\n"
                   for key, value in job.items())


def _die_with_parent() -> None:
    """Runs in the child: QEMU must not outlive a killed runner."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Machine:
    """A running QEMU and the two sockets that carry the command's output."""

    def __init__(self, options: Options, kit: vm_kit.Kit,
                 scratch: Scratch) -> None:
        self.console = scratch.out / "console"
        self.qemu_log = scratch.path / "qemu.log"
        self.sockets: dict[str, socket.socket] = {}
        guest_ends = []
        if options.mode == "run":
            for name in ("stdout", "stderr"):
                ours, theirs = socket.socketpair()
                self.sockets[name] = ours
                guest_ends.append(theirs)
        fds = [end.fileno() for end in guest_ends]
        command = vm_qemu.qemu_command(
            options, kit, vm_initramfs.initramfs(kit),
            control=scratch.control, out=scratch.out, console=self.console,
            drives=scratch.drives(options),
            stream_fds=(fds[0], fds[1]) if fds else None)
        self.process = self._start(command, fds)
        for end in guest_ends:
            end.close()

    def _start(self, command: list[str],
               fds: list[int]) -> subprocess.Popen[bytes]:
        if not fds:
            return subprocess.Popen(command, preexec_fn=_die_with_parent)
        with self.qemu_log.open("wb") as log:
            return subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                pass_fds=fds, start_new_session=True,
                preexec_fn=_die_with_parent)

    def stop(self) -> None:
        """End QEMU, by force if need be."""
        if self.process.poll() is not None:
            return
        self.process.terminate()
        try:
            self.process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Tee:
    """Passes a stream on to the caller and to a file, nothing held back."""

    def __init__(self, path: Path, live_fd: int) -> None:
        self.file = path.open("wb", buffering=0)
        self.live_fd: int | None = live_fd

    def write(self, data: bytes) -> None:
        """Write to both; a caller that no longer reads is forgotten."""
        self.file.write(data)
        try:
            while data and self.live_fd is not None:
                data = data[os.write(self.live_fd, data):]
        except OSError:
            self.live_fd = None

    def close(self) -> None:
        """Close the file; the caller's stream stays open."""
        self.file.close()


def pass_output_on(machine: Machine, out: Path) -> None:
    """Copy the command's output until QEMU ends."""
    live_fds = {"stdout": sys.stdout.fileno(), "stderr": sys.stderr.fileno()}
    with contextlib.ExitStack() as stack:
        poll = stack.enter_context(selectors.DefaultSelector())
        for name, end in machine.sockets.items():
            tee = Tee(out / name, live_fds[name])
            stack.callback(tee.close)
            stack.callback(end.close)
            poll.register(end, selectors.EVENT_READ, (end, tee))
        while poll.get_map():
            for key, _ in poll.select():
                end, tee = key.data
                data = end.recv(65536)
                if data:
                    tee.write(data)
                else:
                    poll.unregister(end)


def _on_signal(number: int, _frame: object) -> None:
    if number == signal.SIGALRM:
        raise TimeUp
    raise Interrupted(number)


@contextlib.contextmanager
def _alarms(timeout: float) -> Iterator[None]:
    """Turn signals and the end of the time into exceptions."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP,
                   signal.SIGALRM):
        signal.signal(number, _on_signal)
    signal.setitimer(signal.ITIMER_REAL, timeout)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


@contextlib.contextmanager
def _machine(options: Options, kit: vm_kit.Kit,
             scratch: Scratch) -> Iterator[Machine]:
    machine = Machine(options, kit, scratch)
    try:
        yield machine
    finally:
        machine.stop()


def _prepare(options: Options, kit: vm_kit.Kit, scratch: Scratch,
             deadline: float) -> None:
    vm_result.forget_results(scratch.out)
    control = scratch.control
    shutil.copyfile(HERE / "init-guest", control / "init-guest")
    (control / "job").write_text(job_file(options, kit, deadline))
    (control / "command").write_text(command_script(options))
    vm_kit.make_module_overlay(kit, options.module, control / "modules")


def _boot(options: Options, kit: vm_kit.Kit, scratch: Scratch,
          deadline: float) -> vm_result.Finished:
    """Prepare, boot, and wait for the end of QEMU."""
    in_time, status = True, None
    try:
        with _alarms(options.timeout):
            _prepare(options, kit, scratch, deadline)
            with _machine(options, kit, scratch) as machine:
                if options.mode == "run":
                    pass_output_on(machine, scratch.out)
                status = machine.process.wait()
    except TimeUp:
        in_time = False
    return vm_result.Finished(scratch.control, scratch.out,
                              scratch.path / "qemu.log", status, in_time)


def run(options: Options, kit: vm_kit.Kit) -> int:
    """Boot once and return the exit status."""
    deadline = time.time() + options.timeout if options.timeout else 0
    scratch = Scratch(options)
    try:
        finished = _boot(options, kit, scratch, deadline)
        if options.mode == "shell":
            return vm_result.judge_shell(finished)
        return vm_result.judge(options, finished)
    except Interrupted as interrupt:
        say("interrupted; the machine was ended")
        return 128 + interrupt.number
    finally:
        scratch.remove(options.keep_scratch)

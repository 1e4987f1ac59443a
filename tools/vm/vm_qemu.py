# SPDX-License-Identifier: GPL-2.0-only
"""The QEMU command line for a machine with a CXL device and NVMe drives."""

import os
from pathlib import Path

from vm_kit import Kit
from vm_options import GIB, MIB, Options

# hypervisor=off: the kernel refuses to commit a CXL region when it sees that
# it runs under a hypervisor.  erms, fsrm: without them the kernel copies with
# plain loads and stores, which the emulator runs ten times faster than the
# string instructions.  la57: four-level page tables are enough and faster.
CPU = "max,la57=off,hypervisor=off,erms=off,fsrm=off"

# Emulated processors on a busy host are slow, which is no lockup: one minute
# without progress is.
COMMAND_LINE = ("console=ttyS0 no5lvl nokaslr log_buf_len=4M panic=-1 "
                "watchdog_thresh=30 rcupdate.rcu_cpu_stall_timeout=60")
# A bug in a test run ends the machine at once; in a shell it does not.
RUN_COMMAND_LINE = "loglevel=5 oops=panic"
SHELL_COMMAND_LINE = "loglevel=4"


def escape(path: Path | str) -> str:
    """A path as a value inside a QEMU option, where commas separate."""
    return str(path).replace(",", ",,")


def low_memory(options: Options) -> int:
    """Ordinary memory below 4 GiB when soft-reserved memory lies above it."""
    return min(options.memory, 2 * GIB)


def soft_reserved(options: Options) -> str:
    """Kernel parameter that turns the memory behind the ordinary one into
    "soft reserved" memory (E820 type 0xefffffff), which dax_hmem claims."""
    start = 4 * GIB + options.memory - low_memory(options)
    return f"memmap={options.dram // MIB}M%{start:#x}-1+0xefffffff"


def _machine(options: Options, kit: Kit) -> list[str]:
    machine, memory = "q35", options.memory
    if options.dram and not kit.cxl_regions:
        machine += f",max-ram-below-4g={low_memory(options)}"
        memory += options.dram
    elif options.dram:
        window = -(-max(options.dram, 4 * GIB) // (256 * MIB)) * 256
        machine += (",cxl=on,cxl-fmw.0.targets.0=cxl.1,"
                    f"cxl-fmw.0.size={window}M")
    return ["-accel", "tcg,thread=multi", "-M", machine, "-cpu", CPU,
            "-smp", str(options.cpus), "-m", f"{memory // MIB}M",
            "-nodefaults", "-display", "none", "-no-reboot"]


def _boot(options: Options, kit: Kit, image: Path) -> list[str]:
    mode = SHELL_COMMAND_LINE if options.mode == "shell" else RUN_COMMAND_LINE
    words = f"{COMMAND_LINE} {mode} {options.append}".strip()
    if options.dram and not kit.cxl_regions:
        words += " " + soft_reserved(options)
    return ["-kernel", str(kit.vmlinuz), "-initrd", str(image),
            "-append", words]


def _share(tag: str, path: Path, readonly: bool) -> list[str]:
    fsdev = (f"local,id={tag},path={escape(path)},security_model=none,"
             f"multidevs=remap,readonly={'on' if readonly else 'off'}")
    return ["-fsdev", fsdev, "-device",
            f"virtio-9p-pci,bus=pcie.0,fsdev={tag},mount_tag={tag}"]


def _cxl(options: Options, kit: Kit) -> list[str]:
    if not options.dram or not kit.cxl_regions:
        return []
    return ["-object", "memory-backend-ram,id=cxl-dram0,share=on,"
                       f"size={options.dram // MIB}M",
            "-device", "pxb-cxl,bus_nr=12,bus=pcie.0,id=cxl.1",
            "-device", "cxl-rp,port=0,bus=cxl.1,id=cxl-rp0,chassis=0,slot=2",
            "-device", "cxl-type3,bus=cxl-rp0,volatile-memdev=cxl-dram0,"
                       "id=cxl-mem0,sn=1"]


def supports_direct_io(path: Path) -> bool:
    """Whether the file can be opened past the host's page cache."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_DIRECT))
    except OSError:
        return False
    return True


def _drive(number: int, path: Path, throttle: dict[str, int]) -> list[str]:
    """A drive behind its own root port, so that it can be unplugged."""
    how = ("cache=none,aio=native" if supports_direct_io(path)
           else "cache=writeback,aio=threads")
    drive = (f"file={escape(path)},if=none,id=ssd{number}-image,format=raw,"
             f"discard=unmap,{how}")
    for name, value in throttle.items():
        drive += f",throttling.{name}={value}"
    return ["-drive", drive,
            "-device", f"pcie-root-port,id=ssd{number}-port,bus=pcie.0,"
                       f"chassis={16 + number},slot={16 + number}",
            "-device", f"nvme,id=ssd{number},bus=ssd{number}-port,"
                       f"serial=hymc{number:04},drive=ssd{number}-image"]


def _streams(stdout_fd: int, stderr_fd: int) -> list[str]:
    """The command's stdout and stderr as virtio-serial ports."""
    result = ["-device", "virtio-serial-pci,bus=pcie.0"]
    for name, fd in (("stdout", stdout_fd), ("stderr", stderr_fd)):
        result += ["-chardev", f"socket,id={name},fd={fd}", "-device",
                   f"virtserialport,chardev={name},name=hymc.{name}"]
    return result


def _console(options: Options, path: Path) -> list[str]:
    if options.mode == "shell":
        return ["-serial", "mon:stdio"]
    return ["-chardev", f"file,id=console,path={escape(path)}",
            "-serial", "chardev:console"]


def qemu_command(options: Options, kit: Kit, image: Path, *, control: Path,
                 out: Path, console: Path, drives: list[Path],
                 stream_fds: tuple[int, int] | None) -> list[str]:
    """The whole command.  CONTROL and OUT are shared directories, DRIVES the
    images, STREAM_FDS connected sockets for stdout and stderr (run only)."""
    command = [str(kit.qemu), *_machine(options, kit), *_boot(options, kit, image),
               *_console(options, console),
               *_share("hymcroot", Path("/"), True),
               *_share("hymcctl", control, False),
               *_share("hymcout", out, False), *_cxl(options, kit)]
    for number, path in enumerate(drives):
        command += _drive(number, path, options.throttle)
    if stream_fds:
        command += _streams(*stream_fds)
    if options.qmp:
        command += ["-qmp", f"unix:{escape(options.qmp)},server=on,wait=off"]
    return command

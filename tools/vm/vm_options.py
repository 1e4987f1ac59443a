# SPDX-License-Identifier: GPL-2.0-only
"""The command line of hymc-vm: what a user can choose, checked early."""

import argparse
import dataclasses
import os
import re
from pathlib import Path

MIB = 1 << 20
GIB = 1 << 30

# CXL address decoders work in steps of 256 MiB.
DRAM_STEP = 256 * MIB
DEFAULT_KERNEL = "6.12"
DEFAULT_TIMEOUT_S = 600
DAX_DRIVERS = ("none", "device_dax", "kmem")

REPOSITORY = Path(__file__).resolve().parents[2]

EXIT_STATUS_HELP = """\
exit status of run:
  the command's own, or
  124  time was up; the virtual machine was ended
  125  the machine did not boot or the runner could not do its work
  126  the kernel log has a line that must not be there (oops, WARNING, BUG,
       lockdep, stall...); it counts more than any of the others
  130  interrupted with ctrl-c (143: with SIGTERM)
The file DIR/rc of --out has the command's own status whenever it finished.
"""


class VmError(Exception):
    """The runner cannot go on; the text is a sentence for the user."""


@dataclasses.dataclass(frozen=True)
class Ssd:
    """A drive: an image or device that exists, or a size to make one."""

    path: Path | None
    size: int


@dataclasses.dataclass
class Options:
    """Everything chosen on the command line; sizes in bytes, times in s."""

    mode: str
    kernel: str
    memory: int
    cpus: int
    dram: int
    ssds: list[Ssd]
    throttle: dict[str, int]
    dax_driver: str
    module: Path | None
    load: bool
    timeout: float
    out: Path | None
    keep_scratch: bool
    append: str
    allow_dmesg: list[str]
    qmp: Path | None
    env: list[str]
    command: list[str]


def parse_size(text: str) -> int:
    """A size with an optional binary suffix: 4096, 64K, 512M, 2G, 1T."""
    match = re.fullmatch(r"(\d+)([KMGT]?)(i?B?)", text.strip(), re.IGNORECASE)
    if not match:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not a size; write for example 512M or 2G")
    shift = " KMGT".index(match[2].upper() or " ") * 10
    return int(match[1]) << shift


def parse_dram(text: str) -> int:
    """The size of the CXL device's memory; 0 for "none"."""
    if text == "none":
        return 0
    size = parse_size(text)
    if size == 0 or size % DRAM_STEP:
        raise argparse.ArgumentTypeError(
            f"'{text}': CXL memory comes in multiples of 256M (or 'none')")
    return size


def parse_ssd(text: str) -> Ssd | None:
    """A size makes a scratch drive, "none" no drive; anything else is an image
    or a device."""
    if text == "none":
        return None
    if re.fullmatch(r"\d+[KMGT]?(i?B)?", text, re.IGNORECASE):
        size = parse_size(text)
        if size < MIB or size % 4096:
            raise argparse.ArgumentTypeError(
                f"'{text}': a drive has at least 1M, in steps of 4096 bytes")
        return Ssd(None, size)
    path = Path(text).absolute()
    if not (path.is_file() or path.is_block_device()):
        raise argparse.ArgumentTypeError(
            f"'{text}' is neither a size nor an image file nor a block device")
    if not os.access(path, os.R_OK | os.W_OK):
        raise argparse.ArgumentTypeError(f"'{text}' cannot be written to")
    return Ssd(path, 0)


def parse_positive(text: str) -> int:
    """A whole number above 0."""
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a positive number")
    return int(text)


def parse_regex(text: str) -> str:
    """A regular expression, compiled once to report mistakes early."""
    try:
        re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not a regular expression: {error}") from None
    return text


def parse_env(text: str) -> str:
    """NAME=VALUE, or NAME to pass the caller's value on."""
    name, separator, _ = text.partition("=")
    if not re.fullmatch(r"[A-Za-z_]\w*", name):
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=VALUE or NAME")
    return text if separator else f"{name}={os.environ.get(name, '')}"


def _add_machine_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("the machine")
    group.add_argument("--kernel", default=DEFAULT_KERNEL, metavar="NAME",
                       help="a kernel of tools/setup/kernels (default 6.12)")
    group.add_argument("--memory", type=parse_size, default=2 * GIB,
                       metavar="SIZE", help="ordinary memory (default 2G)")
    group.add_argument("--cpus", type=parse_positive, default=2, metavar="N",
                       help="processors (default 2)")
    group.add_argument("--append", default="", metavar="CMDLINE",
                       help="more words for the kernel's command line")
    group.add_argument("--qmp", type=Path, metavar="PATH",
                       help="make QEMU's control socket at PATH")


def _add_device_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("the CXL device and the drives")
    group.add_argument("--dram", type=parse_dram, default=512 * MIB,
                       metavar="SIZE|none",
                       help="memory of the CXL device (default 512M)")
    group.add_argument("--dax-driver", choices=DAX_DRIVERS, default="none",
                       help="driver to bind to dax0.0 (default none)")
    group.add_argument("--ssd", type=parse_ssd, action="append", default=[],
                       metavar="SIZE|FILE|none", dest="ssds",
                       help="an NVMe drive: a size for an empty scratch drive, "
                            "or an image that is kept; may be repeated "
                            "(default 4G)")
    for name, unit in (("read-bw", "bytes/s"), ("write-bw", "bytes/s"),
                       ("total-bw", "bytes/s"), ("read-iops", "1/s"),
                       ("write-iops", "1/s"), ("total-iops", "1/s")):
        group.add_argument(f"--ssd-{name}", type=parse_size, metavar="N",
                           help=f"throttle of each drive, in {unit}")


def _add_module_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("the module")
    group.add_argument("--module", type=Path, metavar="FILE",
                       help="hymc.ko (default build/kmod-RELEASE/hymc.ko)")
    group.add_argument("--no-module", action="store_true",
                       help="boot without hymc.ko")
    group.add_argument("--no-load", action="store_true",
                       help="do not load it; modprobe finds it")


def _add_run_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("the run")
    group.add_argument("--timeout", type=float, default=DEFAULT_TIMEOUT_S,
                       metavar="S", help="end the machine after S seconds "
                       f"(default {DEFAULT_TIMEOUT_S}, 0: never)")
    group.add_argument("--out", type=Path, metavar="DIR",
                       help="keep stdout, stderr, console, dmesg and rc in DIR; "
                            "the guest can write there too ($HYMC_VM_OUT)")
    group.add_argument("--keep-scratch", action="store_true",
                       help="do not delete the scratch drives")
    group.add_argument("--env", type=parse_env, action="append", default=[],
                       metavar="NAME[=VALUE]",
                       help="a variable for the command; may be repeated")
    group.add_argument("--allow-dmesg", type=parse_regex, action="append",
                       default=[], metavar="REGEX",
                       help="kernel log lines that are expected; may be "
                            "repeated")


def make_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="hymc-vm", epilog=EXIT_STATUS_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Boot a virtual machine with a CXL memory device and an "
                    "NVMe drive, and run a command in it.")
    commands = parser.add_subparsers(dest="mode", required=True)
    run = commands.add_parser(
        "run", help="run a command and report", epilog=EXIT_STATUS_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    shell = commands.add_parser(
        "shell", help="a root shell on the serial console",
        epilog="ctrl-a x kills the machine, ctrl-a h lists other keys.")
    for sub in (run, shell):
        _add_machine_options(sub)
        _add_device_options(sub)
        _add_module_options(sub)
        _add_run_options(sub)
    run.add_argument("command", nargs="+", metavar="COMMAND",
                     help="the command and its arguments, after '--'")
    return parser


def _throttle(args: argparse.Namespace) -> dict[str, int]:
    """QEMU's throttling options by their QEMU names."""
    names = {"bps-read": args.ssd_read_bw, "bps-write": args.ssd_write_bw,
             "bps-total": args.ssd_total_bw, "iops-read": args.ssd_read_iops,
             "iops-write": args.ssd_write_iops,
             "iops-total": args.ssd_total_iops}
    return {name: value for name, value in names.items() if value}


def _check_combinations(parser: argparse.ArgumentParser,
                        args: argparse.Namespace) -> None:
    throttle = _throttle(args)
    for kind in ("bps", "iops"):
        if f"{kind}-total" in throttle and (
                {f"{kind}-read", f"{kind}-write"} & throttle.keys()):
            parser.error("a total throttle excludes the read and write ones "
                         "of the same kind")
    if None in args.ssds and (len(args.ssds) > 1 or throttle):
        parser.error("--ssd none excludes the other --ssd options")
    if args.no_module and args.module:
        parser.error("--no-module excludes --module")
    if args.memory < 256 * MIB:
        parser.error("--memory must be at least 256M")
    if args.timeout < 0:
        parser.error("--timeout must not be negative")
    if args.dram == 0 and args.dax_driver != "none":
        parser.error("--dax-driver needs a CXL device (--dram)")


def _ssds(args: argparse.Namespace) -> list[Ssd]:
    if not args.ssds:
        return [Ssd(None, 4 * GIB)]
    return [ssd for ssd in args.ssds if ssd]


def _module(args: argparse.Namespace, release: str) -> Path | None:
    if args.no_module:
        return None
    default = REPOSITORY / "build" / f"kmod-{release}" / "hymc.ko"
    return (args.module or default).absolute()


def finish_options(args: argparse.Namespace, release: str) -> Options:
    """Options from parsed arguments, once the kernel's release is known."""
    module = _module(args, release)
    if module and not module.is_file():
        raise VmError(f"there is no module {module}; build it with "
                      "'make modules' or boot without it (--no-module)")
    return Options(
        mode=args.mode, kernel=args.kernel, memory=args.memory,
        cpus=args.cpus, dram=args.dram, ssds=_ssds(args),
        throttle=_throttle(args), dax_driver=args.dax_driver, module=module,
        load=bool(module) and not args.no_load,
        timeout=args.timeout if args.mode == "run" else 0,
        out=args.out.absolute() if args.out else None,
        keep_scratch=args.keep_scratch, append=args.append,
        allow_dmesg=args.allow_dmesg,
        qmp=args.qmp.absolute() if args.qmp else None, env=args.env,
        command=getattr(args, "command", []))


def parse_arguments(argv: list[str]) -> argparse.Namespace:
    """Parse and check everything that needs no kernel kit."""
    parser = make_parser()
    args = parser.parse_args(argv)
    _check_combinations(parser, args)
    return args

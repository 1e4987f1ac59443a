# SPDX-License-Identifier: GPL-2.0-only
"""Lines that must and must not count as a fault of the kernel."""

import unittest

from vm_kernel_log import bad_lines, strip_time

BAD = """\
Kernel panic - not syncing: sysrq triggered crash
Oops: 0000 [#1] PREEMPT SMP NOPTI
Oops: general protection fault, probably for non-canonical address 0x1: 0000 [#1] SMP
BUG: unable to handle page fault for address: ffffea002a400008
BUG: kernel NULL pointer dereference, address: 0000000000000000
BUG: Bad page state in process rmmod  pfn:a9000
mm/pgtable-generic.c:51: bad pmd 00000000a1b2c3d4(800000011a0008e7)
mm/pgtable-generic.c:29: bad pgd 00000000a1b2c3d4(800000011a0008e7)
Huh VM_FAULT_OOM leaked out to the #PF handler. Retrying PF
BUG: Bad page map in process fork  pte:8000000a9 pmd:1
BUG: Bad rss-counter state mm:00000000 type:MM_FILEPAGES val:512
BUG: non-zero pgtables_bytes on freeing mm: 4096
BUG: sleeping function called from invalid context at mm/slab.h:321
BUG: scheduling while atomic: insmod/77/0x00000002
BUG: spinlock bad magic on CPU#0, swapper/0/1
BUG: workqueue lockup - pool cpus=0 node=0 flags=0x0 nice=0 stuck for 33s!
BUG: KASAN: slab-out-of-bounds in hymc_probe+0x12/0x40 [hymc]
BUG: KFENCE: use-after-free read in test+0x1/0x2
BUG: KCSAN: data-race in a / b
kernel BUG at mm/gup.c:123!
------------[ cut here ]------------
WARNING: CPU: 1 PID: 77 at mm/huge_memory.c:1744 vmf_insert_pfn_pmd+0x1/0x2
WARNING: possible circular locking dependency detected
WARNING: possible recursive locking detected
WARNING: suspicious RCU usage
WARNING: bad unlock balance detected!
hymc: WARNING: written by a test
---[ end trace 0000000000000000 ]---
general protection fault, probably for non-canonical address 0xdead: 0000 [#1] SMP
traps: PANIC: double fault, error_code: 0x0
UBSAN: array-index-out-of-bounds in hymc/main.c:10:2
UBSAN: shift-out-of-bounds in kmod/core/index.c:1:1
kmemleak: 3 new suspected memory leaks (see /sys/kernel/debug/kmemleak)
refcount_t: underflow; use-after-free.
refcount_t: addition on 0; use-after-free.
list_del corruption. prev->next should be ffff, but was 0000
list_add corruption. next->prev should be prev
hymc-replay: page allocation failure: order:9, mode:0xcc0(GFP_KERNEL), nodemask=(null)
invalid opcode: 0000 [#1] SMP
divide error: 0000 [#1] PREEMPT SMP
[ BUG: Invalid wait context ]
inconsistent lock state
INFO: task kworker/0:1:10 blocked for more than 120 seconds.
INFO: rcu_preempt detected stalls on CPUs/tasks:
rcu: INFO: rcu_preempt detected expedited stalls on CPUs/tasks: { 1-... }
rcu: INFO: rcu_preempt self-detected stall on CPU
rcu: rcu_preempt kthread starved for 5250 jiffies! g1 f0x0
watchdog: BUG: soft lockup - CPU#1 stuck for 26s! [rmmod:88]
watchdog: Watchdog detected hard LOCKUP on cpu 0
irq 16: nobody cared (try booting with the "irqpoll" option)
BUG kmalloc-64 (Tainted: G           OE     ): Redzone overwritten
BUG hymc_request (Not tainted): Objects remaining in hymc_request on __kmem_cache_shutdown()
DEBUG_LOCKS_WARN_ON(lock->magic != lock)
""".splitlines()

GOOD = """\
9p: Installing v9fs 9p2000 file system support
9pnet: Installing 9P2000 support
hymc: loading out-of-tree module taints kernel.
hymc: module verification failed: signature and/or required key missing - tainting kernel
kfence: initialized - using 2097152 bytes for 255 objects at 0x(____ptrval____)-0x(____ptrval____)
ACPI: [Firmware Bug]: something harmless
x86/cpu: SGX disabled by BIOS.
mtrr: your CPUs had inconsistent fixed MTRR settings
Failed to access perfctr msr (MSR c0010007 is 0)
ACPI: IRQ 4 override to edge(!), high(!)
rcu: Preemptible hierarchical RCU implementation.
rcu: RCU calculated value of scheduler-enlistment delay is 25 jiffies.
rcu: Hierarchical SRCU implementation.
Kernel command line: console=ttyS0 panic=-1 oops=panic watchdog_thresh=30
hymc: warning: the drive is slower than the trace
nvme nvme0: Ignoring bogus Namespace Identifiers
debug: oops=panic is set
Memory failure: 0xa90000: recovery action for dax page: Recovered
hymc: pool 0: device memory poisoned at 0xa90000000, 1 page dropped
sysrq: Show Blocked State
task:sleep state:S stack:0 pid:80 tgid:80 ppid:79 flags:0x00000002
hymc-vm: time is up
lockdep is turned off
NMI watchdog: Enabled. Permanently consumes one hw-PMU counter.
hung_task: timeout set to 120
software IO TLB: mapped [mem 0x000000007b000000-0x000000007f000000] (64MB)
DEBUGGER not present
hymc: DEBUG: pool made
cxl_acpi: stall checks skipped
workqueue: hymc_stage_work [hymc] hogged CPU for >10000us 4 times, consider switching to WQ_UNBOUND
clocksource: Marking clocksource 'tsc' as unstable because the skew is too large:
Spectre V2 : Spectre v2 / SpectreRSB mitigation: Filling RSB on context switch
""".splitlines()


class BadLines(unittest.TestCase):
    """bad_lines() on single lines and on whole logs."""

    def test_every_fault_is_found(self) -> None:
        for line in BAD:
            stamped = f"[   12.345678] {line}"
            with self.subTest(line):
                self.assertEqual(bad_lines([stamped], []), [stamped])

    def test_innocent_lines_pass(self) -> None:
        for line in GOOD:
            with self.subTest(line):
                self.assertEqual(bad_lines([f"[    0.100000] {line}"], []), [])

    def test_allowed_lines_pass_and_others_do_not(self) -> None:
        log = ["[ 1.0] WARNING: expected one", "[ 2.0] WARNING: another"]
        self.assertEqual(bad_lines(log, ["expected"]), log[1:])
        self.assertEqual(bad_lines(log, ["expected", "^.*another$"]), [])

    def test_several_allowed_expressions_do_not_mix(self) -> None:
        self.assertEqual(len(bad_lines(["WARNING: ab"], ["x|y", "a$"])), 1)

    def test_a_line_in_dmesg_and_console_counts_once(self) -> None:
        log = ["[    1.000000] WARNING: x", "[    1.000000] WARNING: x",
               "WARNING: x"]
        self.assertEqual(bad_lines(log, []), log[:1])

    def test_order_is_kept(self) -> None:
        log = ["[ 1.0] BUG: first", "fine", "[ 2.0] Oops: second"]
        self.assertEqual(bad_lines(log, []), [log[0], log[2]])


class StripTime(unittest.TestCase):
    """Prefixes of a log line."""

    def test_prefixes(self) -> None:
        for line in ("text", "[    1.234567] text", "<4>[    1.234567] text",
                     "[  123.234567][   T77] text", "[    1.2][    C0] text"):
            with self.subTest(line):
                self.assertEqual(strip_time(line), "text")

    def test_other_brackets_stay(self) -> None:
        self.assertEqual(strip_time("[hymc] text"), "[hymc] text")


if __name__ == "__main__":
    unittest.main()

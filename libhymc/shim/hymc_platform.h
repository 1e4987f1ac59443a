/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what the pure core may use in userspace
 *
 * Gives the files of kmod/core/ the names that kmod/hymc_platform.h gives them
 * in the kernel. Put this directory first on the include path and kmod/core and
 * uapi behind it. If this header grows, the core got dirty.
 */
#ifndef HYMC_PLATFORM_H
#define HYMC_PLATFORM_H

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <linux/types.h>
#include <linux/hymc.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;

#ifndef U16_MAX
#define U16_MAX		UINT16_MAX
#define U32_MAX		UINT32_MAX
#define U64_MAX		UINT64_MAX
#endif

/* The kernel's form: the message is optional. */
#undef static_assert
#define static_assert(expr, ...)	_Static_assert(expr, #expr)

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#endif
#ifndef likely
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#endif
#ifndef fallthrough
#define fallthrough	__attribute__((__fallthrough__))
#endif

static inline __le16 cpu_to_le16(u16 v)
{
	return (__le16)htole16(v);
}

static inline __le32 cpu_to_le32(u32 v)
{
	return (__le32)htole32(v);
}

static inline __le64 cpu_to_le64(u64 v)
{
	return (__le64)htole64(v);
}

static inline u16 le16_to_cpu(__le16 v)
{
	return le16toh((u16)v);
}

static inline u32 le32_to_cpu(__le32 v)
{
	return le32toh((u32)v);
}

static inline u64 le64_to_cpu(__le64 v)
{
	return le64toh((u64)v);
}

static inline u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}

/*
 * Advance a raw (not inverted) CRC-32C register, a nibble at a time: headers are
 * a few KiB and this needs no large table.
 */
static inline u32 hymc_platform_crc32c(u32 reg, const void *p, size_t len)
{
	static const u32 nibble[16] = {
		0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1,
		0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
		0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
		0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
	};
	const u8 *b = p;

	while (len--) {
		reg ^= *b++;
		reg = reg >> 4 ^ nibble[reg & 15];
		reg = reg >> 4 ^ nibble[reg & 15];
	}
	return reg;
}

#endif /* HYMC_PLATFORM_H */

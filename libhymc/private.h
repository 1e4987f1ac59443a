/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what the files of libhymc share
 *
 * Nothing here is visible to users of the library. A file owns the functions
 * that carry its name (hymc_dax_*, hymc_ssd_*, hymc_control_*...). No file
 * prints, exits or keeps state outside of an object; functions that fail return
 * a negative errno and leave a sentence with hymc_err().
 */
#ifndef HYMC_PRIVATE_H
#define HYMC_PRIVATE_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <syslog.h>

#include <hymc/libhymc.h>

#define HYMC_EXPORT	__attribute__((visibility("default")))
#define HYMC_ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Room for a block device's or a driver's name, and for a path in sysfs. */
#define HYMC_NAME_BYTES		64
#define HYMC_SYSFS_BYTES	512
/* Room for a UUID as text, NUL included. */
#define HYMC_UUID_TEXT_BYTES	37
/* Room for a sentence or a part of one, NUL included. */
#define HYMC_TEXT_BYTES		512

/* ctx.c: sentences and log lines */

/* Leave a sentence for this thread and return @err (a negative errno). */
int hymc_err(struct hymc_ctx *ctx, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Hand a line to the log callback, if there is one. */
void hymc_log(struct hymc_ctx *ctx, int priority, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same, for callers that have a va_list. */
void hymc_vlog(struct hymc_ctx *ctx, int priority, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));

/* text.c: pieces of sentences, small files */

/**
 * struct hymc_text - a piece of text of bounded length that is built in steps
 * @len: characters in @s, below HYMC_TEXT_BYTES
 * @s: the text, always terminated; what does not fit is left out
 */
struct hymc_text {
	size_t len;
	char s[HYMC_TEXT_BYTES];
};

void hymc_text_add(struct hymc_text *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void hymc_text_add_bytes(struct hymc_text *t, uint64_t bytes);
void hymc_text_add_pids(struct hymc_text *t, const uint32_t *pids, size_t nr);
void hymc_uuid_text(const uint8_t *uuid, char out[HYMC_UUID_TEXT_BYTES]);
int hymc_file_read(const char *path, char *buf, size_t size);
int hymc_file_read_u64(const char *path, uint64_t *value);
int hymc_file_write(const char *path, const char *text);
int hymc_link_name(const char *path, char *buf, size_t size);
bool hymc_is_admin(void);

/* dax.c: dax devices, by sysfs */

/**
 * struct hymc_dax - a dax device
 * @name: as in /sys/bus/dax/devices, e.g. "dax0.0"
 * @driver: name of the driver that has it, "" when none has
 * @start: physical address of its range, in bytes
 * @bytes: size of its range
 */
struct hymc_dax {
	char name[HYMC_NAME_BYTES];
	char driver[HYMC_NAME_BYTES];
	uint64_t start;
	uint64_t bytes;
};

int hymc_dax_find(struct hymc_ctx *ctx, const char *name, struct hymc_dax *dax);
int hymc_dax_check(struct hymc_ctx *ctx, const struct hymc_dax *dax,
		   uint64_t want_bytes, bool take);
int hymc_dax_unbind(struct hymc_ctx *ctx, const struct hymc_dax *dax);
void hymc_dax_rebind(struct hymc_ctx *ctx, const struct hymc_dax *dax);

/* ssd.c and signature.c: block devices */

int hymc_ssd_check(struct hymc_ctx *ctx, const char *path, uint64_t want_bytes,
		   bool force);
int hymc_signature_check(struct hymc_ctx *ctx, const char *path, int fd,
			 bool force);

/* users.c: who uses a block device */

void hymc_users_describe(uint32_t maj, uint32_t min, struct hymc_text *t);

/* pool.c: a snapshot */

/**
 * struct hymc_pool - a snapshot of one pool, filled by control.c
 * @next: the next one of the list
 * @id: number of the pool
 * @policy: enum hymc_policy
 * @state: enum hymc_pool_state
 * @frame_bytes: unit of DRAM allocation
 * @dram: name of the dax device, owned
 * @dram_start: physical address
 * @dram_bytes: bytes of DRAM
 * @ssd: path of the block device, owned
 * @ssd_bytes: bytes of it that are used
 * @segment_bytes: log segment
 * @window_bytes: default request window
 * @blocks_max: most blocks
 * @dirty_max_bytes: write buffer limit
 * @uuid: identity
 * @stats: counters
 * @pids: who has the node open, owned
 * @pids_nr: number of @pids
 */
struct hymc_pool {
	struct hymc_pool *next;
	uint32_t id;
	uint32_t policy;
	uint32_t state;
	uint32_t frame_bytes;
	char *dram;
	uint64_t dram_start;
	uint64_t dram_bytes;
	char *ssd;
	uint64_t ssd_bytes;
	uint64_t segment_bytes;
	uint64_t window_bytes;
	uint64_t blocks_max;
	uint64_t dirty_max_bytes;
	uint8_t uuid[16];
	struct hymc_stats stats;
	uint32_t *pids;
	size_t pids_nr;
};

void hymc_pool_free(struct hymc_pool *pool);

/* control.c: requests to the control family */

int hymc_control_create(struct hymc_ctx *ctx, const struct hymc_pool_params *p,
			const struct hymc_dax *dax, uint32_t *id);
int hymc_control_destroy(struct hymc_ctx *ctx, uint32_t id, bool force);
int hymc_control_list(struct hymc_ctx *ctx, struct hymc_pool **head);

/* dev.c: what calls.c needs of a device */

/*
 * One ioctl. @what names the call in the sentence. With @restart a signal is
 * invisible; without (calls that wait) it gives -EINTR. 0 or a negative errno.
 */
int hymc_dev_call(struct hymc_dev *dev, unsigned long cmd, void *arg,
		  const char *what, bool restart);

#endif /* HYMC_PRIVATE_H */

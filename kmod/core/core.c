// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later
/*
 * DOC: configuration, set-up and memory of a core
 *
 * One piece of memory holds what depends on the geometry alone:
 *
 *   | struct hymc_core | segments | slab table | index table | frames: next, owner |
 *
 * What grows with the number of blocks lives in chunks that the host feeds.
 */
#include "core_priv.h"

#define FRAME_BYTES_MIN		4096U
#define FRAME_BYTES_MAX		(64U << 20)
#define FRAMES_MAX		(1U << 31)
#define BLOCKS_MAX		(1ULL << (HYMC_ITEM_SHIFT - 1))
#define SEGMENT_BYTES_MIN	(2ULL * HYMC_ALIGN_BYTES)
#define SEGMENT_BYTES_MAX	(1ULL << 40)
#define SEGMENTS_MAX		(1ULL << 31)
/* Inserts for which hymc_core_mem_short() looks ahead. */
#define INSERTS_AHEAD		64U

/**
 * struct layout - where the parts of the core's memory begin
 * @segs: byte offset of the segment array
 * @slab: byte offset of the slab's chunk table
 * @index: byte offset of the index's chunk table
 * @next: byte offset of the frame links
 * @owner: byte offset of the frame owners
 * @end: bytes in all
 */
struct layout {
	u64 segs;
	u64 slab;
	u64 index;
	u64 next;
	u64 owner;
	u64 end;
};

static bool power_of_two(u64 x)
{
	return x && !(x & (x - 1));
}

static bool aligned(u64 x)
{
	return !(x & (HYMC_ALIGN_BYTES - 1));
}

static const char *check_dram(const struct hymc_core_cfg *cfg)
{
	if (cfg->policy != HYMC_POLICY_STAGE && cfg->policy != HYMC_POLICY_LRU)
		return "unknown policy";
	if (!power_of_two(cfg->frame_bytes) ||
	    cfg->frame_bytes < FRAME_BYTES_MIN ||
	    cfg->frame_bytes > FRAME_BYTES_MAX)
		return "the frame size must be a power of two, 4 KiB to 64 MiB";
	if (!cfg->frames || cfg->frames > FRAMES_MAX)
		return "the number of frames must be 1 to 2^31";
	if (!cfg->blocks_max || cfg->blocks_max > BLOCKS_MAX)
		return "the number of blocks must be 1 to 2^29";
	return NULL;
}

static const char *check_ssd(const struct hymc_core_cfg *cfg)
{
	if (!aligned(cfg->segment_bytes) ||
	    cfg->segment_bytes < SEGMENT_BYTES_MIN ||
	    cfg->segment_bytes > SEGMENT_BYTES_MAX)
		return "the segment size must be a multiple of 4 KiB, 8 KiB to 1 TiB";
	if (!aligned(cfg->log_start))
		return "the log must start at a multiple of 4 KiB";
	if (cfg->ssd_bytes < cfg->segment_bytes)
		return "the SSD is smaller than one segment";
	if (cfg->ssd_bytes > U64_MAX / 2 || cfg->log_start > U64_MAX / 2 ||
	    hymc_log_segments(cfg) > SEGMENTS_MAX)
		return "the SSD has more than 2^31 segments";
	return NULL;
}

static const char *check_flow(const struct hymc_core_cfg *cfg)
{
	if (!cfg->writes_max)
		return "at least one write must be allowed in flight";
	if (!cfg->read_bytes_max)
		return "at least one byte of reads must be allowed in flight";
	if (cfg->window_bytes == HYMC_WINDOW_DEFAULT)
		return "the default window must be a number of bytes";
	if (cfg->dirty_low_bytes > cfg->dirty_high_bytes ||
	    cfg->dirty_high_bytes > cfg->dirty_max_bytes)
		return "dirty low, high and max must not decrease";
	return NULL;
}

/**
 * hymc_core_check() - check a configuration
 * @cfg: the configuration
 * @why: out, what is wrong with it; NULL when nothing is
 *
 * Return: 0, or -EINVAL.
 */
int hymc_core_check(const struct hymc_core_cfg *cfg, const char **why)
{
	*why = check_dram(cfg);
	if (!*why)
		*why = check_ssd(cfg);
	if (!*why)
		*why = check_flow(cfg);
	return *why ? -EINVAL : 0;
}

static u64 round8(u64 x)
{
	return (x + 7) & ~7ULL;
}

static void layout_make(struct layout *l, const struct hymc_core_cfg *cfg)
{
	l->segs = round8(sizeof(struct hymc_core));
	l->slab = l->segs + hymc_log_segments(cfg) *
			    sizeof(struct hymc_segment);
	l->index = l->slab + (u64)hymc_slab_chunks_max(cfg->blocks_max) *
			     sizeof(void *);
	l->next = l->index + (u64)hymc_index_chunks_max(cfg->blocks_max) *
			     sizeof(u32 *);
	l->owner = l->next + (u64)cfg->frames * sizeof(u32);
	l->end = l->owner + (u64)cfg->frames * sizeof(u32);
}

/**
 * hymc_core_bytes() - memory of a core
 * @cfg: valid configuration
 *
 * Return: bytes that hymc_core_init() needs.
 */
u64 hymc_core_bytes(const struct hymc_core_cfg *cfg)
{
	struct layout l;

	layout_make(&l, cfg);
	return l.end;
}

/**
 * hymc_core_block_bytes_max() - longest payload of a pool
 * @cfg: valid configuration
 *
 * Return: bytes; the least of what the format, the frames and a segment take.
 */
u64 hymc_core_block_bytes_max(const struct hymc_core_cfg *cfg)
{
	u64 dram = (u64)cfg->frames * cfg->frame_bytes;
	u64 max = dram < HYMC_BLOCK_BYTES_MAX ? dram : HYMC_BLOCK_BYTES_MAX;

	if (hymc_record_bytes(max, cfg->frame_bytes) > cfg->segment_bytes)
		max = cfg->segment_bytes -
		      hymc_hdr_bytes(cfg->segment_bytes < max ?
				     cfg->segment_bytes : max,
				     cfg->frame_bytes);
	return max;
}

static void init_tables(struct hymc_core *c, const struct layout *l)
{
	u8 *mem = (u8 *)c;

	c->log.seg = (struct hymc_segment *)(mem + l->segs);
	c->slab.chunk = (void **)(mem + l->slab);
	c->index.chunk = (u32 **)(mem + l->index);
	c->stage.next = (u32 *)(mem + l->next);
	c->stage.owner = (u32 *)(mem + l->owner);
}

/**
 * hymc_core_init() - make an empty core
 * @mem: hymc_core_bytes() of zeroed memory, aligned for a u64
 * @cfg: valid configuration, copied
 *
 * O(frames + segments).
 *
 * Return: the core, which lies in @mem.
 */
struct hymc_core *hymc_core_init(void *mem, const struct hymc_core_cfg *cfg)
{
	struct hymc_core *c = mem;
	struct layout l;

	layout_make(&l, cfg);
	c->cfg = *cfg;
	c->block_bytes_max = hymc_core_block_bytes_max(cfg);
	init_tables(c, &l);
	c->slab.free = HYMC_NIL;
	c->slab.limit = cfg->blocks_max;
	c->index.chunks_max = hymc_index_chunks_max(cfg->blocks_max);
	hymc_index_seed(&c->index, cfg->hash_seed);
	hymc_list_init(&c->woken);
	hymc_stage_init(c);
	hymc_log_init(c);
	c->flow.gen_next = 1;
	return c;
}

/**
 * hymc_core_mem_short() - does the core want a chunk?
 * @c: the core
 *
 * Return: true when the next inserts might need one that it does not have.
 */
bool hymc_core_mem_short(const struct hymc_core *c)
{
	u32 need = 0;

	need += hymc_slab_tight(c, INSERTS_AHEAD);
	need += hymc_index_tight(c, INSERTS_AHEAD);
	return c->nr_spare < need;
}

/**
 * hymc_core_mem_feed() - hand a chunk over
 * @c: the core
 * @chunk: HYMC_CHUNK_BYTES of memory, aligned for a u64
 *
 * Return: false when it is not wanted; it is still the host's then.
 */
bool hymc_core_mem_feed(struct hymc_core *c, void *chunk)
{
	struct hymc_spare *s = chunk;

	if (!hymc_core_mem_short(c))
		return false;
	s->next = c->spare;
	c->spare = s;
	c->nr_spare++;
	return true;
}

/**
 * hymc_core_mem_take() - take a fed chunk back
 * @c: a core that is used for nothing else any more
 *
 * Return: a chunk to free, or NULL when there are none left.
 */
void *hymc_core_mem_take(struct hymc_core *c)
{
	if (c->index.chunks)
		return c->index.chunk[--c->index.chunks];
	if (c->slab.chunks)
		return c->slab.chunk[--c->slab.chunks];
	return hymc_spare_pop(c);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: the prefix cache that an engine has in its own memory
 */
#ifndef HR_HBM_H
#define HR_HBM_H

#include <stdint.h>

#include "trace.h"

struct hr_hbm;

/**
 * hr_hbm_new() - make a cache
 * @capacity: most blocks; 0 holds nothing
 * @block_nr: distinct blocks of the trace
 *
 * Return: The cache, or NULL without memory.
 */
struct hr_hbm *hr_hbm_new(uint32_t capacity, uint32_t block_nr);

/**
 * hr_hbm_free() - free a cache
 * @hbm: the cache, or NULL
 */
void hr_hbm_free(struct hr_hbm *hbm);

/**
 * hr_hbm_prefix() - how much of a request is cached
 * @hbm: the cache
 * @rq: the request
 *
 * Return: The number of leading blocks.
 */
uint32_t hr_hbm_prefix(const struct hr_hbm *hbm, const struct hr_request *rq);

/**
 * hr_hbm_insert() - a request was computed
 * @hbm: the cache
 * @rq: the request: all its blocks were used, the first one last
 */
void hr_hbm_insert(struct hr_hbm *hbm, const struct hr_request *rq);

#endif

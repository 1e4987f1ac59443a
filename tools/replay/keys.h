/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: the keys of a trace's blocks
 */
#ifndef HR_KEYS_H
#define HR_KEYS_H

#include <hymc/libhymc.h>

#include "trace.h"

/**
 * hr_keys_make() - derive the keys of all blocks
 * @trace: the trace
 * @model: name of the model
 * @generation: makes the keys of this run its own
 *
 * Payloads derive from keys: what an earlier pool left on the drive is wrong
 * under the keys of this run.
 *
 * Return: An array in the order of the blocks of @trace, to be freed by the
 * caller; NULL without memory.
 */
struct hymc_key *hr_keys_make(const struct hr_trace *trace, const char *model,
			      uint64_t generation);

#endif

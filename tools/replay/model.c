// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: how many bytes of KV cache a token takes, per model
 *
 * The geometry is that of the published model configurations, at 16 bits per
 * number. Owns a constant table; keeps no state.
 */
#include <string.h>

#include "model.h"

#define NUMBER_BYTES	2U
#define KV(heads, dim)	(2U * (heads) * (dim))

static const struct hr_model models[] = {
	{ "qwen2.5-7b", 28, KV(4, 128) },
	{ "qwen2.5-32b", 64, KV(8, 128) },
	{ "llama-2-7b", 32, KV(32, 128) },
	{ "llama-3.1-8b", 32, KV(8, 128) },
	{ "llama-3.1-70b", 80, KV(8, 128) },
	{ "opt-30b", 48, KV(56, 128) },
	/* MLA stores a latent of 512 and a rotary key of 64 for all heads. */
	{ "deepseek-v3-mla", 61, 512 + 64 },
};

const struct hr_model *hr_model_at(size_t i)
{
	return i < sizeof(models) / sizeof(models[0]) ? &models[i] : NULL;
}

const struct hr_model *hr_model_find(const char *name)
{
	const struct hr_model *model;
	size_t i;

	for (i = 0; (model = hr_model_at(i)); i++)
		if (!strcmp(model->name, name))
			return model;
	return NULL;
}

uint64_t hr_model_token_bytes(const struct hr_model *model)
{
	return (uint64_t)model->layers * model->width * NUMBER_BYTES;
}

uint64_t hr_block_bytes(uint32_t tokens, uint64_t token_bytes,
			const struct hr_ratio *scale)
{
	uint64_t v;

	if (__builtin_mul_overflow(token_bytes, tokens, &v) ||
	    __builtin_mul_overflow(v, scale->num, &v))
		return 0;
	return v / scale->den + !!(v % scale->den);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: how many bytes of KV cache a token takes, per model
 */
#ifndef HR_MODEL_H
#define HR_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "parse.h"

/* Tokens of a block in the trace format. */
#define HR_BLOCK_TOKENS		512U

/**
 * struct hr_model - KV geometry of a model, 16-bit numbers
 * @name: name on the command line
 * @layers: transformer layers
 * @width: numbers stored per token and layer: keys and values of all KV heads,
 *	or the compressed latent of MLA
 */
struct hr_model {
	const char *name;
	uint32_t layers;
	uint32_t width;
};

/**
 * hr_model_find() - look a model up
 * @name: its name on the command line
 *
 * Return: The model, or NULL.
 */
const struct hr_model *hr_model_find(const char *name);

/**
 * hr_model_at() - iterate over the models
 * @i: from 0
 *
 * Return: The model, or NULL behind the last.
 */
const struct hr_model *hr_model_at(size_t i);

/**
 * hr_model_token_bytes() - KV cache of a token
 * @model: the model
 *
 * Return: Bytes, unscaled.
 */
uint64_t hr_model_token_bytes(const struct hr_model *model);

/**
 * hr_block_bytes() - size of a block
 * @tokens: tokens in it
 * @token_bytes: bytes per token, unscaled
 * @scale: what to multiply with
 *
 * Rounded up to a whole byte, so that no block is empty.
 *
 * Return: Bytes; 0 when the product does not fit.
 */
uint64_t hr_block_bytes(uint32_t tokens, uint64_t token_bytes,
			const struct hr_ratio *scale);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: a map from 64-bit ids to dense numbers
 */
#ifndef HR_IDMAP_H
#define HR_IDMAP_H

#include <stdint.h>

/**
 * struct hr_idmap - open addressing, at most half full
 * @ids: keys
 * @values: what they map to; HR_NIL marks a free place
 * @places: size of both arrays, 0 or a power of two
 * @nr: places in use
 *
 * All zero is an empty map.
 */
struct hr_idmap {
	uint64_t *ids;
	uint32_t *values;
	uint32_t places;
	uint32_t nr;
};

/**
 * hr_idmap_get() - look an id up
 * @map: the map
 * @id: the id
 *
 * Return: Its value, or HR_NIL.
 */
uint32_t hr_idmap_get(const struct hr_idmap *map, uint64_t id);

/**
 * hr_idmap_add() - give an id a value
 * @map: the map
 * @id: an id that has none
 * @value: the value, not HR_NIL
 *
 * Return: 0 or -ENOMEM.
 */
int hr_idmap_add(struct hr_idmap *map, uint64_t id, uint32_t value);

/**
 * hr_idmap_free() - empty the map
 * @map: the map, usable afterwards
 */
void hr_idmap_free(struct hr_idmap *map);

#endif

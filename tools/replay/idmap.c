// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: a map from 64-bit ids to dense numbers
 *
 * Only grows. No lock: used while the trace is read, by one thread.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "idmap.h"
#include "trace.h"

/* Where @id is, or the free place where it belongs. */
static uint32_t find(const struct hr_idmap *map, uint64_t id)
{
	uint64_t hash = id * 0x9e3779b97f4a7c15ULL;
	uint32_t mask = map->places - 1;
	uint32_t at = (hash >> 32) & mask;

	while (map->values[at] != HR_NIL && map->ids[at] != id)
		at = (at + 1) & mask;
	return at;
}

uint32_t hr_idmap_get(const struct hr_idmap *map, uint64_t id)
{
	return map->places ? map->values[find(map, id)] : HR_NIL;
}

static void put(struct hr_idmap *map, uint64_t id, uint32_t value)
{
	uint32_t at = find(map, id);

	map->ids[at] = id;
	map->values[at] = value;
	map->nr++;
}

static int grow(struct hr_idmap *map)
{
	uint32_t i, places = map->places ? 2 * map->places : 1024;
	struct hr_idmap next = { .places = places };

	next.ids = malloc(places * sizeof(*next.ids));
	next.values = malloc(places * sizeof(*next.values));
	if (!places || !next.ids || !next.values) {
		hr_idmap_free(&next);
		return -ENOMEM;
	}
	memset(next.values, 0xff, places * sizeof(*next.values));
	for (i = 0; i < map->places; i++)
		if (map->values[i] != HR_NIL)
			put(&next, map->ids[i], map->values[i]);
	hr_idmap_free(map);
	*map = next;
	return 0;
}

int hr_idmap_add(struct hr_idmap *map, uint64_t id, uint32_t value)
{
	if (map->nr >= map->places / 2 && grow(map))
		return -ENOMEM;
	put(map, id, value);
	return 0;
}

void hr_idmap_free(struct hr_idmap *map)
{
	free(map->ids);
	free(map->values);
	*map = (struct hr_idmap){ 0 };
}

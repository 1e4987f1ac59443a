/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: the slots that serve requests
 */
#ifndef HR_SLOT_H
#define HR_SLOT_H

#include "engine.h"

struct hr_slots;

/**
 * hr_slots_start() - start the slots of an engine
 * @e: the engine
 * @slots: out
 *
 * Return: 0 or a negative errno with none running.
 */
int hr_slots_start(struct hr_engine *e, struct hr_slots **slots);

/**
 * hr_slots_join() - wait for all slots to end and free them
 * @slots: the slots; see hr_engine_take() for when they end
 */
void hr_slots_join(struct hr_slots *slots);

#endif

# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests of the pure core: build/tests/core/test-*, each prints TAP. Built with the
# address and undefined behaviour sanitizers; needs no root and no kernel.
#
# build/tests/core/bench-core is built without them, on demand: make bench-core.

include kmod/core/sources.mk

CORE_TEST_DIR := libhymc/tests/core
CORE_TEST_OUT := $(BUILD)/tests/core
CORE_TESTS := index heap lease log format stage request acquire wbuf model
CORE_TEST_BINS := $(CORE_TESTS:%=$(CORE_TEST_OUT)/test-%)
CORE_TEST_OBJS := $(addprefix $(CORE_TEST_OUT)/core/,$(hymc-core-objs)) \
	$(CORE_TEST_OUT)/pool.o
CORE_BENCH_OBJS := $(addprefix $(CORE_TEST_OUT)/fast/,$(hymc-core-objs)) \
	$(CORE_TEST_OUT)/fast/bench-core.o

# Events carry the time also where no policy looks at it yet.
CORE_CFLAGS := -Ilibhymc/shim -Ikmod/core -Wno-unused-parameter
CORE_SANITIZE := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer

UNIT_TESTS += $(CORE_TEST_BINS)

.PHONY: bench-core
bench-core: $(CORE_TEST_OUT)/bench-core
	@$(CORE_TEST_DIR)/run-bench $<

$(CORE_TEST_OUT)/core/%.o: kmod/core/%.c | setup-build
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(CORE_SANITIZE) $(HYMC_CFLAGS) $(CORE_CFLAGS) \
		$(CPPFLAGS) -MMD -MP -c -o $@ $<

$(CORE_TEST_OUT)/fast/%.o: kmod/core/%.c | setup-build
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(HYMC_CFLAGS) $(CORE_CFLAGS) $(CPPFLAGS) -MMD -MP \
		-c -o $@ $<

$(CORE_TEST_OUT)/fast/%.o: $(CORE_TEST_DIR)/%.c | setup-build
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(HYMC_CFLAGS) $(CORE_CFLAGS) $(CPPFLAGS) -MMD -MP \
		-c -o $@ $<

$(CORE_TEST_OUT)/%.o: $(CORE_TEST_DIR)/%.c | setup-build
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(CORE_SANITIZE) $(HYMC_CFLAGS) $(CORE_CFLAGS) \
		$(CPPFLAGS) -MMD -MP -c -o $@ $<

$(CORE_TEST_BINS): $(CORE_TEST_OUT)/test-%: $(CORE_TEST_OUT)/test-%.o \
		$(CORE_TEST_OBJS)
	$(CC) $(CORE_SANITIZE) $(LDFLAGS) -o $@ $^

$(CORE_TEST_OUT)/test-model: $(CORE_TEST_OUT)/model.o

$(CORE_TEST_OUT)/bench-core: $(CORE_BENCH_OBJS)
	$(CC) $(LDFLAGS) -o $@ $^

-include $(wildcard $(CORE_TEST_OUT)/*.d $(CORE_TEST_OUT)/*/*.d)

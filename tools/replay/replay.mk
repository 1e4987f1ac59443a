# SPDX-License-Identifier: GPL-2.0-only
#
# hymc-replay: build/hymc-replay, linked with the static libhymc

REPLAY := $(BUILD)/hymc-replay
REPLAY_DIR := tools/replay
# Everything but main.c is shared with the tests.
REPLAY_SRCS := $(addprefix $(REPLAY_DIR)/,audit.c clock.c compare.c config.c \
	delta.c engine.c err.c hbm.c hint.c hist.c idmap.c keys.c lines.c model.c \
	parse.c payload.c pool.c progress.c report.c report_mode.c run.c \
	sampler.c slot.c table.c tally.c trace.c trace_line.c)
REPLAY_OBJS := $(REPLAY_SRCS:%.c=$(BUILD)/obj/%.o)
REPLAY_MAIN := $(BUILD)/obj/$(REPLAY_DIR)/main.o

REPLAY_PKGS := json-c zlib liblzma
REPLAY_CFLAGS = -D_GNU_SOURCE -pthread $(shell pkg-config --cflags $(REPLAY_PKGS))
REPLAY_LIBS = $(shell pkg-config --libs $(REPLAY_PKGS)) -lm -pthread

tools: $(REPLAY)

$(REPLAY_OBJS) $(REPLAY_MAIN): $(BUILD)/obj/%.o: %.c | setup-build
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(HYMC_CFLAGS) $(REPLAY_CFLAGS) $(CPPFLAGS) -MMD -MP \
		-c -o $@ $<

$(REPLAY): $(REPLAY_MAIN) $(REPLAY_OBJS) $(LIB_A)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIB_LIBS) $(REPLAY_LIBS)

.PHONY: install-replay
install-tools: install-replay
install-replay: $(REPLAY)
	install -d $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(REPLAY) $(DESTDIR)$(PREFIX)/bin/hymc-replay
	install -m 755 $(REPLAY_DIR)/hymc-report \
		$(DESTDIR)$(PREFIX)/bin/hymc-report

-include $(REPLAY_OBJS:.o=.d) $(REPLAY_MAIN:.o=.d)

# Tests: everything but main.c, with sanitizers.
REPLAY_TEST_OUT := $(BUILD)/tests/replay
REPLAY_TESTS := parse hist payload hbm trace
REPLAY_TEST_BINS := $(REPLAY_TESTS:%=$(REPLAY_TEST_OUT)/test-%)
REPLAY_TEST_OBJS := $(REPLAY_SRCS:$(REPLAY_DIR)/%.c=$(REPLAY_TEST_OUT)/%.o)
REPLAY_SANITIZE := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer

UNIT_TESTS += $(REPLAY_TEST_BINS)

$(REPLAY_TEST_OUT)/%.o: $(REPLAY_DIR)/%.c | setup-build
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(REPLAY_SANITIZE) $(HYMC_CFLAGS) $(REPLAY_CFLAGS) \
		$(CPPFLAGS) -MMD -MP -c -o $@ $<

$(REPLAY_TEST_OUT)/%.o: $(REPLAY_DIR)/tests/%.c | setup-build
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(REPLAY_SANITIZE) $(HYMC_CFLAGS) $(REPLAY_CFLAGS) \
		$(CPPFLAGS) -MMD -MP -c -o $@ $<

$(REPLAY_TEST_BINS): %: %.o $(REPLAY_TEST_OBJS) $(LIB_A)
	$(CC) $(REPLAY_SANITIZE) $(LDFLAGS) -o $@ $^ $(LIB_LIBS) $(REPLAY_LIBS)

-include $(wildcard $(REPLAY_TEST_OUT)/*.d)

# The whole program on a device that misbehaves on demand.
REPLAY_FAKE := $(REPLAY_TEST_OUT)/hymc-replay-fake
UNIT_TESTS += $(REPLAY_DIR)/tests/test-verdict.py

$(REPLAY_FAKE): $(REPLAY_TEST_OUT)/main.o $(REPLAY_TEST_OUT)/fake-libhymc.o \
		$(REPLAY_TEST_OBJS) $(LIB_A)
	$(CC) $(REPLAY_SANITIZE) $(LDFLAGS) -o $@ $^ $(LIB_LIBS) $(REPLAY_LIBS)

$(REPLAY_DIR)/tests/test-verdict.py: $(REPLAY_FAKE)

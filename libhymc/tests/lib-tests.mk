# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests of libhymc and hymcctl without a module: build/tests/lib/test-*, each prints
# TAP. The library is built once more for them, with the address and undefined
# behaviour sanitizers. test-calls needs a pool: libhymc/tests/vm/run boots one.

LIB_TEST_DIR := libhymc/tests/lib
LIB_TEST_OUT := $(BUILD)/tests/lib
LIB_TESTS := ctx format json key refusals signature size
LIB_TEST_BINS := $(LIB_TESTS:%=$(LIB_TEST_OUT)/test-%)
LIB_VM_BIN := $(LIB_TEST_OUT)/test-calls
LIB_TEST_SCRIPTS := $(LIB_TEST_DIR)/test-header.sh $(LIB_TEST_DIR)/test-hymcctl.sh
LIB_TEST_OBJS := $(LIB_SRCS:%.c=$(LIB_TEST_OUT)/%.o)
CTL_TEST_OBJS := $(addprefix $(LIB_TEST_OUT)/tools/hymcctl/,out.o pool_json.o size.o)
FORMAT_TEST_OBJS := $(patsubst %,$(LIB_TEST_OUT)/kmod/core/%,format.o)

LIB_SANITIZE := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer
LIB_TEST_CFLAGS = $(CFLAGS) $(LIB_SANITIZE) $(HYMC_CFLAGS) -D_GNU_SOURCE \
	$(shell pkg-config --cflags $(LIB_PKGS) json-c) -Ilibhymc -Ilibhymc/tests \
	-DHYMC_VERSION='"$(HYMC_VERSION)"' $(CPPFLAGS) -MMD -MP

UNIT_TESTS += $(LIB_TEST_BINS) $(LIB_TEST_SCRIPTS) tools/scripts/check-map

$(LIB_TEST_OUT)/%.o: %.c | setup-build
	@mkdir -p $(@D)
	$(CC) $(LIB_TEST_CFLAGS) -c -o $@ $<

$(LIB_VM_BIN).o: libhymc/tests/vm/test-calls.c | setup-build
	@mkdir -p $(@D)
	$(CC) $(LIB_TEST_CFLAGS) -c -o $@ $<

# The program of the manual.
$(LIB_TEST_OUT)/example.c: Documentation/libhymc.rst
	@mkdir -p $(@D)
	sed -n '/^.. code-block:: c$$/,/^[^ .]/{/^    \|^$$/s/^    //p}' $< >$@

$(LIB_TEST_OUT)/example: $(LIB_TEST_OUT)/example.c $(LIB_A)
	$(CC) $(CFLAGS) $(HYMC_CFLAGS) -o $@ $^ $(LIB_LIBS)

$(LIB_TEST_OUT)/test-%.o: $(LIB_TEST_DIR)/test-%.c | setup-build
	@mkdir -p $(@D)
	$(CC) $(LIB_TEST_CFLAGS) -c -o $@ $<

# These two see the core's headers instead of the library's.
$(LIB_TEST_OUT)/test-format.o $(FORMAT_TEST_OBJS): LIB_TEST_CFLAGS = $(CFLAGS) \
	$(LIB_SANITIZE) $(HYMC_CFLAGS) -Ilibhymc/shim -Ikmod/core -Ilibhymc/tests \
	$(CPPFLAGS) -MMD -MP

$(LIB_TEST_OUT)/test-format: $(LIB_TEST_OUT)/test-format.o $(FORMAT_TEST_OBJS)
	$(CC) $(LIB_SANITIZE) $(LDFLAGS) -o $@ $^

$(LIB_TEST_OUT)/test-json $(LIB_TEST_OUT)/test-size: $(CTL_TEST_OBJS)
$(filter-out %/test-format,$(LIB_TEST_BINS)) $(LIB_VM_BIN): $(LIB_TEST_OUT)/test-%: \
		$(LIB_TEST_OUT)/test-%.o $(LIB_TEST_OBJS)
	$(CC) $(LIB_SANITIZE) $(LDFLAGS) -o $@ $^ $(LIB_LIBS) $(CTL_LIBS)

-include $(wildcard $(LIB_TEST_OUT)/*.d $(LIB_TEST_OUT)/*/*.d \
	$(LIB_TEST_OUT)/*/*/*.d)

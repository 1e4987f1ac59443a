# SPDX-License-Identifier: GPL-2.0-only
#
# hymcctl: build/hymcctl, linked with the static libhymc

CTL := $(BUILD)/hymcctl
CTL_SRCS := $(addprefix tools/hymcctl/,cmd_module.c cmd_pool.c cmd_stats.c \
	help.c main.c opts.c out.c pool_json.c size.c)
CTL_OBJS := $(CTL_SRCS:%.c=$(BUILD)/obj/%.o)
CTL_CFLAGS = -D_GNU_SOURCE -DHYMC_VERSION='"$(HYMC_VERSION)"' \
	$(shell pkg-config --cflags json-c)
CTL_LIBS = $(shell pkg-config --libs json-c) -lm

tools: $(CTL)

$(CTL_OBJS): $(BUILD)/obj/%.o: %.c | setup-build
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(HYMC_CFLAGS) $(CTL_CFLAGS) $(CPPFLAGS) -MMD -MP \
		-c -o $@ $<

# Where the version is.
$(BUILD)/obj/tools/hymcctl/main.o: libhymc/lib.mk

$(CTL): $(CTL_OBJS) $(LIB_A)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIB_LIBS) $(CTL_LIBS)

.PHONY: install-hymcctl
install-tools: install-hymcctl
install-hymcctl: $(CTL)
	install -d $(DESTDIR)$(PREFIX)/sbin
	install -m 755 $(CTL) $(DESTDIR)$(PREFIX)/sbin/hymcctl
	install -d $(DESTDIR)$(PREFIX)/share/man/man8
	if command -v rst2man >/dev/null; then \
		rst2man Documentation/hymcctl.rst \
			$(DESTDIR)$(PREFIX)/share/man/man8/hymcctl.8; \
	else \
		echo "no rst2man (python3-docutils): hymcctl(8) is not installed"; \
	fi

-include $(CTL_OBJS:.o=.d)

# SPDX-License-Identifier: LGPL-2.1-or-later
#
# libhymc: build/libhymc.so.1, build/libhymc.so, build/libhymc.a
#
# For other fragments:
#	LIB_A		the static library, to depend on and to link
#	LIB_LIBS	what a program that links $(LIB_A) needs besides
# The tools of the tree link the static library, so that they run without being
# installed, in a guest as well.

HYMC_VERSION := 0.1.0
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include

LIB_PKGS := libnl-genl-3.0 libkmod blkid libmd
LIB_A := $(BUILD)/libhymc.a
LIB_SO := $(BUILD)/libhymc.so.1
LIB_SRCS := $(addprefix libhymc/,calls.c control.c ctx.c dax.c dev.c key.c \
	module.c netlink.c pool.c signature.c ssd.c stats.c text.c users.c)
LIB_OBJS := $(LIB_SRCS:%.c=$(BUILD)/obj/%.o)

# Expanded in recipes only: pkg-config may have to be installed first.
LIB_CFLAGS = $(shell pkg-config --cflags $(LIB_PKGS)) -D_GNU_SOURCE -fPIC \
	-fvisibility=hidden
LIB_LIBS = $(shell pkg-config --libs $(LIB_PKGS)) -pthread

lib: $(LIB_A) $(LIB_SO) $(BUILD)/libhymc.so

$(LIB_OBJS): $(BUILD)/obj/%.o: %.c | setup-build
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(HYMC_CFLAGS) $(LIB_CFLAGS) $(CPPFLAGS) -MMD -MP \
		-c -o $@ $<

$(LIB_A): $(LIB_OBJS)
	@rm -f $@
	$(AR) rcs $@ $^

# nodelete: threads that end call into the library, even after its last dlclose().
$(LIB_SO): $(LIB_OBJS) libhymc/libhymc.map
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -o $@ $(LIB_OBJS) \
		-Wl,-soname,libhymc.so.1 -Wl,-z,defs -Wl,-z,nodelete \
		-Wl,--version-script=libhymc/libhymc.map $(LIB_LIBS)

$(BUILD)/libhymc.so: $(LIB_SO)
	ln -sf $(<F) $@

install-lib: lib
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(INCLUDEDIR)/hymc \
		$(DESTDIR)$(INCLUDEDIR)/linux
	install -m 644 $(LIB_A) $(DESTDIR)$(LIBDIR)/libhymc.a
	install -m 755 $(LIB_SO) $(DESTDIR)$(LIBDIR)/libhymc.so.1.0.0
	ln -sf libhymc.so.1.0.0 $(DESTDIR)$(LIBDIR)/libhymc.so.1
	ln -sf libhymc.so.1 $(DESTDIR)$(LIBDIR)/libhymc.so
	install -m 644 libhymc/include/hymc/libhymc.h \
		$(DESTDIR)$(INCLUDEDIR)/hymc/libhymc.h
	install -m 644 uapi/linux/hymc.h uapi/linux/hymc_netlink.h \
		$(DESTDIR)$(INCLUDEDIR)/linux
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' \
		-e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' \
		-e 's|@VERSION@|$(HYMC_VERSION)|' libhymc/libhymc.pc.in \
		>$(DESTDIR)$(LIBDIR)/pkgconfig/libhymc.pc

-include $(LIB_OBJS:.o=.d)

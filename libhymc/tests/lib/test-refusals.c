// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * DOC: what cannot be done is refused with an errno and a sentence
 *
 * Everything that can be seen without a module, without a dax device and
 * without a block device; the machine of the VM tests has those.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/tap.h"
#include "private.h"

static struct hymc_ctx *ctx;

/* Was the last failure @want, with a sentence that has all of @words? */
static int said(int err, int want, const char *words)
{
	const char *text = hymc_last_error(ctx);
	char copy[256], *word, *rest = copy;
	int ok = err == want;

	snprintf(copy, sizeof(copy), "%s", words);
	while ((word = strtok_r(rest, "|", &rest)))
		ok &= !!strstr(text, word);
	if (!ok)
		fprintf(stderr, "# %d (want %d): \"%s\" (want %s)\n", err, want,
			text, words);
	return ok;
}

static struct hymc_pool_params params(void)
{
	return (struct hymc_pool_params) {
		.bytes = sizeof(struct hymc_pool_params),
		.dram = "dax0.0",
		.ssd = "/dev/null",
		.id = HYMC_POOL_ANY,
	};
}

static void test_params(void)
{
	struct hymc_pool_params p;
	uint32_t id = 77;

	p = params();
	p.bytes = 8;
	EXPECT(said(hymc_pool_create(ctx, &p, &id), -EINVAL, "bytes is 8"));
	p = params();
	p.dram = NULL;
	EXPECT(said(hymc_pool_create(ctx, &p, &id), -EINVAL, "dax device"));
	p = params();
	p.ssd = "";
	EXPECT(said(hymc_pool_create(ctx, &p, &id), -EINVAL, "block device"));
	p = params();
	p.frame_bytes = 3 << 20;
	EXPECT(said(hymc_pool_create(ctx, &p, &id), -EINVAL,
		    "3145728|power of two"));
	p.frame_bytes = 32 << 10;
	EXPECT(said(hymc_pool_create(ctx, &p, &id), -EINVAL, "64 KiB"));
	p.frame_bytes = 128 << 20;
	EXPECT(said(hymc_pool_create(ctx, &p, &id), -EINVAL, "64 MiB"));
	p = params();
	p.policy = 9;
	EXPECT(said(hymc_pool_create(ctx, &p, &id), -EINVAL, "policy number 9"));
	EXPECT_EQ(id, 77);
}

/* A later caller's structure: fine while what we do not know is zero. */
static void test_later_params(void)
{
	struct {
		struct hymc_pool_params p;
		uint64_t later;
	} big = { .p = params(), .later = 1 };
	uint32_t id;

	big.p.bytes = sizeof(big);
	EXPECT(said(hymc_pool_create(ctx, &big.p, &id), -E2BIG, "does not know"));
	big.later = 0;
	big.p.policy = 9;
	EXPECT(said(hymc_pool_create(ctx, &big.p, &id), -EINVAL, "policy"));
}

static void test_module_absent(void)
{
	struct hymc_pool_params p = params();
	struct hymc_pool_list *list = NULL;
	struct hymc_dev *dev = NULL;
	uint32_t id;

	if (hymc_module_loaded(ctx))
		return;
	EXPECT(said(hymc_pool_list_get(ctx, &list), -ENOPKG, "hymcctl load"));
	EXPECT(!list);
	EXPECT(said(hymc_module_unload(ctx), -ENOENT, "not loaded"));
	EXPECT(said(hymc_dev_open(ctx, "/dev/hymc9999", &dev), -ENOENT,
		    "/dev/hymc9999|hymcctl load"));
	EXPECT(!dev);
	if (!hymc_is_admin())
		return;
	EXPECT(said(hymc_pool_create(ctx, &p, &id), -ENOPKG, "hymcctl load"));
	EXPECT(said(hymc_pool_destroy(ctx, 0, false), -ENOPKG, "hymcctl load"));
}

/* In a child that gave root up. */
static void test_not_root(void)
{
	struct hymc_pool_params p = params();
	uint32_t id;
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		if (!geteuid() && setuid(65534))
			_exit(2);
		_exit(!said(hymc_pool_create(ctx, &p, &id), -EPERM,
			    "root|CAP_SYS_ADMIN") ||
		      !said(hymc_pool_destroy(ctx, 0, true), -EPERM,
			    "CAP_SYS_ADMIN"));
	}
	EXPECT(pid > 0 && waitpid(pid, &status, 0) == pid);
	EXPECT(WIFEXITED(status));
	EXPECT_EQ(WEXITSTATUS(status), 0);
}

static void test_dax_names(void)
{
	static const char * const names[] = {
		"dax99.7", "/dev/dax99.7", "", ".", "..", "../../block", "a/b",
		"x0123456789012345678901234567890123456789012345678901234567890123456789",
	};
	struct hymc_dax dax;
	size_t i;

	for (i = 0; i < HYMC_ARRAY_SIZE(names); i++)
		EXPECT(said(hymc_dax_find(ctx, names[i], &dax), -ENODEV,
			    "there is no dax device"));
	hymc_dax_find(ctx, "/dev/dax99.7", &dax);
	EXPECT(strstr(hymc_last_error(ctx), " dax99.7"));
}

static void test_dax_drivers(void)
{
	struct hymc_dax dax = {
		.name = "dax0.0", .start = 1ULL << 32, .bytes = 512 << 20,
	};

	EXPECT_EQ(hymc_dax_check(ctx, &dax, 0, false), 0);
	EXPECT_EQ(hymc_dax_check(ctx, &dax, 512 << 20, false), 0);
	EXPECT(said(hymc_dax_check(ctx, &dax, 1ULL << 30, false), -EFBIG,
		    "dax0.0 has 512 MiB|1 GiB"));
	strcpy(dax.driver, "kmem");
	EXPECT(said(hymc_dax_check(ctx, &dax, 0, true), -EBUSY,
		    "System RAM|daxctl reconfigure-device|dax0.0"));
	strcpy(dax.driver, "device_dax");
	EXPECT(said(hymc_dax_check(ctx, &dax, 0, false), -EBUSY, "device_dax"));
	EXPECT_EQ(hymc_dax_check(ctx, &dax, 0, true), 0);
	strcpy(dax.driver, "fsdev_dax");
	EXPECT(said(hymc_dax_check(ctx, &dax, 0, true), -EBUSY,
		    "fsdev_dax|unbind"));
}

static void test_not_a_block_device(void)
{
	char dir[] = "/tmp/hymc-test-XXXXXX", path[64];
	int fd;

	EXPECT(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/file", dir);
	fd = open(path, O_CREAT | O_RDWR, 0600);
	EXPECT(fd >= 0);
	close(fd);
	EXPECT(said(hymc_ssd_check(ctx, "/dev/no-such-disk", 0, false), -ENODEV,
		    "/dev/no-such-disk"));
	EXPECT(said(hymc_ssd_check(ctx, "/dev/null/x", 0, false), -ENODEV,
		    "/dev/null/x"));
	EXPECT(said(hymc_ssd_check(ctx, path, 0, true), -ENOTBLK,
		    "regular file|losetup"));
	EXPECT(said(hymc_ssd_check(ctx, dir, 0, true), -ENOTBLK, "directory"));
	EXPECT(said(hymc_ssd_check(ctx, "/dev/null", 0, true), -ENOTBLK,
		    "/dev/null|character device"));
	unlink(path);
	rmdir(dir);
}

static void test_not_a_pool(void)
{
	char dir[] = "/tmp/hymc-test-XXXXXX", path[64];
	struct hymc_dev *dev = NULL;
	char name[300];

	EXPECT(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/fifo", dir);
	EXPECT_EQ(mkfifo(path, 0600), 0);
	/* Would wait for a writer if it were opened. */
	alarm(10);
	EXPECT(said(hymc_dev_open(ctx, path, &dev), -ENODEV, "fifo"));
	alarm(0);
	EXPECT(said(hymc_dev_open(ctx, "/dev/null", &dev), -ENODEV,
		    "/dev/null|null, not a pool"));
	EXPECT(said(hymc_dev_open(ctx, dir, &dev), -ENODEV, dir));
	EXPECT(said(hymc_dev_open(ctx, "", &dev), -EINVAL, "no device node"));
	EXPECT(said(hymc_dev_open(ctx, NULL, &dev), -EINVAL, "no device node"));
	memset(name, '1', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	EXPECT(said(hymc_dev_open(ctx, name, &dev), -EINVAL, "no node"));
	EXPECT(!dev);
	hymc_dev_close(NULL);
	unlink(path);
	rmdir(dir);
}

static void test_module_files(void)
{
	int want = hymc_module_loaded(ctx) ? 0 : -ENOENT;

	if (!want)
		return;
	EXPECT(said(hymc_module_load_file(ctx, "/no/such/hymc.ko"), -ENOENT,
		    "/no/such/hymc.ko"));
	EXPECT(hymc_module_load_file(ctx, "/bin/sh") < 0);
	EXPECT(strstr(hymc_last_error(ctx), "/bin/sh"));
	EXPECT(hymc_module_load_file(ctx, "/dev/null") < 0);
	EXPECT(!hymc_module_loaded(ctx));
}

static void test_text(void)
{
	struct hymc_text t = { 0 };
	char uuid[HYMC_UUID_TEXT_BYTES];
	uint8_t raw[16];
	int i;

	hymc_text_add_bytes(&t, 512);
	hymc_text_add(&t, ",");
	hymc_text_add_bytes(&t, 1536);
	hymc_text_add(&t, ",");
	hymc_text_add_bytes(&t, 3ULL << 40);
	hymc_text_add(&t, ",");
	hymc_text_add_bytes(&t, (1ULL << 30) + 1);
	EXPECT(!strcmp(t.s, "512 bytes,1.5 KiB,3 TiB,1.0 GiB"));
	for (i = 0; i < 10000; i++)
		hymc_text_add(&t, "%d", i);
	EXPECT_EQ(strlen(t.s), HYMC_TEXT_BYTES - 1);
	EXPECT_EQ(t.len, HYMC_TEXT_BYTES - 1);
	for (i = 0; i < 16; i++)
		raw[i] = (uint8_t)(i * 17);
	hymc_uuid_text(raw, uuid);
	EXPECT(!strcmp(uuid, "00112233-4455-6677-8899-aabbccddeeff"));
}

static const struct tap_test tests[] = {
	{ "parameters that make no sense", test_params },
	{ "parameters of a later library", test_later_params },
	{ "the module is not loaded", test_module_absent },
	{ "not root", test_not_root },
	{ "no such dax device", test_dax_names },
	{ "a dax device that another driver has, or that is too small",
	  test_dax_drivers },
	{ "an SSD that is no block device", test_not_a_block_device },
	{ "a node that is no pool", test_not_a_pool },
	{ "a file that is no module", test_module_files },
	{ "pieces of sentences", test_text },
};

int main(void)
{
	int ret;

	if (hymc_ctx_new(&ctx))
		return 1;
	ret = tap_run(tests, HYMC_ARRAY_SIZE(tests));
	hymc_ctx_unref(ctx);
	return ret;
}

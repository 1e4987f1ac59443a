// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the control plane, spoken by hand
 *
 * libhymc and hymcctl check a lot before they ask the module. Here the module is
 * asked directly, with messages that no library of ours would send: each refusal
 * has its errno and a sentence, and changes nothing. The fixture "refuse" wants a
 * module without pools, the fixture "pool" wants /dev/hymc0.
 */
#include <grp.h>
#include <linux/netlink.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#include "hymc_harness.h"

#include <linux/hymc_netlink.h>

#define NOBODY	65534

/**
 * struct asked - a question and what came back
 * @sk: socket
 * @family: number of the family
 * @error: 0 or a negative errno
 * @sentence: the kernel's words, "" when there are none
 * @pools: messages with a pool
 * @id: pool number in the last of them
 * @stats: its counters
 * @pids: its pids
 * @nr_pids: their number, or -1 without that attribute
 */
struct asked {
	struct nl_sock *sk;
	int family;
	int error;
	char sentence[256];
	unsigned int pools;
	__u32 id;
	struct hymc_stats stats;
	__u32 pids[64];
	int nr_pids;
};

/* --- talking -------------------------------------------------------------------- */

/* The sentence of an error message: an attribute behind the returned header. */
static void take_sentence(struct asked *q, const struct nlmsgerr *e)
{
	const struct nlmsghdr *n = (const void *)((const char *)e -
						  NLMSG_HDRLEN);
	struct nlattr *attrs, *msg;
	int skip = sizeof(*e);

	if (!(n->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	if (!(n->nlmsg_flags & NLM_F_CAPPED))
		skip += NLMSG_ALIGN(e->msg.nlmsg_len) - NLMSG_HDRLEN;
	attrs = (struct nlattr *)((char *)e + NLMSG_ALIGN(skip));
	msg = nla_find(attrs, n->nlmsg_len - NLMSG_HDRLEN - NLMSG_ALIGN(skip),
		       NLMSGERR_ATTR_MSG);
	if (msg)
		nla_strlcpy(q->sentence, msg, sizeof(q->sentence));
}

static int on_error(struct sockaddr_nl *nla, struct nlmsgerr *e, void *arg)
{
	struct asked *q = arg;

	(void)nla;
	q->error = e->error;
	take_sentence(q, e);
	return NL_STOP;
}

static int on_ack(struct nl_msg *msg, void *arg)
{
	(void)msg;
	((struct asked *)arg)->error = 0;
	return NL_STOP;
}

static int on_pool(struct nl_msg *msg, void *arg)
{
	struct nlattr *a[HYMC_A_POOL_MAX + 1];
	struct asked *q = arg;

	if (genlmsg_parse(nlmsg_hdr(msg), 0, a, HYMC_A_POOL_MAX, NULL))
		return NL_SKIP;
	q->pools++;
	if (a[HYMC_A_POOL_ID])
		q->id = nla_get_u32(a[HYMC_A_POOL_ID]);
	if (a[HYMC_A_POOL_STATS])
		nla_memcpy(&q->stats, a[HYMC_A_POOL_STATS], sizeof(q->stats));
	q->nr_pids = -1;
	if (a[HYMC_A_POOL_PIDS])
		q->nr_pids = nla_memcpy(q->pids, a[HYMC_A_POOL_PIDS],
					sizeof(q->pids)) / sizeof(q->pids[0]);
	return NL_OK;
}

static int nl_begin(struct asked *q)
{
	int one = 1;

	q->sk = nl_socket_alloc();
	if (!q->sk || genl_connect(q->sk))
		return -ENOMEM;
	q->family = genl_ctrl_resolve(q->sk, HYMC_GENL_NAME);
	if (q->family < 0)
		return -ENOENT;
	setsockopt(nl_socket_get_fd(q->sk), SOL_NETLINK, NETLINK_EXT_ACK, &one,
		   sizeof(one));
	nl_socket_disable_auto_ack(q->sk);
	return 0;
}

static struct nl_msg *message(struct asked *q, int cmd, int flags)
{
	struct nl_msg *msg = nlmsg_alloc();

	genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, q->family, 0, flags, cmd,
		    HYMC_GENL_VERSION);
	return msg;
}

/* Send @msg, wait for the end of the answer: 0 or the kernel's error. */
static int ask(struct asked *q, struct nl_msg *msg)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);

	q->error = 1;
	q->sentence[0] = '\0';
	q->pools = 0;
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, q);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_ack, q);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_ack, q);
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_pool, q);
	if (nl_send_auto(q->sk, msg) < 0)
		q->error = -EPIPE;
	while (q->error > 0)
		if (nl_recvmsgs(q->sk, cb) < 0)
			break;
	nlmsg_free(msg);
	nl_cb_put(cb);
	return q->error;
}

static int ask_id(struct asked *q, int cmd, __u32 id)
{
	struct nl_msg *msg = message(q, cmd, NLM_F_ACK);

	nla_put_u32(msg, HYMC_A_POOL_ID, id);
	return ask(q, msg);
}

/* --- a request to make a pool ----------------------------------------------------- */

/**
 * struct wish - a pool to be made; zero (or NULL) leaves the attribute out
 * @dram: name of the dax device
 * @start: start of its range
 * @bytes: size of its range
 * @ssd: path
 * @frame: frame size
 * @ssd_bytes: bytes of the drive
 * @segment: segment size
 * @window: window
 * @blocks: most blocks
 * @dirty: write buffer
 * @id: wanted number plus one
 */
struct wish {
	const char *dram;
	__u64 start;
	__u64 bytes;
	const char *ssd;
	__u32 frame;
	__u64 ssd_bytes;
	__u64 segment;
	__u64 window;
	__u64 blocks;
	__u64 dirty;
	__u32 id;
};

static __u64 dax_number(const char *file)
{
	const char *dax = getenv("HYMC_DAX");
	unsigned long long value = 0;
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/bus/dax/devices/%s/%s",
		 dax ? dax : "dax0.0", file);
	f = fopen(path, "r");
	if (!f)
		return 0;
	if (fscanf(f, "%lli", (long long *)&value) != 1)
		value = 0;
	fclose(f);
	return value;
}

/* A wish that would be granted. */
static struct wish good_wish(void)
{
	const char *dax = getenv("HYMC_DAX");

	return (struct wish) {
		.dram = dax ? dax : "dax0.0",
		.start = dax_number("resource"),
		.bytes = 8 << 20,
		.ssd = ht_ssd(),
		.frame = 64 << 10,
		.ssd_bytes = 64 << 20,
		.segment = 4 << 20,
	};
}

static void put_u64(struct nl_msg *msg, int attr, __u64 value)
{
	if (value)
		nla_put_u64(msg, attr, value);
}

static struct nl_msg *wish_message(struct asked *q, const struct wish *w)
{
	struct nl_msg *msg = message(q, HYMC_CMD_POOL_CREATE, NLM_F_ACK);

	if (w->dram)
		nla_put_string(msg, HYMC_A_POOL_DRAM, w->dram);
	put_u64(msg, HYMC_A_POOL_DRAM_START, w->start);
	put_u64(msg, HYMC_A_POOL_DRAM_BYTES, w->bytes);
	if (w->ssd)
		nla_put_string(msg, HYMC_A_POOL_SSD, w->ssd);
	if (w->frame)
		nla_put_u32(msg, HYMC_A_POOL_FRAME_BYTES, w->frame);
	put_u64(msg, HYMC_A_POOL_SSD_BYTES, w->ssd_bytes);
	put_u64(msg, HYMC_A_POOL_SEGMENT_BYTES, w->segment);
	put_u64(msg, HYMC_A_POOL_WINDOW_BYTES, w->window);
	put_u64(msg, HYMC_A_POOL_BLOCKS_MAX, w->blocks);
	put_u64(msg, HYMC_A_POOL_DIRTY_MAX_BYTES, w->dirty);
	if (w->id)
		nla_put_u32(msg, HYMC_A_POOL_ID, w->id - 1);
	nla_put_flag(msg, HYMC_A_POOL_FORCE);
	return msg;
}

static int wish(struct asked *q, const struct wish *w)
{
	return ask(q, wish_message(q, w));
}

/* --- refusals ------------------------------------------------------------------------ */

FIXTURE(refuse) {
	struct asked q;
};

FIXTURE_SETUP(refuse)
{
	int ret = nl_begin(&self->q);

	if (ret == -ENOENT && !ht_required())
		SKIP(return, "the hymc module is not loaded");
	ASSERT_EQ(0, ret);
	if (!ht_ssd() || !dax_number("resource"))
		SKIP(return, "HYMC_SSD and HYMC_DAX name no devices");
}

/* Whatever was refused, no pool came of it, and one still can be made. */
FIXTURE_TEARDOWN(refuse)
{
	struct wish w = good_wish();

	EXPECT_EQ(0, ask(&self->q, message(&self->q, HYMC_CMD_POOL_GET,
					   NLM_F_DUMP)));
	EXPECT_EQ(0, self->q.pools);
	EXPECT_EQ(0, wish(&self->q, &w)) TH_LOG("%s", self->q.sentence);
	EXPECT_EQ(0, ask_id(&self->q, HYMC_CMD_POOL_DESTROY, 0));
	nl_socket_free(self->q.sk);
}

#define Q (&self->q)

/* The wish must be refused with @err, in a sentence with @words. */
#define REFUSED(err, w, words)						       \
do {									       \
	EXPECT_EQ(err, wish(Q, w));					       \
	EXPECT_NE(NULL, strstr(self->q.sentence, words))		       \
		TH_LOG("said: '%s'", self->q.sentence);			       \
} while (0)

TEST_F(refuse, nothing)
{
	/* The teardown is the test: a good wish is granted. */
}

TEST_F(refuse, no_such_pool)
{
	EXPECT_EQ(-ENOENT, ask_id(Q, HYMC_CMD_POOL_DESTROY, 63));
	EXPECT_NE(NULL, strstr(self->q.sentence, "no pool 63"));
	EXPECT_EQ(-ENOENT, ask_id(Q, HYMC_CMD_POOL_GET, 0));
	EXPECT_NE(NULL, strstr(self->q.sentence, "no pool 0"));
}

TEST_F(refuse, which_pool)
{
	EXPECT_EQ(-EINVAL, ask(Q, message(Q, HYMC_CMD_POOL_DESTROY,
					  NLM_F_ACK)));
	EXPECT_NE(NULL, strstr(self->q.sentence, "number of the pool"));
	EXPECT_EQ(-EINVAL, ask(Q, message(Q, HYMC_CMD_POOL_GET, NLM_F_ACK)));
	EXPECT_NE(NULL, strstr(self->q.sentence, "number of the pool"));
}

TEST_F(refuse, something_missing)
{
	struct wish w = good_wish();

	w.dram = NULL;
	REFUSED(-EINVAL, &w, "missing");
	w = good_wish();
	w.start = 0;
	REFUSED(-EINVAL, &w, "missing");
	w = good_wish();
	w.bytes = 0;
	REFUSED(-EINVAL, &w, "missing");
	w = good_wish();
	w.ssd = NULL;
	REFUSED(-EINVAL, &w, "missing");
}

TEST_F(refuse, frame_sizes)
{
	static const __u32 bad[] = {
		1, 4096, 32 << 10, 65537, 3 << 20, 128 << 20, 1U << 31, ~0U,
	};
	struct wish w = good_wish();
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		w.frame = bad[i];
		REFUSED(-EINVAL, &w, "power of two");
	}
}

/* Numbers that overflow, or make no sense together; never a crash or a WARN. */
TEST_F(refuse, geometry)
{
	const struct wish good = good_wish();
	const struct {
		size_t field;
		__u64 value;
	} bad[] = {
		{ offsetof(struct wish, bytes), 4096 },
		{ offsetof(struct wish, bytes), 1 },
		{ offsetof(struct wish, bytes), (8 << 20) + 4096 },
		{ offsetof(struct wish, bytes), ~0ULL },
		{ offsetof(struct wish, bytes), 1ULL << 63 },
		{ offsetof(struct wish, bytes), dax_number("size") + (2 << 20) },
		{ offsetof(struct wish, start), good.start + 4096 },
		{ offsetof(struct wish, start), good.start - (2 << 20) },
		{ offsetof(struct wish, start), 1 << 20 },
		{ offsetof(struct wish, start), ~0ULL },
		{ offsetof(struct wish, start), ~0ULL - (2 << 20) + 1 },
		{ offsetof(struct wish, ssd_bytes), 1 },
		{ offsetof(struct wish, ssd_bytes), 1 << 20 },
		{ offsetof(struct wish, ssd_bytes), 1ULL << 60 },
		{ offsetof(struct wish, ssd_bytes), ~0ULL },
		{ offsetof(struct wish, segment), 1 },
		{ offsetof(struct wish, segment), (4 << 20) + 512 },
		{ offsetof(struct wish, segment), 1ULL << 40 },
		{ offsetof(struct wish, segment), ~0ULL },
		{ offsetof(struct wish, segment), 1ULL << 63 },
		{ offsetof(struct wish, blocks), ~0ULL },
		{ offsetof(struct wish, blocks), 1ULL << 50 },
		{ offsetof(struct wish, dirty), 1 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct wish w = good;

		memcpy((char *)&w + bad[i].field, &bad[i].value,
		       sizeof(bad[i].value));
		EXPECT_GT(0, wish(Q, &w))
			TH_LOG("case %u was granted", i);
		EXPECT_NE('\0', self->q.sentence[0])
			TH_LOG("case %u: %s without a word", i,
			       strerror(-self->q.error));
		if (!self->q.error)
			ask_id(Q, HYMC_CMD_POOL_DESTROY, 0);
	}
}

TEST_F(refuse, drives)
{
	static const struct {
		const char *path;
		int error;
	} bad[] = {
		{ "/dev/no-such-drive", -ENOENT },
		{ "/etc/passwd", -ENOTBLK },
		{ "/etc", -ENOTBLK },
		{ "/dev/null", -ENOTBLK },
		{ "no/absolute/path", -ENOENT },
		{ "/dev/null/x", -ENOTDIR },
	};
	struct wish w = good_wish();
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		w.ssd = bad[i].path;
		REFUSED(bad[i].error, &w, bad[i].path);
	}
	w.ssd = "";
	EXPECT_GT(0, wish(Q, &w));
}

TEST_F(refuse, dax_devices)
{
	static const char *const bad[] = {
		"dax9.9", "", "../dax0.0", "dax0.0/", "mem0", "region0",
	};
	struct wish w = good_wish();
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		w.dram = bad[i];
		EXPECT_EQ(-ENODEV, wish(Q, &w)) TH_LOG("'%s'", bad[i]);
		EXPECT_NE('\0', self->q.sentence[0]);
	}
}

TEST_F(refuse, numbers_out_of_range)
{
	struct wish w = good_wish();
	struct nl_msg *msg;

	w.id = 1000;
	EXPECT_EQ(-ERANGE, wish(Q, &w));
	EXPECT_NE('\0', self->q.sentence[0]);
	w = good_wish();
	msg = wish_message(Q, &w);
	nla_put_u32(msg, HYMC_A_POOL_POLICY, 2);
	EXPECT_EQ(-ERANGE, ask(Q, msg));
	EXPECT_NE('\0', self->q.sentence[0]);
}

TEST_F(refuse, malformed_messages)
{
	char text[300];
	struct nl_msg *msg;
	struct wish w = good_wish();

	memset(text, 'x', sizeof(text));
	/* Strings that are too long, or not terminated. */
	w.ssd = NULL;
	msg = wish_message(Q, &w);
	nla_put(msg, HYMC_A_POOL_SSD, 300, text);
	EXPECT_GT(0, ask(Q, msg));
	msg = wish_message(Q, &w);
	nla_put(msg, HYMC_A_POOL_SSD, 10, text);
	EXPECT_EQ(-EINVAL, ask(Q, msg));
	/* Numbers of the wrong size. */
	w = good_wish();
	w.bytes = 0;
	msg = wish_message(Q, &w);
	nla_put_u32(msg, HYMC_A_POOL_DRAM_BYTES, 8 << 20);
	EXPECT_GT(0, ask(Q, msg));
	/* Attributes that nobody knows, or that only answers have. */
	w = good_wish();
	msg = wish_message(Q, &w);
	nla_put_u32(msg, 200, 1);
	EXPECT_EQ(-EINVAL, ask(Q, msg));
	msg = wish_message(Q, &w);
	nla_put_u32(msg, HYMC_A_POOL_STATE, 0);
	EXPECT_GT(0, ask(Q, msg));
	EXPECT_EQ(-EOPNOTSUPP, ask(Q, message(Q, HYMC_CMD_MAX + 1, NLM_F_ACK)));
	EXPECT_EQ(-EOPNOTSUPP, ask(Q, message(Q, HYMC_CMD_POOL_CREATE,
					      NLM_F_DUMP)));
}

/* What @cmd about pool 0 (or the good wish) gives to user nobody. */
static int as_nobody(int cmd)
{
	struct wish w = good_wish();
	struct asked q = { 0 };
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY) ||
		    nl_begin(&q))
			_exit(200);
		if (cmd == HYMC_CMD_POOL_CREATE)
			wish(&q, &w);
		else
			ask_id(&q, cmd, 0);
		_exit(q.nr_pids > 0 ? 201 : -q.error);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return 1;
	return -WEXITSTATUS(status);
}

TEST_F(refuse, users)
{
	if (geteuid())
		SKIP(return, "changing the user needs root");
	EXPECT_EQ(-EPERM, as_nobody(HYMC_CMD_POOL_CREATE));
	EXPECT_EQ(-EPERM, as_nobody(HYMC_CMD_POOL_DESTROY));
}

/* --- with a pool ---------------------------------------------------------------------- */

FIXTURE(pool) {
	struct asked q;
	struct ht h;
};

FIXTURE_SETUP(pool)
{
	HT_BEGIN(&self->h, "netlink");
	ASSERT_EQ(0, nl_begin(&self->q));
}

FIXTURE_TEARDOWN(pool)
{
	nl_socket_free(self->q.sk);
	ht_end(&self->h);
}

#define COUNTER_NAME(name, kind, unit, help)	#name,

/* Name of the first counter that differs, or NULL. */
static const char *difference(const struct hymc_stats *a,
			      const struct hymc_stats *b)
{
	static const char *const names[] = { HYMC_STATS_U64(COUNTER_NAME) };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (memcmp(&a->blocks + i, &b->blocks + i, sizeof(__u64)))
			return names[i];
	return memcmp(a, b, sizeof(*a)) ? "something else" : NULL;
}

TEST_F(pool, counters_agree)
{
	struct hymc_stats st;
	const char *name;

	ASSERT_EQ(0, ht_put(&self->h, ht_new_id(), 1000));
	ASSERT_EQ(0, ht_sync(&self->h));
	ASSERT_EQ(0, ht_stats_fd(self->h.fd, &st));
	ASSERT_EQ(0, ask_id(Q, HYMC_CMD_POOL_GET, self->h.info.pool));
	name = difference(&st, &self->q.stats);
	EXPECT_EQ(NULL, name) TH_LOG("%s differs", name);
}

TEST_F(pool, who_has_it_open)
{
	int second = open(ht_node(), O_RDWR);
	unsigned int i, mine = 0;

	ASSERT_LE(0, second);
	ASSERT_EQ(0, ask_id(Q, HYMC_CMD_POOL_GET, self->h.info.pool));
	ASSERT_LE(1, self->q.nr_pids);
	for (i = 0; i < self->q.nr_pids; i++)
		mine += self->q.pids[i] == getpid();
	EXPECT_EQ(2, mine);
	close(second);
	EXPECT_EQ(-EBUSY, ask_id(Q, HYMC_CMD_POOL_DESTROY,
				 self->h.info.pool));
	EXPECT_NE(NULL, strstr(self->q.sentence, "open"));
	EXPECT_EQ(0, ht_info_fd(self->h.fd, &self->h.info));
}

TEST_F(pool, dump)
{
	ASSERT_EQ(0, ask(Q, message(Q, HYMC_CMD_POOL_GET, NLM_F_DUMP)));
	EXPECT_EQ(1, self->q.pools);
	EXPECT_EQ(self->h.info.pool, self->q.id);
}

TEST_F(pool, second_on_the_same_devices)
{
	struct wish w = good_wish();

	if (!ht_ssd() || !w.start)
		SKIP(return, "HYMC_SSD and HYMC_DAX name no devices");
	REFUSED(-EBUSY, &w, strrchr(ht_ssd(), '/') + 1);
	w.id = self->h.info.pool + 1;
	REFUSED(-EEXIST, &w, "exists");
	w = good_wish();
	if (ht_scratch()) {
		w.ssd = ht_scratch();
		w.ssd_bytes = 0;
		REFUSED(-EBUSY, &w, w.dram);
	}
	EXPECT_EQ(0, ht_info_fd(self->h.fd, &self->h.info));
}

/* Anyone may look, but not see who has it open. */
TEST_F(pool, users)
{
	if (geteuid())
		SKIP(return, "changing the user needs root");
	EXPECT_EQ(0, as_nobody(HYMC_CMD_POOL_GET));
	EXPECT_EQ(-EPERM, as_nobody(HYMC_CMD_POOL_DESTROY));
}

HT_MAIN_WITHOUT_POOL;

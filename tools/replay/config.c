// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: everything a replay can be told
 *
 * Owns the command line: names, defaults, what excludes what. Touches no
 * device and no file.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <hymc/libhymc.h>

#include "config.h"
#include "model.h"

static const struct hr_mode modes[] = {
	{ "lru", HYMC_POLICY_LRU, false },
	{ "demand", HYMC_POLICY_STAGE, false },
	{ "hymc", HYMC_POLICY_STAGE, true },
};

const struct hr_mode *hr_mode_find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(modes[i].name, name))
			return &modes[i];
	return NULL;
}

static const char usage[] =
"usage: hymc-replay [options] TRACE\n"
"\n"
"Replay a request trace (Mooncake JSON lines; plain, gzip or xz) through a model\n"
"of a serving engine around a HyMCache device, and check every byte read.\n"
"\n"
"Device\n"
"  --dram NAME            dax device of fresh pools, for example dax0.0\n"
"  --ssd PATH             their drive; its content is lost\n"
"  --force                format the drive whatever is on it\n"
"  --take-dax             unbind a stock driver from the dax device first\n"
"  --dram-bytes SIZE      use only so much of the DRAM\n"
"  --frame SIZE           frame size (default: not above a block)\n"
"  --window SIZE          bytes staged ahead per request (default: DRAM / 8)\n"
"  --dirty-max SIZE       write buffer limit (default: the pool's)\n"
"  --dev NODE             use an existing pool that is otherwise idle\n"
"  --modes LIST           of lru,demand,hymc (default: all; one with --dev)\n"
"\n"
"Engine\n"
"  --model NAME           KV geometry (default qwen2.5-32b); 'list' shows all\n"
"  --token-bytes SIZE     KV bytes per token instead of a model\n"
"  --scale A/B            multiply block sizes by A/B (default 1/1024)\n"
"  --speed X              trace seconds per second (default 1)\n"
"  --slots N              requests served at the same time (default 4)\n"
"  --prefill-rate R       tokens/s of one slot, in trace time (default 7700)\n"
"  --link-rate R          bytes/s from the device to the engine, unscaled, all slots\n"
"                         together (default: as fast as memory is)\n"
"  --hbm-blocks N         the engine's own prefix cache, LRU (default 256)\n"
"  --requests N           only the first N requests\n"
"  --load-timeout MS      longest wait for one block (default 10000)\n"
"  --put-timeout MS       longest wait of one put in mode lru (default 10000)\n"
"  --put-batch N          blocks per put (default 16)\n"
"\n"
"Output\n"
"  --report FILE          write a JSON report\n"
"  --note KEY=VALUE       put a fact that the replay cannot know into the report\n"
"  --at-end CMD           run CMD before a pool is destroyed, with HYMC_MODE and\n"
"                         HYMC_POOL set\n"
"  --sample MS            period of the time series (default 200)\n"
"  --progress             show progress although stderr is no terminal\n"
"  --generation N         fix what makes this run's keys its own\n"
"  --help                 this text\n"
"\n"
"exit status: 0 all bytes right; 1 wrong bytes, or the device's counters disagree\n"
"with the replay's; 2 bad usage or bad trace, nothing was run; 3 the run failed\n";

enum {
	OPT_DRAM = 256, OPT_SSD, OPT_FORCE, OPT_TAKE_DAX, OPT_DRAM_BYTES,
	OPT_FRAME, OPT_WINDOW, OPT_DIRTY_MAX, OPT_DEV, OPT_MODES, OPT_MODEL,
	OPT_TOKEN_BYTES, OPT_SCALE, OPT_SPEED, OPT_SLOTS, OPT_PREFILL_RATE,
	OPT_LINK_RATE, OPT_HBM_BLOCKS, OPT_REQUESTS, OPT_LOAD_TIMEOUT,
	OPT_PUT_TIMEOUT, OPT_PUT_BATCH, OPT_REPORT, OPT_NOTE, OPT_AT_END,
	OPT_SAMPLE, OPT_PROGRESS,
	OPT_GENERATION, OPT_HELP,
};

static const struct option options[] = {
	{ "dram", required_argument, NULL, OPT_DRAM },
	{ "ssd", required_argument, NULL, OPT_SSD },
	{ "force", no_argument, NULL, OPT_FORCE },
	{ "take-dax", no_argument, NULL, OPT_TAKE_DAX },
	{ "dram-bytes", required_argument, NULL, OPT_DRAM_BYTES },
	{ "frame", required_argument, NULL, OPT_FRAME },
	{ "window", required_argument, NULL, OPT_WINDOW },
	{ "dirty-max", required_argument, NULL, OPT_DIRTY_MAX },
	{ "dev", required_argument, NULL, OPT_DEV },
	{ "modes", required_argument, NULL, OPT_MODES },
	{ "model", required_argument, NULL, OPT_MODEL },
	{ "token-bytes", required_argument, NULL, OPT_TOKEN_BYTES },
	{ "scale", required_argument, NULL, OPT_SCALE },
	{ "speed", required_argument, NULL, OPT_SPEED },
	{ "slots", required_argument, NULL, OPT_SLOTS },
	{ "prefill-rate", required_argument, NULL, OPT_PREFILL_RATE },
	{ "link-rate", required_argument, NULL, OPT_LINK_RATE },
	{ "hbm-blocks", required_argument, NULL, OPT_HBM_BLOCKS },
	{ "requests", required_argument, NULL, OPT_REQUESTS },
	{ "load-timeout", required_argument, NULL, OPT_LOAD_TIMEOUT },
	{ "put-timeout", required_argument, NULL, OPT_PUT_TIMEOUT },
	{ "put-batch", required_argument, NULL, OPT_PUT_BATCH },
	{ "report", required_argument, NULL, OPT_REPORT },
	{ "note", required_argument, NULL, OPT_NOTE },
	{ "at-end", required_argument, NULL, OPT_AT_END },
	{ "sample", required_argument, NULL, OPT_SAMPLE },
	{ "progress", no_argument, NULL, OPT_PROGRESS },
	{ "generation", required_argument, NULL, OPT_GENERATION },
	{ "help", no_argument, NULL, OPT_HELP },
	{ NULL, 0, NULL, 0 },
};

/* Name of an option, for messages. */
static const char *option_name(int opt)
{
	const struct option *o;

	for (o = options; o->name; o++)
		if (o->val == opt)
			return o->name;
	return "?";
}

static int bad_value(int opt, const char *arg, const char *want,
		     struct hr_err *err)
{
	return hr_err_set(err, -EINVAL, "--%s: '%s' is not %s",
			  option_name(opt), arg, want);
}

/* A whole number into a 32-bit field. */
static int set_u32(int opt, const char *arg, uint32_t min, uint32_t max,
		   uint32_t *field, struct hr_err *err)
{
	uint64_t v;
	char want[64];

	if (hr_parse_u64(arg, min, max, &v)) {
		snprintf(want, sizeof(want), "a whole number of %u..%u", min,
			 max);
		return bad_value(opt, arg, want, err);
	}
	*field = v;
	return 0;
}

static int set_size(int opt, const char *arg, uint64_t *field,
		    struct hr_err *err)
{
	uint64_t v;

	if (hr_parse_size(arg, &v) || !v)
		return bad_value(opt, arg, "a size such as 240M or 64K", err);
	*field = v;
	return 0;
}

static int set_positive(int opt, const char *arg, double *field,
			struct hr_err *err)
{
	if (hr_parse_positive(arg, field))
		return bad_value(opt, arg, "a positive number", err);
	return 0;
}

static int set_scale(const char *arg, struct hr_config *cfg,
		     struct hr_err *err)
{
	if (hr_parse_ratio(arg, &cfg->scale))
		return bad_value(OPT_SCALE, arg, "a fraction such as 1/1024",
				 err);
	return 0;
}

static int list_models(void)
{
	const struct hr_model *model;
	size_t i;

	for (i = 0; (model = hr_model_at(i)); i++)
		printf("%-16s %8" PRIu64 " bytes/token\n", model->name,
		       hr_model_token_bytes(model));
	return 1;
}

static int set_model(const char *arg, struct hr_config *cfg,
		     struct hr_err *err)
{
	const struct hr_model *model = hr_model_find(arg);

	if (!strcmp(arg, "list"))
		return list_models();
	if (!model)
		return bad_value(OPT_MODEL, arg,
				 "a known model ('list' shows them)", err);
	cfg->model = model->name;
	cfg->token_bytes = hr_model_token_bytes(model);
	return 0;
}

static int set_token_bytes(const char *arg, struct hr_config *cfg,
			   struct hr_err *err)
{
	cfg->model = "custom";
	return set_size(OPT_TOKEN_BYTES, arg, &cfg->token_bytes, err);
}

static int add_mode(const char *name, struct hr_config *cfg,
		    struct hr_err *err)
{
	const struct hr_mode *mode = hr_mode_find(name);
	unsigned int i;

	if (!mode)
		return bad_value(OPT_MODES, name, "one of lru, demand, hymc",
				 err);
	for (i = 0; i < cfg->mode_nr; i++)
		if (cfg->modes[i] == mode)
			return hr_err_set(err, -EINVAL,
					  "--modes: '%s' is there twice", name);
	cfg->modes[cfg->mode_nr++] = mode;
	return 0;
}

/* A comma-separated list. */
static int set_modes(const char *arg, struct hr_config *cfg,
		     struct hr_err *err)
{
	char name[16];
	size_t len;
	int ret;

	cfg->mode_nr = 0;
	for (;;) {
		len = strcspn(arg, ",");
		snprintf(name, sizeof(name), "%.*s", (int)len, arg);
		ret = add_mode(name, cfg, err);
		if (ret || !arg[len])
			return ret;
		arg += len + 1;
	}
}

static int set_device(int opt, const char *arg, struct hr_config *cfg,
		      struct hr_err *err)
{
	switch (opt) {
	case OPT_DRAM:
		cfg->dram = arg;
		return 0;
	case OPT_SSD:
		cfg->ssd = arg;
		return 0;
	case OPT_DEV:
		cfg->dev = arg;
		return 0;
	case OPT_FORCE:
		cfg->force = true;
		return 0;
	case OPT_TAKE_DAX:
		cfg->take_dax = true;
		return 0;
	case OPT_DRAM_BYTES:
		return set_size(opt, arg, &cfg->dram_bytes, err);
	case OPT_FRAME:
		return set_size(opt, arg, &cfg->frame_bytes, err);
	case OPT_WINDOW:
		return set_size(opt, arg, &cfg->window_bytes, err);
	case OPT_DIRTY_MAX:
		return set_size(opt, arg, &cfg->dirty_max_bytes, err);
	default:
		return set_modes(arg, cfg, err);
	}
}

static int set_engine(int opt, const char *arg, struct hr_config *cfg,
		      struct hr_err *err)
{
	switch (opt) {
	case OPT_MODEL:
		return set_model(arg, cfg, err);
	case OPT_TOKEN_BYTES:
		return set_token_bytes(arg, cfg, err);
	case OPT_SCALE:
		return set_scale(arg, cfg, err);
	case OPT_SPEED:
		return set_positive(opt, arg, &cfg->speed, err);
	case OPT_SLOTS:
		return set_u32(opt, arg, 1, 256, &cfg->slots, err);
	case OPT_PREFILL_RATE:
		return set_positive(opt, arg, &cfg->prefill_rate, err);
	case OPT_LINK_RATE:
		return set_positive(opt, arg, &cfg->link_rate, err);
	case OPT_HBM_BLOCKS:
		return set_u32(opt, arg, 0, 1U << 30, &cfg->hbm_blocks, err);
	case OPT_REQUESTS:
		return set_u32(opt, arg, 1, 1U << 30, &cfg->requests, err);
	case OPT_LOAD_TIMEOUT:
		return set_u32(opt, arg, 1, 600000, &cfg->load_timeout_ms,
			       err);
	case OPT_PUT_TIMEOUT:
		return set_u32(opt, arg, 1, 600000, &cfg->put_timeout_ms, err);
	default:
		return set_u32(opt, arg, 1, 4096, &cfg->put_batch, err);
	}
}

static int add_note(const char *arg, struct hr_config *cfg,
		    struct hr_err *err)
{
	const char *equals = strchr(arg, '=');

	if (!equals || equals == arg)
		return bad_value(OPT_NOTE, arg, "KEY=VALUE", err);
	if (cfg->note_nr == HR_NOTES_MAX)
		return hr_err_set(err, -EINVAL, "--note: more than %u",
				  HR_NOTES_MAX);
	cfg->notes[cfg->note_nr++] = arg;
	return 0;
}

static int set_output(int opt, const char *arg, struct hr_config *cfg,
		      struct hr_err *err)
{
	switch (opt) {
	case OPT_REPORT:
		cfg->report = arg;
		return 0;
	case OPT_NOTE:
		return add_note(arg, cfg, err);
	case OPT_AT_END:
		cfg->at_end = arg;
		return 0;
	case OPT_PROGRESS:
		cfg->progress = true;
		return 0;
	case OPT_SAMPLE:
		return set_u32(opt, arg, 10, 60000, &cfg->sample_ms, err);
	case OPT_GENERATION:
		if (hr_parse_u64(arg, 1, UINT64_MAX, &cfg->generation))
			return bad_value(opt, arg, "a positive whole number",
					 err);
		return 0;
	case OPT_HELP:
		fputs(usage, stdout);
		return 1;
	default:
		return hr_err_set(err, -EINVAL, "see hymc-replay --help");
	}
}

static int set_option(int opt, const char *arg, struct hr_config *cfg,
		      struct hr_err *err)
{
	if (opt >= OPT_DRAM && opt <= OPT_MODES)
		return set_device(opt, arg, cfg, err);
	if (opt >= OPT_MODEL && opt <= OPT_PUT_BATCH)
		return set_engine(opt, arg, cfg, err);
	return set_output(opt, arg, cfg, err);
}

static void set_defaults(struct hr_config *cfg)
{
	const struct hr_model *model = hr_model_find("qwen2.5-32b");

	*cfg = (struct hr_config){
		.model = model->name,
		.token_bytes = hr_model_token_bytes(model),
		.scale = { 1, 1024 },
		.speed = 1,
		.slots = 4,
		.prefill_rate = 7700,
		.hbm_blocks = 256,
		.load_timeout_ms = 10000,
		.put_timeout_ms = 10000,
		.put_batch = 16,
		.sample_ms = 200,
		.progress = isatty(STDERR_FILENO),
	};
}

/* Options that only make sense for pools of our own. */
static bool wants_pool(const struct hr_config *cfg)
{
	return cfg->dram || cfg->ssd || cfg->dram_bytes || cfg->frame_bytes ||
	       cfg->dirty_max_bytes || cfg->force || cfg->take_dax;
}

static int check_together(struct hr_config *cfg, struct hr_err *err)
{
	unsigned int i;

	if (!cfg->dev && (!cfg->dram || !cfg->ssd))
		return hr_err_set(err, -EINVAL,
				  "give --dram and --ssd for fresh pools, or --dev for an existing one");
	if (cfg->dev && wants_pool(cfg))
		return hr_err_set(err, -EINVAL,
				  "--dev takes a pool as it is: it excludes the options that make one");
	if (cfg->dev && cfg->mode_nr != 1)
		return hr_err_set(err, -EINVAL,
				  "--dev needs --modes with exactly one mode");
	for (i = 0; !cfg->mode_nr && i < HR_MODES_MAX; i++)
		cfg->modes[i] = &modes[i];
	if (!cfg->mode_nr)
		cfg->mode_nr = HR_MODES_MAX;
	if (!hr_block_bytes(HR_BLOCK_TOKENS, cfg->token_bytes, &cfg->scale) ||
	    hr_block_bytes(HR_BLOCK_TOKENS, cfg->token_bytes, &cfg->scale) >
	    HYMC_BLOCK_BYTES_MAX)
		return hr_err_set(err, -EINVAL,
				  "a block of %u tokens would be larger than 1 GiB; see --scale",
				  HR_BLOCK_TOKENS);
	return 0;
}

int hr_config_parse(int argc, char **argv, struct hr_config *cfg,
		    struct hr_err *err)
{
	int opt, ret;

	set_defaults(cfg);
	optind = 1;
	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		ret = set_option(opt, optarg, cfg, err);
		if (ret)
			return ret;
	}
	if (optind + 1 != argc)
		return hr_err_set(err, -EINVAL, optind < argc ?
				  "give one trace" : "no trace given");
	cfg->trace = argv[optind];
	return check_together(cfg, err);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * DOC: the context: references, log callback, last error of each thread
 *
 * The sentence of a thread's last failure lives in a record that the thread
 * owns (thread-specific data of the context's key). The key must outlive the
 * context for as long as any thread has a record, for a thread may be ending,
 * and freeing its record, while another drops the last reference to the
 * context. Therefore the key sits in an object of its own, struct errors, that
 * the context and every record hold a reference to.
 *
 * A callback is called without any lock held.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "private.h"

/**
 * struct errors - the key of a context's per-thread records
 * @refs: the context and each record
 * @key: thread-specific data: struct record
 */
struct errors {
	atomic_uint refs;
	pthread_key_t key;
};

/**
 * struct record - a thread's last sentence; used by that thread only
 * @errors: referenced
 * @text: the sentence
 */
struct record {
	struct errors *errors;
	char text[HYMC_TEXT_BYTES];
};

/**
 * struct hymc_ctx - a context
 * @refs: references
 * @errors: per-thread records
 * @lock: protects @log and @log_data; a leaf
 * @log: callback or NULL
 * @log_data: its argument
 */
struct hymc_ctx {
	atomic_uint refs;
	struct errors *errors;
	pthread_mutex_t lock;
	hymc_log_fn log;
	void *log_data;
};

/**
 * errors_put() - drop a reference; the last deletes the key
 * @errors: the object
 */
static void errors_put(struct errors *errors)
{
	if (atomic_fetch_sub(&errors->refs, 1) != 1)
		return;
	pthread_key_delete(errors->key);
	free(errors);
}

/**
 * record_free() - destructor of the thread-specific data
 * @arg: a struct record
 */
static void record_free(void *arg)
{
	struct record *rec = arg;

	errors_put(rec->errors);
	free(rec);
}

/**
 * errors_new() - make the object with one reference
 *
 * Return: the object, or NULL without memory or without a free key.
 */
static struct errors *errors_new(void)
{
	struct errors *errors = calloc(1, sizeof(*errors));

	if (!errors)
		return NULL;
	atomic_init(&errors->refs, 1);
	if (pthread_key_create(&errors->key, record_free)) {
		free(errors);
		return NULL;
	}
	return errors;
}

/**
 * record_get() - this thread's record, made at its first failure
 * @errors: the object
 *
 * Return: the record, or NULL without memory.
 */
static struct record *record_get(struct errors *errors)
{
	struct record *rec = pthread_getspecific(errors->key);

	if (rec)
		return rec;
	rec = calloc(1, sizeof(*rec));
	if (!rec)
		return NULL;
	if (pthread_setspecific(errors->key, rec)) {
		free(rec);
		return NULL;
	}
	rec->errors = errors;
	atomic_fetch_add(&errors->refs, 1);
	return rec;
}

/**
 * record_drop() - free this thread's record, if it has one
 * @errors: the object
 */
static void record_drop(struct errors *errors)
{
	struct record *rec = pthread_getspecific(errors->key);

	if (!rec)
		return;
	pthread_setspecific(errors->key, NULL);
	record_free(rec);
}

/**
 * hymc_ctx_new() - make a context
 * @ctx: out, the context with one reference
 *
 * Return: 0, or -ENOMEM (also when the process has no thread-specific key
 * left).
 */
HYMC_EXPORT int hymc_ctx_new(struct hymc_ctx **ctx)
{
	struct hymc_ctx *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->errors = errors_new();
	if (!c->errors) {
		free(c);
		return -ENOMEM;
	}
	atomic_init(&c->refs, 1);
	pthread_mutex_init(&c->lock, NULL);
	*ctx = c;
	return 0;
}

/**
 * hymc_ctx_ref() - take a reference
 * @ctx: the context
 *
 * Return: @ctx.
 */
HYMC_EXPORT struct hymc_ctx *hymc_ctx_ref(struct hymc_ctx *ctx)
{
	atomic_fetch_add(&ctx->refs, 1);
	return ctx;
}

/**
 * hymc_ctx_unref() - drop a reference; the last frees
 * @ctx: the context, or NULL
 *
 * Return: NULL.
 */
HYMC_EXPORT struct hymc_ctx *hymc_ctx_unref(struct hymc_ctx *ctx)
{
	if (!ctx || atomic_fetch_sub(&ctx->refs, 1) != 1)
		return NULL;
	record_drop(ctx->errors);
	errors_put(ctx->errors);
	pthread_mutex_destroy(&ctx->lock);
	free(ctx);
	return NULL;
}

/**
 * hymc_ctx_set_log() - say where log lines go
 * @ctx: the context
 * @fn: called for each line, from the thread that caused it; NULL drops lines
 * @data: passed to @fn
 */
HYMC_EXPORT void hymc_ctx_set_log(struct hymc_ctx *ctx, hymc_log_fn fn,
				  void *data)
{
	pthread_mutex_lock(&ctx->lock);
	ctx->log = fn;
	ctx->log_data = data;
	pthread_mutex_unlock(&ctx->lock);
}

/**
 * hymc_last_error() - the sentence of this thread's last failed call
 * @ctx: the context
 *
 * Return: the sentence, "" when no call of this thread failed. Valid until the
 * thread's next call with @ctx.
 */
HYMC_EXPORT const char *hymc_last_error(struct hymc_ctx *ctx)
{
	struct record *rec = pthread_getspecific(ctx->errors->key);

	return rec ? rec->text : "";
}

/**
 * hymc_err() - leave a sentence for this thread
 * @ctx: the context
 * @err: negative errno to be returned by the caller
 * @fmt: the sentence, without newline
 *
 * The arguments may include the thread's present sentence. Without memory for a
 * record the sentence is lost; the errno is not.
 *
 * Return: @err.
 */
int hymc_err(struct hymc_ctx *ctx, int err, const char *fmt, ...)
{
	struct record *rec = record_get(ctx->errors);
	char text[HYMC_TEXT_BYTES];
	va_list ap;

	if (!rec)
		return err;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	memcpy(rec->text, text, sizeof(text));
	return err;
}

/**
 * hymc_vlog() - hand a line to the callback
 * @ctx: the context
 * @priority: syslog priority
 * @fmt: the line; a newline at its end is dropped
 * @ap: arguments
 */
void hymc_vlog(struct hymc_ctx *ctx, int priority, const char *fmt, va_list ap)
{
	char line[HYMC_TEXT_BYTES];
	hymc_log_fn fn;
	void *data;

	pthread_mutex_lock(&ctx->lock);
	fn = ctx->log;
	data = ctx->log_data;
	pthread_mutex_unlock(&ctx->lock);
	if (!fn)
		return;
	vsnprintf(line, sizeof(line), fmt, ap);
	line[strcspn(line, "\n")] = '\0';
	fn(priority, line, data);
}

/**
 * hymc_log() - hand a line to the callback
 * @ctx: the context
 * @priority: syslog priority
 * @fmt: the line
 */
void hymc_log(struct hymc_ctx *ctx, int priority, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	hymc_vlog(ctx, priority, fmt, ap);
	va_end(ap);
}

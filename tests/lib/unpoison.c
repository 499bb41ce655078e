/* unpoison.c - what libzstd writes, told to MemorySanitizer, which has not seen the library being built
 *
 * Part of a build with SAN=memory only, whose links wrap these functions.
 */
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#include <stddef.h>
#include <zstd.h>

size_t __real_ZSTD_compress2(ZSTD_CCtx *c, void *to, size_t room, const void *from, size_t n);
size_t __wrap_ZSTD_compress2(ZSTD_CCtx *c, void *to, size_t room, const void *from, size_t n);
size_t __real_ZSTD_compressStream2(ZSTD_CCtx *c, ZSTD_outBuffer *to, ZSTD_inBuffer *from, ZSTD_EndDirective end);
size_t __wrap_ZSTD_compressStream2(ZSTD_CCtx *c, ZSTD_outBuffer *to, ZSTD_inBuffer *from, ZSTD_EndDirective end);
size_t __real_ZSTD_decompressDCtx(ZSTD_DCtx *c, void *to, size_t room, const void *from, size_t n);
size_t __wrap_ZSTD_decompressDCtx(ZSTD_DCtx *c, void *to, size_t room, const void *from, size_t n);

size_t
__wrap_ZSTD_compress2(ZSTD_CCtx *c, void *to, size_t room, const void *from, size_t n)
{
	size_t got;

	__msan_check_mem_is_initialized(from, n);	/* what is written to a file is known */
	got = __real_ZSTD_compress2(c, to, room, from, n);
	if (!ZSTD_isError(got))
		__msan_unpoison(to, got);
	return got;
}

size_t
__wrap_ZSTD_compressStream2(ZSTD_CCtx *c, ZSTD_outBuffer *to, ZSTD_inBuffer *from, ZSTD_EndDirective end)
{
	const size_t left = __real_ZSTD_compressStream2(c, to, from, end);

	__msan_unpoison(to->dst, to->pos);
	return left;
}

size_t
__wrap_ZSTD_decompressDCtx(ZSTD_DCtx *c, void *to, size_t room, const void *from, size_t n)
{
	const size_t got = __real_ZSTD_decompressDCtx(c, to, room, from, n);

	if (!ZSTD_isError(got))
		__msan_unpoison(to, got);
	return got;
}
#endif
#endif

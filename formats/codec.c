/* codec.c - compressed payloads: zstd frames, bounded before anything is believed
 *
 * One-shot calls only: the output buffer, whose size the caller has checked, is the window too, so a
 * frame cannot make the library allocate. The first bytes of a frame are looked at all the same: a
 * frame without a content checksum, with a dictionary or with a huge window is not one of ours.
 */
#include <stdlib.h>
#include <zstd.h>

#include "formats/base/bytes.h"
#include "formats/base/units.h"
#include "formats/block.h"

enum { WORTH_PACKING = 24 };	/* a frame's own bytes are 13 at least */

struct codec {
	ZSTD_CCtx *pack;
	ZSTD_DCtx *unpack;
	int level;
};

struct codec *
codec_new(int level)
{
	struct codec *const c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->level = level;
	return c;
}

void
codec_free(struct codec *c)
{
	if (!c)
		return;
	(void)ZSTD_freeCCtx(c->pack);
	(void)ZSTD_freeDCtx(c->unpack);
	free(c);
}

static ZSTD_CCtx *
codec_packer(struct codec *c)
{
	if (c->pack)
		return c->pack;
	c->pack = ZSTD_createCCtx();
	if (!c->pack)
		return NULL;
	if (ZSTD_isError(ZSTD_CCtx_setParameter(c->pack, ZSTD_c_compressionLevel, c->level)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(c->pack, ZSTD_c_checksumFlag, 1))) {
		(void)ZSTD_freeCCtx(c->pack);
		c->pack = NULL;
	}
	return c->pack;
}

int
codec_pack(struct codec *c, enum block_codec want, const void *p, size_t n, struct buf *out,
	   struct iotap_error *err)
{
	const size_t room = ZSTD_compressBound(n);
	const size_t before = out->len;
	ZSTD_CCtx *const pack = want == CODEC_ZSTD ? codec_packer(c) : NULL;
	size_t packed;

	if (!buf_reserve(out, room) || (want == CODEC_ZSTD && !pack))
		return error_set(err, IOTAP_ENOMEM, "compressing %zu bytes: out of memory", n);
	if (pack && n >= WORTH_PACKING) {
		packed = ZSTD_compress2(pack, out->data + before, room, p, n);
		if (!ZSTD_isError(packed) && packed < n) {
			out->len = before + packed;
			return CODEC_ZSTD;
		}
	}
	(void)buf_put(out, p, n);
	return CODEC_NONE;
}

/* RFC 8878, 3.1.1.1: magic; descriptor: bits 0-1 dictionary, 2 checksum, 3 reserved, 5 single segment;
 * then, unless single segment, the window descriptor, whose upper five bits are log2 - 10. */
static bool
frame_is_ours(const uint8_t *p, size_t n)
{
	if (n < 6 || bytes_u32_at(p) != ZSTD_MAGICNUMBER)
		return false;
	if ((p[4] & 0x0f) != 0x04)
		return false;
	return (p[4] & 0x20) || (p[5] >> 3) + 10 <= BLOCK_WINDOW_LOG_MAX;
}

static int
frame_unpack(struct codec *c, const void *p, size_t n, void *out, size_t plain,
	     struct iotap_error *err)
{
	char text[UNITS_SIZE];
	size_t got;

	if (!frame_is_ours(p, n))
		return error_set(err, IOTAP_ECORRUPT, "bad header of compressed data");
	if (!c->unpack)
		c->unpack = ZSTD_createDCtx();
	if (!c->unpack)
		return error_set(err, IOTAP_ENOMEM, "uncompressing: out of memory");
	got = ZSTD_decompressDCtx(c->unpack, out, plain, p, n);
	if (ZSTD_isError(got))
		return error_set(err, IOTAP_ECORRUPT, "bad compressed data: %s", ZSTD_getErrorName(got));
	if (got != plain)
		return error_set(err, IOTAP_ECORRUPT, "compressed data give %s instead of %zu",
				 units_count(text, got, "byte"), plain);
	return 0;
}

int
codec_unpack(struct codec *c, uint32_t codec, const void *p, size_t n, void *out, size_t plain,
	     struct iotap_error *err)
{
	char text[UNITS_SIZE];

	if (codec == CODEC_ZSTD)
		return frame_unpack(c, p, n, out, plain, err);
	if (codec != CODEC_NONE)
		return error_set(err, IOTAP_EUNSUPPORTED, "compressed with codec %u", codec);
	if (n != plain)
		return error_set(err, IOTAP_ECORRUPT, "%s instead of %zu", units_count(text, n, "byte"),
				 plain);
	if (n > 0)
		memcpy(out, p, n);
	return 0;
}

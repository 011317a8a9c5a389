// video_whole.c: whether a video file is complete. ffmpeg may end with exit code 0 although the disk was full: after
// the first write that fails it writes nothing more, so what it would have written last is missing. Each format says
// where it ends, and that is what is looked at here: the boxes of MP4 (ISO/IEC 14496-12, 4.2), the segment of WebM (RFC
// 8794, 4 and 5) and the blocks of GIF (GIF89a, 15 to 27).
#include "render/video_whole.h"

#include "base/file.h"

#include <stdio.h>
#include <string.h>

// Sizes come from the file and may be anything: nothing is added to a position before it is compared with the end.
typedef struct reader
{
	FILE* file;
	uint64_t at, size;
} reader;

// The next `bytes` bytes; false when the file ends before.
static bool take(reader* r, unsigned char* data, uint64_t bytes)
{
	if (bytes > r->size - r->at || fread(data, 1, (size_t)bytes, r->file) != bytes)
		return false;
	r->at += bytes;
	return true;
}

static bool skip(reader* r, uint64_t bytes)
{
	if (bytes > r->size - r->at || fseeko(r->file, (off_t)(r->at + bytes), SEEK_SET) != 0)
		return false;
	r->at += bytes;
	return true;
}

static uint64_t big_endian(const unsigned char* data, int bytes)
{
	uint64_t value = 0;
	for (int i = 0; i < bytes; ++i)
		value = value << 8 | data[i];
	return value;
}

// Boxes one behind the other up to the end of the file, among them the table of frames and the frames.
static bool is_whole_mp4(reader* r)
{
	bool table = false, frames = false;
	while (r->at < r->size)
	{
		unsigned char head[16];
		uint64_t start = r->at;
		if (!take(r, head, 8))
			return false;
		uint64_t size = big_endian(head, 4);
		if (size == 1)
		{
			if (!take(r, head + 8, 8))
				return false;
			size = big_endian(head + 8, 8);
		}
		if (size < r->at - start || !skip(r, size - (r->at - start)))
			return false;
		table = table || memcmp(head + 4, "moov", 4) == 0;
		frames = frames || memcmp(head + 4, "mdat", 4) == 0;
	}
	return table && frames;
}

// The length of an element, behind its name. False when it was never filled in, which is the last thing to be written.
static bool take_length(reader* r, uint64_t* length)
{
	unsigned char data[8];
	if (!take(r, data, 1) || data[0] == 0)
		return false;
	int bytes = 1;
	for (int bit = 0x80; !(data[0] & bit); bit >>= 1)
		++bytes;
	if (!take(r, data + 1, (uint64_t)bytes - 1))
		return false;
	uint64_t mask = (UINT64_C(1) << 7 * bytes) - 1;
	*length = big_endian(data, bytes) & mask;
	return *length != mask;
}

// A header and one segment that ends with the file.
static bool is_whole_webm(reader* r)
{
	static const unsigned char header[4] = { 0x1a, 0x45, 0xdf, 0xa3 }, segment[4] = { 0x18, 0x53, 0x80, 0x67 };
	unsigned char name[4];
	uint64_t length;
	return take(r, name, 4) && memcmp(name, header, 4) == 0 && take_length(r, &length) && skip(r, length) &&
	       take(r, name, 4) && memcmp(name, segment, 4) == 0 && take_length(r, &length) && length == r->size - r->at;
}

static bool skip_colors(reader* r, unsigned char flags)
{
	return !(flags & 0x80) || skip(r, UINT64_C(3) << ((flags & 7) + 1));
}

// Pieces of up to 255 bytes, the last of them empty.
static bool skip_pieces(reader* r)
{
	unsigned char length = 0;
	do
	{
		if (!take(r, &length, 1) || !skip(r, length))
			return false;
	} while (length > 0);
	return true;
}

// Pictures and extensions up to the trailer, which is the last byte.
static bool is_whole_gif(reader* r)
{
	unsigned char head[13], kind;
	if (!take(r, head, 13) || memcmp(head, "GIF89a", 6) != 0 || !skip_colors(r, head[10]))
		return false;
	for (bool picture = false; take(r, &kind, 1);)
	{
		if (kind == 0x3b)
			return picture && r->at == r->size;
		if (kind == 0x2c)
		{
			picture = true;
			if (!take(r, head, 9) || !skip_colors(r, head[8]))
				return false;
		}
		else if (kind != 0x21)
			return false;
		if (!skip(r, 1) || !skip_pieces(r)) // behind the depth of a picture, or the kind of an extension
			return false;
	}
	return false;
}

bool lm_video_is_whole(const char* path, const char* format)
{
	FILE* file = fopen(path, "rb");
	if (file == NULL)
		return false;
	off_t size = fseeko(file, 0, SEEK_END) == 0 ? ftello(file) : -1;
	bool whole = size > 0 && fseeko(file, 0, SEEK_SET) == 0;
	reader r = { .file = file, .size = (uint64_t)size };
	if (whole)
		whole = lm_same_ending(format, "gif")    ? is_whole_gif(&r)
		        : lm_same_ending(format, "webm") ? is_whole_webm(&r)
		                                         : is_whole_mp4(&r);
	fclose(file);
	return whole;
}

// Point caches out: PC2 and MDD.
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "io/build.h"
#include "io/bytes.h"
#include "io/points_format.h"
#include "limber/io.h"

#include <assert.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

struct lm_points_writer
{
	lm_host host;
	lm_output output;
	bool mdd;
	int32_t vertex_count, frame_count, frames_written;
	unsigned char* sample; // bytes of one
};

void lm_points_writer_abandon(lm_points_writer* writer)
{
	if (writer == NULL)
		return;
	lm_host host = writer->host;
	lm_output_abandon(&writer->output);
	lm_free(&host, writer->sample);
	lm_free(&host, writer);
}

static void write_header(lm_points_writer* writer, double fps)
{
	unsigned char header[LM_PC2_HEADER] = LM_PC2_MAGIC;
	FILE* file = writer->output.file;
	if (!writer->mdd)
	{
		lm_store_32(header + 12, 1, false);
		lm_store_32(header + 16, (uint32_t)writer->vertex_count, false);
		lm_store_float(header + 20, 0, false);
		lm_store_float(header + 24, 1, false);
		lm_store_32(header + 28, (uint32_t)writer->frame_count, false);
		fwrite(header, 1, LM_PC2_HEADER, file);
		return;
	}
	lm_store_32(header, (uint32_t)writer->frame_count, true);
	lm_store_32(header + 4, (uint32_t)writer->vertex_count, true);
	fwrite(header, 1, LM_MDD_HEADER, file);
	for (int32_t i = 0; i < writer->frame_count; ++i)
	{
		lm_store_float(header, (float)(i / fps), true);
		fwrite(header, 1, 4, file);
	}
}

lm_status lm_points_writer_open(const char* path, int32_t vertex_count, int32_t frame_count, double fps,
                                const lm_host* host, lm_points_writer** writer, lm_error* error)
{
	assert(path != NULL && host != NULL && writer != NULL);
	*writer = NULL;
	bool mdd = lm_same_ending(path, "mdd");
	if (!mdd && !lm_same_ending(path, "pc2"))
		return lm_fail_at(error, LM_BAD_INPUT, path, "", "the ending of a point cache must be .pc2 or .mdd");
	if (vertex_count < 1 || vertex_count > LM_BUILD_LIMIT || frame_count < 1)
		return lm_fail_at(error, LM_BAD_INPUT, path, "",
		                  "a point cache needs vertices and frames, not %" PRId32 " and %" PRId32, vertex_count,
		                  frame_count);
	if (!(fps > 0) || !(frame_count / fps <= (double)FLT_MAX))
		return lm_fail_at(error, LM_BAD_INPUT, path, "", "the frames per second must be positive, not %g", fps);
	lm_points_writer* result = LM_NEW(host, 1, lm_points_writer);
	if (result == NULL)
		return lm_fail_memory(error);
	*result = (lm_points_writer){ .host = *host, .mdd = mdd, .vertex_count = vertex_count, .frame_count = frame_count };
	result->sample = lm_alloc(host, (size_t)vertex_count, 12);
	lm_status status =
		result->sample != NULL ? lm_output_open(host, path, &result->output, error) : lm_fail_memory(error);
	if (status != LM_OK)
	{
		lm_points_writer_abandon(result);
		return status;
	}
	write_header(result, fps);
	*writer = result;
	return LM_OK;
}

lm_status lm_points_writer_frame(lm_points_writer* writer, const double* positions, lm_error* error)
{
	assert(writer != NULL && positions != NULL);
	const char* path = writer->output.path;
	if (writer->frames_written == writer->frame_count)
		return lm_fail_at(error, LM_BAD_INPUT, path, "", "all of the %" PRId32 " frames announced are there already",
		                  writer->frame_count);
	size_t count = 3 * (size_t)writer->vertex_count;
	for (size_t i = 0; i < count; ++i)
	{
		if (!(fabs(positions[i]) <= (double)FLT_MAX))
		{
			lm_fail_at(error, LM_BAD_INPUT, path, "", "the position of vertex %zu is not finite in single precision",
			           i / 3);
			if (error != NULL)
				error->element = (int64_t)(i / 3);
			return LM_BAD_INPUT;
		}
		lm_store_float(writer->sample + 4 * i, (float)positions[i], writer->mdd);
	}
	errno = 0;
	if (fwrite(writer->sample, 4, count, writer->output.file) != count)
		return lm_fail_at(error, LM_IO_FAILED, path, "", "cannot be written: %s", strerror(errno));
	++writer->frames_written;
	return LM_OK;
}

lm_status lm_points_writer_close(lm_points_writer* writer, lm_error* error)
{
	assert(writer != NULL);
	lm_status status;
	if (writer->frames_written < writer->frame_count)
		status = lm_fail_at(error, LM_BAD_INPUT, writer->output.path, "",
		                    "only %" PRId32 " of the %" PRId32 " frames announced were written", writer->frames_written,
		                    writer->frame_count);
	else
		status = lm_output_commit(&writer->output, error);
	lm_points_writer_abandon(writer); // nothing is left to remove after a commit
	return status;
}

// frames.h: what is shown, as bytes, little endian; docs/live.md has the layout.
//
//   header, 32 bytes: "LMF1", kind u8, format u8 (0: float32), 2 reserved, frame i64, newest command applied u32,
//                     sections u32, numbers u32, 4 reserved
//   topology  sections: surface u32, triangles u32, then 3 u32 each
//   frame     numbers float32, then sections: surface u32, vertices u32, origin 3 f64, then 3 float32 each, from the origin
//   colours   sections: surface u32, vertices u32, then 3 u8 each, sRGB, filled up to 4 bytes
//   lines     sections: object u32, segments u32, then 6 float32 each
#ifndef STUDIO_FRAMES_H
#define STUDIO_FRAMES_H

#include "message.h"

#include "limber/limber.h"

enum
{
	FRAME_TOPOLOGY,
	FRAME_POSITIONS,
	FRAME_COLORS,
	FRAME_LINES
};

// A surface that is shown otherwise than the world has it; surface -1: none.
typedef struct frame_override
{
	int32_t surface;
	const double* positions;
} frame_override;

// Each NULL when out of memory, to be dropped by the caller.
message* topology_message(lm_world* world, uint32_t generation);
// whole: with the surfaces that never move.
message* frame_message(lm_world* world, bool whole, const frame_override* override, uint32_t generation,
                       uint32_t command);
message* colors_message(lm_world* world, int32_t surface, const uint8_t* rgb, int32_t count, uint32_t generation);
message* lines_message(lm_world* world, int32_t object, lm_world_line_kind kind, const double* ends, int32_t count,
                       uint32_t generation);

#endif

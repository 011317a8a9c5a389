// msh_samples.h: one small mesh in the four ways of Gmsh, for tests and fuzzers: five nodes with tags that are not in
// order, two tetrahedra, one of them inside out, two triangles, an edge and a point, physical groups "body", "skin",
// "pin".
#ifndef LIMBER_MSH_SAMPLES_H
#define LIMBER_MSH_SAMPLES_H

#include "io/bytes.h"

#include <stdio.h>

#define MSH_NAMES "$PhysicalNames\n3\n3 1 \"body\"\n2 7 \"the skin\"\n0 2 \"pin\"\n$EndPhysicalNames\n"

static const char msh_text_2[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n" MSH_NAMES
								 "$Nodes\n5\n10 0 0 0\n20 1 0 0\n5 0 1 0\n40 0 0 1\n41 1 1 1\n$EndNodes\n"
								 "$Elements\n6\n1 15 2 2 1 40\n2 1 2 0 1 10 20\n3 2 2 7 1 10 20 5\n4 2 0 20 5 40\n"
								 "5 4 2 1 1 10 20 5 40\n6 4 2 1 1 20 5 41 40\n$EndElements\n";

static const char msh_text_4[] =
	"$MeshFormat\n4.1 0 8\n$EndMeshFormat\n" MSH_NAMES
	"$Entities\n1 0 2 1\n1 0 0 0 1 2\n1 0 0 0 1 1 0 1 7 2 1 -2\n2 0 0 0 1 1 0 0 0\n1 0 0 0 1 1 1 1 1 0\n$EndEntities\n"
	"$Nodes\n2 5 5 41\n2 1 1 2\n10\n20\n0 0 0 0.5 0.5\n1 0 0 1 1\n3 1 0 3\n5\n40\n41\n0 1 0\n0 0 1\n1 1 1\n$EndNodes\n"
	"$Elements\n5 6 1 6\n0 1 15 1\n1 40\n1 1 1 1\n2 10 20\n2 1 2 1\n3 10 20 5\n2 2 2 1\n4 20 5 40\n3 1 4 2\n"
	"5 10 20 5 40\n6 20 5 41 40\n$EndElements\n$Periodic\n0\n$EndPeriodic\n";

typedef struct msh_bytes
{
	unsigned char data[4096];
	size_t size;
	bool big;
} msh_bytes;

static inline void msh_put_text(msh_bytes* out, const char* text)
{
	memcpy(out->data + out->size, text, strlen(text));
	out->size += strlen(text);
}

static inline void msh_put_ints(msh_bytes* out, int count, const int* values)
{
	for (int i = 0; i < count; ++i, out->size += 4)
		lm_store_32(out->data + out->size, (uint32_t)values[i], out->big);
}

static inline void msh_put_sizes(msh_bytes* out, int count, const int* values)
{
	for (int i = 0; i < count; ++i, out->size += 8)
	{
		lm_store_32(out->data + out->size + (out->big ? 0 : 4), 0, out->big);
		lm_store_32(out->data + out->size + (out->big ? 4 : 0), (uint32_t)values[i], out->big);
	}
}

static inline void msh_put_doubles(msh_bytes* out, int count, const double* values)
{
	for (int i = 0; i < count; ++i, out->size += 8)
		lm_store_double(out->data + out->size, values[i], out->big);
}

#define MSH_INTS(out, ...)                                                                                             \
	msh_put_ints((out), (int)(sizeof((int[]){ __VA_ARGS__ }) / sizeof(int)), (int[]){ __VA_ARGS__ })
#define MSH_SIZES(out, ...)                                                                                            \
	msh_put_sizes((out), (int)(sizeof((int[]){ __VA_ARGS__ }) / sizeof(int)), (int[]){ __VA_ARGS__ })

static const double msh_positions[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1 };
static const int msh_tags[] = { 10, 20, 5, 40, 41 };

static inline void msh_make_binary_2(msh_bytes* out, bool big)
{
	*out = (msh_bytes){ .big = big };
	msh_put_text(out, "$MeshFormat\n2.2 1 8\n");
	MSH_INTS(out, 1);
	msh_put_text(out, "\n$EndMeshFormat\n" MSH_NAMES "$Nodes\n5\n");
	for (int i = 0; i < 5; ++i)
	{
		MSH_INTS(out, msh_tags[i]);
		msh_put_doubles(out, 3, msh_positions + 3 * i);
	}
	msh_put_text(out, "\n$EndNodes\n$Elements\n6\n");
	MSH_INTS(out, 15, 1, 2, 1, 2, 1, 40, 1, 1, 2, 2, 0, 1, 10, 20, 2, 1, 2, 3, 7, 1, 10, 20, 5, 2, 1, 0, 4, 20, 5, 40);
	MSH_INTS(out, 4, 2, 2, 5, 1, 1, 10, 20, 5, 40, 6, 1, 1, 20, 5, 41, 40);
	msh_put_text(out, "\n$EndElements\n");
}

static inline void msh_make_binary_4(msh_bytes* out, bool big)
{
	static const double zeros[6] = { 0 }, parameters[] = { 0, 0, 0, 0.5, 0.5, 1, 0, 0, 1, 1 };
	*out = (msh_bytes){ .big = big };
	msh_put_text(out, "$MeshFormat\n4.1 1 8\n");
	MSH_INTS(out, 1);
	msh_put_text(out, "\n$EndMeshFormat\n" MSH_NAMES "$Entities\n");
	MSH_SIZES(out, 1, 0, 2, 1);
	MSH_INTS(out, 1); // point 1 in group 2
	msh_put_doubles(out, 3, zeros);
	MSH_SIZES(out, 1);
	MSH_INTS(out, 2);
	for (int surface = 1; surface <= 2; ++surface)
	{
		MSH_INTS(out, surface);
		msh_put_doubles(out, 6, zeros);
		MSH_SIZES(out, 2 - surface);
		if (surface == 1)
			MSH_INTS(out, 7);
		MSH_SIZES(out, 2);
		MSH_INTS(out, 1, -2);
	}
	MSH_INTS(out, 1); // volume 1 in group 1
	msh_put_doubles(out, 6, zeros);
	MSH_SIZES(out, 1);
	MSH_INTS(out, 1);
	MSH_SIZES(out, 0);
	msh_put_text(out, "\n$EndEntities\n$Nodes\n");
	MSH_SIZES(out, 2, 5, 5, 41);
	MSH_INTS(out, 2, 1, 1);
	MSH_SIZES(out, 2, 10, 20);
	msh_put_doubles(out, 10, parameters);
	MSH_INTS(out, 3, 1, 0);
	MSH_SIZES(out, 3, 5, 40, 41);
	msh_put_doubles(out, 9, msh_positions + 6);
	msh_put_text(out, "\n$EndNodes\n$Elements\n");
	MSH_SIZES(out, 5, 6, 1, 6);
	MSH_INTS(out, 0, 1, 15);
	MSH_SIZES(out, 1, 1, 40);
	MSH_INTS(out, 1, 1, 1);
	MSH_SIZES(out, 1, 2, 10, 20);
	MSH_INTS(out, 2, 1, 2);
	MSH_SIZES(out, 1, 3, 10, 20, 5);
	MSH_INTS(out, 2, 2, 2);
	MSH_SIZES(out, 1, 4, 20, 5, 40);
	MSH_INTS(out, 3, 1, 4);
	MSH_SIZES(out, 2, 5, 10, 20, 5, 40, 6, 20, 5, 41, 40);
	msh_put_text(out, "\n$EndElements\n$Periodic\n");
	MSH_SIZES(out, 0);
	msh_put_text(out, "\n$EndPeriodic\n");
}

#endif

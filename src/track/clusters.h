// clusters.h: regions that suit an animation (Bergou et al. 2007, Sec. 4.1, after Variational Shape Approximation of
// Cohen-Steiner et al. 2004): connected patches that stay compact and flat in all frames.
//
// Lloyd's method: regions grow around proxies, triangle by triangle in the order of their distance
//
//     e(T, P) = max over frames t of A(t) / A_total(t) (m |x(t) - x_P(t)|^2 / l^2 + (1 - m) |n(t) - n_P(t)|^2)
//
// and proxies become the area-weighted means of their regions, until nothing changes. Departures: seeds are not random
// but each lies farthest from those before; positions are measured in l, the square root of the area per region, so
// that m means the same for small and large meshes; regions with fewer than three vertices are joined to a neighbour.
#ifndef LM_TRACK_CLUSTERS_H
#define LM_TRACK_CLUSTERS_H

#include "limber/base.h"

typedef struct lm_clusters_settings
{
	int32_t regions;       // wanted; at least 1; there may be fewer in the end, never more
	double compact;        // m: 1 compact, 0 flat; 0 .. 1, default 0.5
	int32_t iterations;    // at most, default 50
	const double* density; // per vertex, > 0: wanted regions per area, relative; NULL: the same everywhere
} lm_clusters_settings;

lm_clusters_settings lm_clusters_settings_default(void);

// frames: frame_count arrays of vertex_count x 3, at least one. region: of each vertex, 0 .. *count - 1; -1 for
// vertices without triangles. The same result for any number of threads.
lm_status lm_clusters_find(const double* const* frames, int32_t frame_count, int32_t vertex_count,
                           const int32_t* triangles, int32_t triangle_count, const lm_clusters_settings* settings,
                           const lm_host* host, int32_t* region, int32_t* count, lm_error* error);

#endif

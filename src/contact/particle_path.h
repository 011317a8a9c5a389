// particle_path.h: the path of LM_LANES particles over a step, relative to a collider.
#ifndef LM_CONTACT_PARTICLE_PATH_H
#define LM_CONTACT_PARTICLE_PATH_H

#include "contact/lanes.h"
#include "contact/particle_job.h"

typedef struct path_lanes
{
	lanes3 from, to; // relative to the particles' origin
} path_lanes;

// Rounding of coordinates, as a distance: of particles in their own frame single precision, in the world's double.
LM_INLINE lanes rounding(lanes3 x)
{
	return 4e-7 * larger(magnitude(x.x), larger(magnitude(x.y), magnitude(x.z))) + 1e-9;
}

// Planes count only where they are now: a half-space has no far side to come back from.
LM_INLINE lanes height_over_plane(const lm_mover* m, lanes3 point)
{
	lanes3 up = all_lanes3(lm_column(m->now.R, 1));
	return dot_of(up, difference(point, all_lanes3(m->now.position)));
}

LM_INLINE lane_mask meets(lanes a, lanes b, double low, double high)
{
	return at_most(smaller(a, b), all_lanes(high)) & at_most(all_lanes(low), larger(a, b));
}

LM_INLINE lane_mask comes_near(const lm_mover* m, const path_lanes* path)
{
	if (m->item->solid.shape == LM_SHAPE_PLANE)
		return less(height_over_plane(m, path->to), all_lanes(m->margin));
	lane_mask near = meets(path->from.x, path->to.x, m->low.x, m->high.x) &
	                 meets(path->from.y, path->to.y, m->low.y, m->high.y) &
	                 meets(path->from.z, path->to.z, m->low.z, m->high.z);
	for (int j = 0; j < m->slab_count && bits_of_lanes(near); ++j)
	{
		lanes3 n = all_lanes3(m->slabs[j].n);
		near &= meets(dot_of(n, path->from), dot_of(n, path->to), m->slabs[j].low, m->slabs[j].high);
	}
	return near;
}

#endif

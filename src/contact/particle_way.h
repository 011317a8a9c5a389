// particle_way.h: the way of LM_LANES particles over a step, seen from a collider.
#ifndef LM_CONTACT_PARTICLE_WAY_H
#define LM_CONTACT_PARTICLE_WAY_H

#include "contact/lanes.h"
#include "contact/particle_job.h"

typedef struct way_lanes
{
	lanes3 from, to; // relative to the particles' origin
} way_lanes;

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

LM_INLINE lane_mask comes_near(const lm_mover* m, const way_lanes* way)
{
	if (m->item->solid.shape == LM_SHAPE_PLANE)
		return less(height_over_plane(m, way->to), all_lanes(m->margin));
	lane_mask near = meets(way->from.x, way->to.x, m->low.x, m->high.x) &
	                 meets(way->from.y, way->to.y, m->low.y, m->high.y) &
	                 meets(way->from.z, way->to.z, m->low.z, m->high.z);
	for (int j = 0; j < m->slab_count && bits_of_lanes(near); ++j)
	{
		lanes3 n = all_lanes3(m->slabs[j].n);
		near &= meets(dot_of(n, way->from), dot_of(n, way->to), m->slabs[j].low, m->slabs[j].high);
	}
	return near;
}

#endif

// numbers.c: what is told of a cloth: statistics of a run, and the numbers of a frame.
#include "objects/track/object.h"

#include <math.h>

const lm_statistic_key lm_track_statistic_keys[LM_TRACK_STATISTICS] = {
	{ "constraint_residual", "",
	  "largest distance of an average from the guide's, over constraints that did not yield, relative to the size",
	  false },
	{ "gave_way", "", "share of constraints and steps that gave way to contact", false },
	{ "gave_way_distance", "", "largest distance of an average that gave way from the guide's, relative to the size",
	  false },
	{ "gave_way_distance_mean", "", "the mean of these distances", false },
	{ "intersections", "",
	  "pairs of triangles that intersect, of the cloth, with other cloths and with colliders as they are shown, by an "
	  "exact test, "
	  "summed over all frames",
	  true },
	{ "tangled", "", "pairs of triangles that crossed at the start and had not come free before the last step", true },
	{ "collider_lag", "m", "longest way that a collider was held back at the end of a frame", false },
	{ "stalled", "", "steps in which nothing could move", true },
	{ "pinched", "", "places of the cloth without room between colliders, summed over all frames", true },
	{ "regions", "", "averages that are matched", true },
	{ "iterations_mean", "", "of Newton's method, per step", false },
	{ "converged", "", "share of the steps that converged", false },
	{ "done_again", "", "lean steps that were done again exactly, because regions were missed", true },
	{ "push_lost", "N s", "impulses on bodies that were more than the cloth could have given, and were left out",
	  false },
	{ "plastic", "rad", "largest change of a fold by yielding in a step", false },
};

void lm_track_object_statistics(const lm_object* base, double* values)
{
	const lm_track_object* object = (const lm_track_object*)base;
	lm_track_report report = lm_track_get_report(object->cloth);
	double done = fmax(1, (double)report.steps);
	int k = 0;
	values[k++] = report.residual_max / object->size;
	values[k++] = (double)report.gave_way_sum / fmax(1, (double)report.constraints_sum);
	values[k++] = report.missed_max / object->size;
	values[k++] = report.missed_sum / fmax(1, (double)report.gave_way_sum) / object->size;
	values[k++] = (double)object->record.intersections;
	values[k++] = (double)report.tangled;
	values[k++] = object->record.lag;
	values[k++] = (double)report.stalled_steps;
	values[k++] = (double)object->record.pinched;
	values[k++] = lm_track_constraint_count(object->cloth);
	values[k++] = (double)report.iterations_sum / done;
	values[k++] = report.steps > 0 ? (double)report.converged_steps / done : 1;
	values[k++] = (double)report.exact_steps;
	values[k++] = lm_track_bodies_lost(&object->bodies);
	values[k++] = report.plastic;
}

const lm_statistic_key lm_track_number_keys[LM_TRACK_NUMBERS] = {
	{ "kinetic_energy", "J", "of all vertices", false },
	{ "elastic_energy", "J", "of stretching and bending", false },
	{ "stretch", "", "largest of a triangle, in any direction: 0.05 is 5 %", false },
	{ "residual", "m", "largest distance of a constraint from its target in the last step", false },
	{ "gave_way", "", "constraints that gave way to contact in it", true },
	{ "gave_way_distance", "m", "mean distance of these from their targets", false },
	{ "gave_way_most", "m", "largest distance of these", false },
	{ "collider_lag", "m", "longest way that a collider is held back", false },
	{ "pinched", "", "places without room between colliders, where one is held back", true },
	{ "stalled", "", "1 where nothing could move in the last step", true },
	{ "inner_steps", "", "that the last step was taken in", true },
	{ "pairs", "", "close pairs of vertices and triangles, edges and edges", true },
	{ "smallest_gap", "m", "between them; the thickness when nothing is close", false },
	{ "iterations", "", "of Newton's method in the last step", true },
};

int32_t lm_track_object_numbers(const lm_object* base, double* values)
{
	const lm_track* cloth = ((const lm_track_object*)base)->cloth;
	lm_track_report report = lm_track_get_report(cloth);
	int k = 0;
	values[k++] = lm_track_kinetic_energy(cloth);
	values[k++] = lm_track_elastic_energy(cloth);
	values[k++] = lm_track_largest_stretch(cloth);
	values[k++] = report.residual;
	values[k++] = report.gave_way;
	values[k++] = report.missed;
	values[k++] = report.missed_most;
	values[k++] = report.collider_lag;
	values[k++] = report.pinched;
	values[k++] = report.stalled;
	values[k++] = report.inner_steps;
	values[k++] = report.pairs;
	values[k++] = report.smallest_gap;
	values[k++] = report.iterations;
	return k;
}

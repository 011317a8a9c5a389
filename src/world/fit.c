#include "world/fit.h"
#include "limber/view.h"

#include <string.h>

static const double degree = LM_PI / 180;

// Both in (0, 180) degrees and far enough from its ends to have a useful tangent.
static double half_tangent(double fov)
{
	double sane = isfinite(fov) ? fmin(fmax(fov, 0.1), 170) : 35;
	return tan(0.5 * sane * degree);
}

// Axes for looking along forward with up as near as possible to the one wanted.
static void make_axes(lm_view* view, lm_vec3 forward, lm_vec3 up)
{
	view->forward = lm_normalize_or(forward, lm_v3(0, 0, -1));
	up = lm_normalize_or(up, lm_v3(0, 1, 0));
	if (lm_length(lm_cross(view->forward, up)) < 1e-6)
		up = fabs(view->forward.z) < 0.9 ? lm_v3(0, 0, -1) : lm_v3(0, 1, 0);
	view->right = lm_normalize_or(lm_cross(view->forward, up), lm_v3(1, 0, 0));
	view->up = lm_cross(view->right, view->forward);
}

lm_view lm_view_of(const lm_camera* camera)
{
	lm_view view = { .tangent = half_tangent(camera->fov) };
	lm_vec3 eye = lm_v3_at(camera->eye, 0);
	lm_vec3 target = lm_v3_at(camera->target, 0);
	view.eye = lm_finite(eye) ? eye : lm_v3(0, 0, 0);
	lm_vec3 ahead = lm_finite(target) ? lm_sub(target, view.eye) : lm_v3(0, 0, -1);
	make_axes(&view, ahead, lm_v3_at(camera->up, 0));
	view.distance = lm_length(ahead);
	if (!(view.distance > 1e-12) || !isfinite(view.distance))
		view.distance = 1;
	return view;
}

lm_fit lm_fit_start(const double direction[3], double fov, double aspect)
{
	lm_fit fit = {
		.high = { -INFINITY, -INFINITY }, .low = { INFINITY, INFINITY }, .near_z = INFINITY, .far_z = -INFINITY
	};
	make_axes(&fit.view, lm_v3_at(direction, 0), lm_v3(0, 1, 0));
	const double air = 0.94; // the share of the picture that is filled at most
	fit.view.tangent = half_tangent(fov);
	fit.tangent_y = air * fit.view.tangent;
	fit.tangent_x = fit.tangent_y * (aspect > 1e-3 && aspect < 1e3 ? aspect : 1);
	return fit;
}

void lm_fit_add(lm_fit* fit, lm_vec3 point)
{
	// Beyond this the squares of the extremes would overflow; nothing that far can be shown next to anything else.
	if (!(fabs(point.x) < 1e150 && fabs(point.y) < 1e150 && fabs(point.z) < 1e150))
		return;
	double x = lm_dot(point, fit->view.right);
	double y = lm_dot(point, fit->view.up);
	double z = lm_dot(point, fit->view.forward);
	fit->high[0] = fmax(fit->high[0], x - fit->tangent_x * z);
	fit->low[0] = fmin(fit->low[0], x + fit->tangent_x * z);
	fit->high[1] = fmax(fit->high[1], y - fit->tangent_y * z);
	fit->low[1] = fmin(fit->low[1], y + fit->tangent_y * z);
	fit->near_z = fmin(fit->near_z, z);
	fit->far_z = fmax(fit->far_z, z);
	++fit->count;
}

void lm_fit_add_box(lm_fit* fit, lm_vec3 low, lm_vec3 high)
{
	for (int corner = 0; corner < 8; ++corner)
		lm_fit_add(fit, lm_v3(corner & 1 ? high.x : low.x, corner & 2 ? high.y : low.y, corner & 4 ? high.z : low.z));
}

// ---- things ----

lm_fit_bounds lm_fit_no_bounds(void)
{
	return (lm_fit_bounds){ { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
}

static void grow(lm_fit_bounds* around, const lm_fit_thing* thing)
{
	for (int32_t v = 0; v < thing->vertex_count; ++v)
	{
		lm_vec3 p = lm_v3_at(thing->positions, v);
		if (!lm_finite(p))
			continue;
		around->low = lm_min3(around->low, p);
		around->high = lm_max3(around->high, p);
	}
}

static lm_fit_bounds bounds_of(const lm_fit_thing* thing)
{
	lm_fit_bounds around = lm_fit_no_bounds();
	grow(&around, thing);
	return around;
}

// Longest side, 0 for a box around nothing.
static double extent(lm_fit_bounds around)
{
	lm_vec3 size = lm_sub(around.high, around.low);
	return fmax(fmax(size.x, fmax(size.y, size.z)), 0);
}

void lm_fit_find_grounds(lm_fit_thing* things, int32_t count)
{
	double moving = 0, fixed = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		double* largest = things[i].fixed ? &fixed : &moving;
		if (things[i].triangle_count > 2)
			*largest = fmax(*largest, extent(bounds_of(&things[i])));
	}
	for (int32_t i = 0; i < count; ++i)
		things[i].ground =
			(things[i].fixed && strcmp(things[i].name, "ground") == 0) ||
			(things[i].triangle_count == 2 && extent(bounds_of(&things[i])) > 20 * (moving > 0 ? moving : fixed));
}

void lm_fit_add_moving(lm_fit* fit, const lm_fit_thing* things, int32_t count, lm_fit_bounds* moving)
{
	for (int32_t i = 0; i < count; ++i)
	{
		if (things[i].fixed || things[i].ground)
			continue;
		grow(moving, &things[i]);
		for (int32_t v = 0; v < things[i].vertex_count; ++v)
			lm_fit_add(fit, lm_v3_at(things[i].positions, v));
	}
}

void lm_fit_add_still(lm_fit* fit, const lm_fit_thing* things, int32_t count, lm_fit_bounds moving)
{
	if (!(moving.low.x <= moving.high.x)) // nothing moves: then what stands still is the subject
		for (int32_t i = 0; i < count; ++i)
			if (!things[i].ground)
				grow(&moving, &things[i]);
	double margin = 0.35 * extent(moving);
	lm_vec3 reach = { margin, margin, margin };
	for (int32_t i = 0; i < count; ++i)
	{
		if (!things[i].fixed || things[i].ground)
			continue;
		lm_fit_bounds around = bounds_of(&things[i]);
		around.low = lm_max3(around.low, lm_sub(moving.low, reach));
		around.high = lm_min3(around.high, lm_add(moving.high, reach));
		if (around.low.x <= around.high.x && around.low.y <= around.high.y && around.low.z <= around.high.z)
			lm_fit_add_box(fit, around.low, around.high);
	}
}

// ---- the camera ----

lm_camera lm_fit_camera(const lm_fit* fit, double zoom)
{
	const lm_view* view = &fit->view;
	double x = 0, y = 0, back = 3, middle = 0; // nothing to see: look at the origin from three metres
	if (fit->count > 0)
	{
		x = 0.5 * (fit->high[0] + fit->low[0]);
		y = 0.5 * (fit->high[1] + fit->low[1]);
		middle = 0.5 * (fit->near_z + fit->far_z);
		// D such that the two bounds on e_x (and on e_y) leave room for each other. With very wide angles that may put
		// the eye into the nearest point: keep away from it.
		back = fmax((fit->high[0] - fit->low[0]) / (2 * fit->tangent_x),
		            (fit->high[1] - fit->low[1]) / (2 * fit->tangent_y));
		back = fmax(back, 0.2 * (fit->far_z - fit->near_z) - fit->near_z);
		double size = fmax(back + middle, 0); // distance from the eye to the middle
		if (!(size > 1e-9 * fmax(1, fabs(middle))))
			size = 3; // a single point: any distance shows it
		back = size / (zoom > 1e-3 && zoom < 1e3 ? zoom : 1) - middle;
	}
	lm_vec3 eye = lm_add_scaled(lm_add_scaled(lm_scale(x, view->right), y, view->up), -back, view->forward);
	lm_vec3 target = lm_add_scaled(eye, back + middle, view->forward);
	lm_camera camera = { .fov = 2 * atan(view->tangent) / degree };
	lm_v3_store(camera.eye, 0, eye);
	lm_v3_store(camera.target, 0, target);
	lm_v3_store(camera.up, 0, view->up);
	return camera;
}

lm_camera lm_camera_fit(const double low[3], const double high[3], const double direction[3], double fov, double aspect)
{
	lm_fit fit = lm_fit_start(direction, fov, aspect);
	lm_fit_add_box(&fit, lm_v3_at(low, 0), lm_v3_at(high, 0));
	return lm_fit_camera(&fit, 1);
}

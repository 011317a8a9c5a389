// guide_space.c: whether a guide was exported in the space of the mesh. The first frame g is compared with the mesh X
// by the best similarity (Umeyama 1991, Least-squares estimation of transformation parameters between two point
// patterns),
//
//     min sum |g_i - (s R X_i + t)|^2
//     P = sum (g_i - g') (X_i - X')^T,   R = the rotation of P,   s = tr(R^T P) / sum |X_i - X'|^2
//
// with g' and X' the means. Where it fits and is another scale or other axes, what would bring the guide back is said:
// (R^T / s) (g - t). A first frame that is deformed fits badly, but much too large or too small it can only be another
// unit: then s is taken to the next power of ten, and R to the next right angles.
#include "base/error.h"
#include "math/quat.h"
#include "math/svd.h"
#include "objects/track/track.h"

#include <stdio.h>
#include <string.h>

static const double good_fit = 0.05;       // rms distance after the fit, relative to the extent
static const double rough_fit = 0.5;       // likewise: deformed, but the same thing
static const double other_scale = 1.25;    // as a factor
static const double other_unit = 4;        // likewise: no deformation does that
static const double near_unit = 1.6;       // likewise: that far from a power of ten it is meant
static const double near_axes = 0.9;       // cosine of 26 degrees
static const double far_off = 3;           // extents
static const double too_far = 1e5;         // m: hardly meant
static const double right_angles = 0.9997; // cosine of 1.4 degrees

typedef struct similarity
{
	double s;
	lm_mat3 R;
	lm_vec3 from, to; // the means
	double extent;    // rms distance of X from its mean
	double misfit;    // rms, relative to s times the extent
	bool mirrored;    // a reflection fits, and this does not
} similarity;

static lm_vec3 mean_of(const double* x, int32_t count)
{
	lm_vec3 sum = lm_v3(0, 0, 0);
	for (int32_t v = 0; v < count; ++v)
		sum = lm_add_scaled(sum, 1.0 / count, lm_v3_at(x, v));
	return sum;
}

static double misfit_of(double gg, double XX, double sp)
{
	return sqrt(fmax(0, gg - sp * sp / XX) / fmax(1e-300, gg));
}

static similarity fit(const double* g, const double* X, int32_t count)
{
	similarity f = { .from = mean_of(X, count), .to = mean_of(g, count) };
	lm_mat3 P = { 0 };
	double XX = 1e-300, gg = 0, sp = 0;
	for (int32_t v = 0; v < count; ++v)
	{
		lm_vec3 a = lm_sub(lm_v3_at(X, v), f.from), b = lm_sub(lm_v3_at(g, v), f.to);
		lm_add_outer(&P, 1, b, a);
		XX += lm_dot(a, a), gg += lm_dot(b, b);
	}
	lm_svd d = lm_svd3(P);
	f.R = lm_polar3(P).R;
	sp = d.s.x + d.s.y + d.s.z;
	f.s = sp / XX, f.extent = sqrt(XX / count);
	f.misfit = misfit_of(gg, XX, sp);
	f.mirrored = f.misfit > good_fit && misfit_of(gg, XX, d.s.x + d.s.y + fabs(d.s.z)) < good_fit;
	return f;
}

// A turn by right angles that is none: other axes.
static bool has_other_axes(const lm_mat3* R)
{
	bool turned = false;
	for (int i = 0; i < 3; ++i)
	{
		double largest = 0;
		for (int j = 0; j < 3; ++j)
			largest = fmax(largest, fabs(R->m[i][j]));
		if (largest < right_angles)
			return false;
		turned |= R->m[i][i] < right_angles;
	}
	return turned;
}

// The turn by right angles that R nearly is, or R.
static lm_mat3 nearest_axes(const lm_mat3* R)
{
	lm_mat3 axes = { 0 };
	for (int i = 0; i < 3; ++i)
	{
		int largest = 0;
		for (int j = 1; j < 3; ++j)
			largest = fabs(R->m[i][j]) > fabs(R->m[i][largest]) ? j : largest;
		if (fabs(R->m[i][largest]) < near_axes)
			return *R;
		axes.m[i][largest] = R->m[i][largest] > 0 ? 1 : -1;
	}
	return axes; // of a rotation: no two rows have the same
}

// Whether the guide is deformed, but of another unit as well; f is then that unit.
static bool is_other_unit(similarity* f)
{
	if (f->misfit < good_fit || !(f->misfit < rough_fit) || !(f->s > other_unit || f->s < 1 / other_unit))
		return false;
	double unit = pow(10, round(log10(f->s)));
	f->s = fabs(log(f->s / unit)) < log(near_unit) ? unit : f->s;
	f->R = nearest_axes(&f->R);
	return true;
}

// `"scale": 0.01, "rotation": {...}, "offset": [...]`, what of it is needed.
static void advise(const lm_scene_object* object, const lm_scene_body* body, const similarity* f, char* text,
                   size_t size)
{
	lm_mat3 back = lm_transpose(f->R);
	double k = 1 / f->s;
	lm_mat3 T = { 0 };
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			T.m[i][j] = body->frame.used ? body->frame.turn[i][j] : i == j;
	lm_quat q = lm_quat_from_matrix(lm_mul(lm_transpose(T), lm_mul(back, T)));
	double sine = sqrt(q.x * q.x + q.y * q.y + q.z * q.z), degrees = 2 * atan2(sine, q.w) * 180 / LM_PI;
	lm_vec3 offset = lm_sub(f->from, lm_scale(k, lm_mul_v(back, f->to)));
	const double* r = object->rotation;
	offset = lm_quat_rotate(lm_quat_normalize((lm_quat){ r[0], r[1], r[2], r[3] }), offset);
	size_t used = 0;
	text[0] = 0;
	if (fabs(log(k)) > 1e-3)
		used += (size_t)snprintf(text + used, size - used, "\"scale\": %.4g, ", k);
	if (degrees > 0.1)
		used += (size_t)snprintf(text + used, size - used,
		                         "\"rotation\": {\"axis\": [%.3g, %.3g, %.3g], \"degrees\": %.4g}, ", q.x / sine,
		                         q.y / sine, q.z / sine, degrees);
	if (lm_length(offset) > 1e-3 * f->extent && used < size)
		used += (size_t)snprintf(text + used, size - used, "\"offset\": [%.4g, %.4g, %.4g], ", offset.x, offset.y,
		                         offset.z);
	if (used >= 2 && used < size)
		text[used - 2] = 0;
}

static void warn_of_places(lm_reader* reader, const lm_scene_guide* guide)
{
	int64_t numbers = 3 * (int64_t)guide->vertex_count;
	for (int64_t i = 0; i < numbers * guide->frame_count; ++i)
		if (fabs(guide->frames[i]) > too_far)
		{
			lm_log(&reader->host, LM_LOG_WARNING, "%s: %s.file: has vertex %lld at %.3g m in frame %lld: is it broken?",
			       reader->file, reader->path, (long long)(i % numbers / 3), guide->frames[i],
			       (long long)(i / numbers));
			return;
		}
}

void lm_track_check_guide_space(lm_reader* reader, const lm_scene_body* body, const lm_scene_object* object)
{
	const lm_scene_guide* guide = &object->track->guide;
	const lm_mesh* mesh = guide->mesh != NULL ? guide->mesh : body->mesh;
	if (mesh == NULL || guide->frame_count == 0 || guide->vertex_count > mesh->vertex_count || guide->vertex_count < 3)
		return;
	similarity f = fit(guide->frames, mesh->positions, guide->vertex_count);
	char what[320];
	bool rough = is_other_unit(&f), fits = rough || (f.misfit < good_fit && f.s > 0);
	bool scaled = fits && (f.s > other_scale || f.s < 1 / other_scale), turned = fits && has_other_axes(&f.R);
	double away = lm_distance(f.from, f.to);
	advise(object, body, &f, what, sizeof what);
	if (f.mirrored)
		lm_log(&reader->host, LM_LOG_WARNING,
		       "%s: %s.file: its first frame is the mesh seen in a mirror: was it exported with another handedness?",
		       reader->file, reader->path);
	else if (scaled || turned)
		lm_log(
			&reader->host, LM_LOG_WARNING,
			"%s: %s.file: its first frame is the mesh %s%s%s%.4g times as large: if it was exported in another space, "
			"write %s",
			reader->file, reader->path, rough ? "deformed, " : "", turned ? "with other axes" : "", turned ? ", " : "",
			f.s, what);
	else if (away > far_off * f.extent && !(object->track->preroll > 0))
		lm_log(&reader->host, LM_LOG_WARNING,
		       "%s: %s.file: its first frame is %.3g m away from the mesh, which is pulled there at once: give %s, or "
		       "`preroll`, or a `start` there",
		       reader->file, reader->path, away, fits ? what : "an `offset`");
	warn_of_places(reader, guide);
}

// figure.c: the bodies of the `design` scenes: a toy figure, a long-necked dinosaur, a jelly drop and a beam. All stand
// on y = 0 and look along z; lengths are metres.
#include "make.h"

#include <math.h>
#include <stdio.h>

// ---- a figure 1 m high, arms stretched out ----

static double figure(const double p[3], const void* context)
{
	(void)context;
	double q[3] = { fabs(p[0]), p[1], p[2] };
	double belly[3] = { 0, 0.47, 0 }, belly_radii[3] = { 0.125, 0.15, 0.1 };
	double chest[3] = { 0, 0.62, 0 }, chest_radii[3] = { 0.13, 0.11, 0.09 };
	double solid =
		lm_field_join(lm_field_ellipsoid(p, belly, belly_radii), lm_field_ellipsoid(p, chest, chest_radii), 0.06);
	double head[3] = { 0, 0.86, 0.01 }, head_radii[3] = { 0.115, 0.13, 0.115 };
	double neck[3] = { 0, 0.66, 0 }, chin[3] = { 0, 0.8, 0 };
	solid = lm_field_join(solid, lm_field_limb(p, neck, chin, 0.05, 0.05), 0.03);
	solid = lm_field_join(solid, lm_field_ellipsoid(p, head, head_radii), 0.03);
	double shoulder[3] = { 0.1, 0.66, 0 }, elbow[3] = { 0.26, 0.655, 0 }, hand[3] = { 0.42, 0.65, 0.01 };
	double palm[3] = { 0.44, 0.65, 0.012 }, palm_radii[3] = { 0.055, 0.045, 0.05 };
	double arm = lm_field_join(lm_field_limb(q, shoulder, elbow, 0.055, 0.045),
	                           lm_field_limb(q, elbow, hand, 0.045, 0.038), 0.03);
	arm = lm_field_join(arm, lm_field_ellipsoid(q, palm, palm_radii), 0.02);
	double hip[3] = { 0.075, 0.4, 0 }, knee[3] = { 0.095, 0.22, 0.01 }, ankle[3] = { 0.1, 0.06, 0 };
	double leg =
		lm_field_join(lm_field_limb(q, hip, knee, 0.075, 0.06), lm_field_limb(q, knee, ankle, 0.06, 0.05), 0.03);
	double foot[3] = { 0.105, 0.042, 0.045 }, foot_radii[3] = { 0.058, 0.042, 0.1 };
	leg = lm_field_join(leg, lm_field_ellipsoid(q, foot, foot_radii), 0.03);
	solid = lm_field_join(lm_field_join(solid, arm, 0.05), leg, 0.04);
	double eye[3] = { 0.045, 0.89, 0.115 }, eye_radii[3] = { 0.02, 0.026, 0.02 };
	double nose[3] = { 0, 0.855, 0.128 }, nose_radii[3] = { 0.018, 0.016, 0.022 };
	double ear[3] = { 0.105, 0.95, 0 }, ear_radii[3] = { 0.045, 0.05, 0.03 };
	solid = lm_field_join(solid, lm_field_ellipsoid(q, eye, eye_radii), 0.006);
	solid = lm_field_join(solid, lm_field_ellipsoid(p, nose, nose_radii), 0.008);
	return lm_field_join(solid, lm_field_ellipsoid(q, ear, ear_radii), 0.02);
}

// ---- a dinosaur 1.4 m long, nose at positive z ----

static double dinosaur(const double p[3], const void* context)
{
	(void)context;
	double q[3] = { fabs(p[0]), p[1], p[2] };
	double trunk[3] = { 0, 0.36, 0 }, trunk_radii[3] = { 0.15, 0.15, 0.26 };
	double solid = lm_field_ellipsoid(p, trunk, trunk_radii);
	double chest[3] = { 0, 0.4, 0.2 }, throat[3] = { 0, 0.62, 0.36 }, nape[3] = { 0, 0.84, 0.42 };
	solid = lm_field_join(solid, lm_field_limb(p, chest, throat, 0.095, 0.065), 0.08);
	solid = lm_field_join(solid, lm_field_limb(p, throat, nape, 0.065, 0.055), 0.03);
	double head[3] = { 0, 0.88, 0.47 }, head_radii[3] = { 0.07, 0.065, 0.11 };
	solid = lm_field_join(solid, lm_field_ellipsoid(p, head, head_radii), 0.03);
	double rump[3] = { 0, 0.34, -0.2 }, middle[3] = { 0, 0.24, -0.5 }, tip[3] = { 0, 0.2, -0.85 };
	solid = lm_field_join(solid, lm_field_limb(p, rump, middle, 0.1, 0.055), 0.08);
	solid = lm_field_join(solid, lm_field_limb(p, middle, tip, 0.055, 0.022), 0.03);
	double hips[2][3] = { { 0.11, 0.3, 0.16 }, { 0.11, 0.3, -0.15 } };
	double feet[2][3] = { { 0.125, 0.055, 0.17 }, { 0.125, 0.055, -0.16 } };
	double pads[2][3] = { { 0.13, 0.045, 0.19 }, { 0.13, 0.045, -0.14 } }, pad_radii[3] = { 0.062, 0.045, 0.075 };
	for (int32_t leg = 0; leg < 2; leg++)
	{
		solid = lm_field_join(solid, lm_field_limb(q, hips[leg], feet[leg], 0.075, 0.055), 0.05);
		solid = lm_field_join(solid, lm_field_ellipsoid(q, pads[leg], pad_radii), 0.02);
	}
	double eye[3] = { 0.05, 0.915, 0.5 }, eye_radii[3] = { 0.02, 0.022, 0.02 };
	solid = lm_field_join(solid, lm_field_ellipsoid(q, eye, eye_radii), 0.006);
	for (int32_t spike = 0; spike < 5; spike++) // a row of plates along the back
	{
		double z = 0.2 - 0.11 * spike, plate[3] = { 0, 0.5 - 0.3 * z * z, z }, plate_radii[3] = { 0.018, 0.05, 0.045 };
		solid = lm_field_join(solid, lm_field_ellipsoid(p, plate, plate_radii), 0.02);
	}
	return solid;
}

// ---- a jelly drop with a face, 0.5 m high ----

static double drop(const double p[3], const void* context)
{
	(void)context;
	double q[3] = { fabs(p[0]), p[1], p[2] };
	double body[3] = { 0, 0.2, 0 }, body_radii[3] = { 0.2, 0.2, 0.2 };
	double low[3] = { 0, 0.3, 0 }, high[3] = { 0.01, 0.47, -0.01 };
	double solid =
		lm_field_join(lm_field_ellipsoid(p, body, body_radii), lm_field_limb(p, low, high, 0.13, 0.03), 0.08);
	double eye[3] = { 0.065, 0.27, 0.165 }, eye_radii[3] = { 0.028, 0.036, 0.028 };
	double cheek[3] = { 0.19, 0.18, 0.02 }, cheek_radii[3] = { 0.05, 0.04, 0.05 };
	solid = lm_field_join(solid, lm_field_ellipsoid(q, eye, eye_radii), 0.008);
	return lm_field_join(solid, lm_field_ellipsoid(q, cheek, cheek_radii), 0.03);
}

// ---- a beam 0.3 x 1 x 0.3 ----

static double beam(const double p[3], const void* context)
{
	(void)context;
	double middle[3] = { 0, 0.5, 0 }, half[3] = { 0.15, 0.5, 0.15 };
	return lm_field_box(p, middle, half, 0.02);
}

static bool write(make_output* output, const char* name, make_field field, const double low[3], const double high[3],
                  double size)
{
	lm_mesh* mesh = lm_make_polygonise(field, NULL, low, high, size, &output->host);
	if (!mesh)
		return lm_make_no_memory(output);
	bool written = lm_make_write(output, name, mesh, NULL);
	lm_mesh_destroy(mesh);
	return written;
}

// ---- the dinosaur as points with normals ----

static bool write_points(make_output* output, const char* name, make_field field, const lm_mesh* mesh)
{
	char path[4096];
	int length = snprintf(path, sizeof path, "%s/%s", output->directory, name);
	FILE* file = length > 0 && (size_t)length < sizeof path ? fopen(path, "w") : NULL;
	if (!file)
		return lm_make_fail(output, "the file of the points cannot be written");
	fprintf(file,
	        "ply\nformat ascii 1.0\ncomment points with normals, made by limber-gallery-make\nelement vertex %d\n"
	        "property float x\nproperty float y\nproperty float z\n"
	        "property float nx\nproperty float ny\nproperty float nz\nend_header\n",
	        mesh->vertex_count);
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
	{
		const double* x = mesh->positions + 3 * (int64_t)v;
		double n[3], size = 0;
		for (int k = 0; k < 3; ++k)
		{
			double low[3] = { x[0], x[1], x[2] }, high[3] = { x[0], x[1], x[2] };
			low[k] -= 1e-4, high[k] += 1e-4;
			n[k] = field(high, NULL) - field(low, NULL);
			size += n[k] * n[k];
		}
		size = size > 0 ? sqrt(size) : 1;
		fprintf(file, "%.6g %.6g %.6g %.4f %.4f %.4f\n", x[0], x[1], x[2], n[0] / size, n[1] / size, n[2] / size);
	}
	output->files++;
	return fclose(file) == 0 || lm_make_fail(output, "the file of the points cannot be written");
}

static const double dinosaur_low[3] = { -0.25, -0.03, -0.93 }, dinosaur_high[3] = { 0.25, 1.0, 0.65 };

static bool write_dinosaur_points(make_output* output)
{
	lm_mesh* mesh = lm_make_polygonise(dinosaur, NULL, dinosaur_low, dinosaur_high, 0.03, &output->host);
	if (!mesh)
		return lm_make_no_memory(output);
	bool written = write_points(output, "dinosaur-points.ply", dinosaur, mesh);
	lm_mesh_destroy(mesh);
	return written;
}

static bool write_fine_dinosaur(make_output* output)
{
	return write(output, "dinosaur-100k.ply", dinosaur, dinosaur_low, dinosaur_high, 0.00775);
}

bool lm_make_large(make_output* output)
{
	return write_fine_dinosaur(output) &&
	       write(output, "dinosaur-500k.ply", dinosaur, dinosaur_low, dinosaur_high, 0.00346);
}

bool lm_make_figures(make_output* output)
{
	const double figure_low[3] = { -0.55, -0.03, -0.2 }, figure_high[3] = { 0.55, 1.05, 0.2 };
	const double drop_low[3] = { -0.3, -0.03, -0.3 }, drop_high[3] = { 0.3, 0.55, 0.3 };
	const double beam_low[3] = { -0.2, -0.05, -0.2 }, beam_high[3] = { 0.2, 1.05, 0.2 };
	return write(output, "figure.ply", figure, figure_low, figure_high, 0.017) &&
	       write(output, "dinosaur.ply", dinosaur, dinosaur_low, dinosaur_high, 0.017) &&
	       write_dinosaur_points(output) && write_fine_dinosaur(output) &&
	       write(output, "drop.ply", drop, drop_low, drop_high, 0.035) &&
	       write(output, "beam.ply", beam, beam_low, beam_high, 0.025);
}

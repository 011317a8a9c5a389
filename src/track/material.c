// material.c: cloths by name.
//
// Densities are usual weights. Stiffnesses against bending are about what is measured of fabrics (Kawabata's tester),
// and E t^3 / 12 of sheets of thickness t. Stiffnesses against stretching are lower than real ones, which nobody would
// see: a sheet of 1 m that hangs is stretched by less than 1 %.
#include "track/settings.h"

#include <math.h>

typedef struct numbers
{
	double density; // kg/m^2
	double stretch, poisson, bend, damping, yield, hardening, friction;
} numbers;

// In the order of lm_track_material.
static const numbers all[] = {
	{ LM_TRACK_DENSITY, 1000, 0.25, 2e-4, 0.002, INFINITY, 0, 0.3 }, // the defaults
	{ 0.07, 400, 0.3, 3e-6, 0.001, INFINITY, 0, 0.2 },               // silk
	{ 0.15, 1000, 0.25, 1.5e-5, 0.003, INFINITY, 0, 0.45 },          // cotton
	{ 0.4, 4000, 0.25, 1.5e-4, 0.006, INFINITY, 0, 0.6 },            // denim
	{ 0.8, 6000, 0.35, 1e-3, 0.02, INFINITY, 0, 0.6 },               // leather
	{ 0.35, 3000, 0.35, 6e-4, 0.02, 20, 0.002, 0.5 },                // vinyl: creases stay, and become stiffer
	{ 0.08, 8000, 0.2, 3e-4, 0.002, 25, -0.002, 0.3 },               // paper: creases stay, and become softer
	{ 1, 1500, 0.45, 2e-4, 0.01, INFINITY, 0, 0.9 },                 // rubber
};

void lm_track_set_material(lm_track_material material, lm_track_settings* s, double* density)
{
	const numbers* m = &all[material >= 0 && material < LM_MATERIALS ? material : LM_MATERIAL_NONE];
	*density = m->density;
	s->stretch = m->stretch, s->poisson = m->poisson, s->bend = m->bend, s->damping = m->damping;
	s->yield = m->yield, s->hardening = m->hardening, s->friction = m->friction;
}

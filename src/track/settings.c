// settings.c: the table of a cloth's settings: what checks, scene files and documents know of each.
#include "track/settings.h"

#include <math.h>

#define AT(field) LM_AT(lm_track_settings, field)

// In the order of lm_track_method.
static const char* const solver_names[] = { "lean", "exact", NULL };

static const lm_key keys[] = {
	{ "stretch", LM_KEY_NUMBER, .low = 1e-9, .high = 1e12, .preset = { 1000 }, AT(stretch), .unit = "N/m",
	  .help = "Stiffness against stretching." },
	{ "strain_limit", LM_KEY_NUMBER, .high = 100, AT(strain_limit), .usual = "0: none",
	  .help = "0.05: it hardly stretches by more than 5 %, being a hundred times as stiff beyond; averages and contact "
	          "come first." },
	{ "poisson", LM_KEY_NUMBER, .low = -0.9, .high = 0.9, .preset = { 0.25 }, AT(poisson),
	  .help = "How much it narrows when stretched." },
	{ "bend", LM_KEY_NUMBER, .high = 1e12, .preset = { 2e-4 }, AT(bend), .unit = "N m",
	  .help = "Stiffness against bending: wrinkles grow with it." },
	{ "damping", LM_KEY_NUMBER, .high = 1000, .preset = { 0.002 }, AT(damping), .unit = "s",
	  .help = "Slows deformation; flight and spin are not slowed." },
	{ "yield", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = LM_KEY_LIMIT, .preset = { INFINITY }, AT(yield), .unit = "1/m",
	  .usual = "never", .help = "Curvature beyond which folds stay." },
	{ "hardening", LM_KEY_NUMBER, .low = -1e6, .high = 1e6, AT(hardening), .unit = "m",
	  .help = "Folds that stay become stiffer by exp(hardening x curvature); negative: softer." },
	{ "thickness", LM_KEY_NUMBER, .high = 1e6, AT(thickness), .unit = "m", .usual = "a fifth of a mean edge",
	  .help = "Contact sets in at this distance." },
	{ "friction", LM_KEY_NUMBER, .high = 1000, .preset = { 0.3 }, AT(friction),
	  .help = "Coulomb's coefficient among everything that touches." },
	{ "friction_slack", LM_KEY_NUMBER, .low = 1e-9, .high = 1e6, .preset = { 1e-4 }, AT(friction_slack), .unit = "m",
	  .help = "How far it may creep in a step where friction holds it." },
	{ "self_contact", LM_KEY_FLAG, LM_KEY_FIXED, .preset = { true }, AT(self_contact),
	  .help = "Whether it touches itself; `false` lets it cross itself." },
	{ "gravity", LM_KEY_VECTOR, .width = 3, .low = -1e6, .high = 1e6, .preset = { 0, -9.81, 0 }, AT(gravity),
	  .unit = "m/s^2", .usual = "the scene's", .help = "For this object alone." },
	{ "wind", LM_KEY_VECTOR, .width = 3, .low = -1e4, .high = 1e4, AT(wind), .unit = "m/s",
	  .help = "Velocity of the air; gusts are keys in time." },
	{ "air_drag", LM_KEY_NUMBER, .high = 1e6, AT(air_drag), .unit = "kg/m^3",
	  .help = "Pressure of the air: this times the squared speed across a face. About 1 for real air." },
	// wide, because what it is by default grows with weight and gravity
	{ "force", LM_KEY_NUMBER, .high = 1e15, AT(strength), .unit = "N", .usual = "a hundred times the weight",
	  .help = "The force with which a region pulls at most before it yields to contact." },
	{ "bounded", LM_KEY_FLAG, LM_KEY_FIXED, AT(bounded),
	  .help = "Whether `force` is the most with which a region ever pulls, also where nothing is in the way: cloth "
	          "then bends rather than stretches where the guide asks for too much." },
	{ "strength", LM_KEY_NUMBER, .high = 1e6, .preset = { 1 }, AT(follow),
	  .help = "How strongly all regions follow, as a share of `force`; 0 lets go." },
	{ "solver", LM_KEY_CHOICE, LM_KEY_FIXED, AT(solver), .choices = solver_names,
	  .help =
	      "`lean` ends a step where nothing visible is left to do; `exact` goes on to the minimum, at several times "
	      "the price. Nothing crosses with either." },
	{ "tolerance", LM_KEY_NUMBER, .high = 1e6, AT(tolerance), .unit = "m",
	  .usual = "what is 10 thicknesses per second; with `exact` 1e-6 of the size",
	  .help = "A step is done when nothing would move further than this." },
	{ "iterations", LM_KEY_INTEGER, .high = 10000, AT(most_iterations), .usual = "6; with `exact` 200",
	  .help = "Of Newton's method in a step, at most; a lean step takes more where regions or colliders are not where "
	          "they shall be." },
};

const lm_table lm_track_settings_table = {
	.name = "settings of track",
	.article = "the",
	.help = "What may change while a cloth lives.",
	.size = sizeof(lm_track_settings),
	LM_KEYS(keys),
};

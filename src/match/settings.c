// settings.c: the table of a body's settings: what checks, scene files and documents know of each.
#include "match/settings.h"

#define AT(field) LM_AT(lm_match_settings, field)

static const lm_key keys[] = {
	{ "sag", LM_KEY_NUMBER, .low = 1e-6, .high = 1, .preset = { 0.01 }, AT(sag),
	  .help = "How soft: how far a column of its height sinks under its own weight, as a share of the height." },
	{ "frequency", LM_KEY_NUMBER, .high = 1000, AT(frequency), .unit = "Hz",
	  .help = "How fast a small piece springs back, in place of `sag`: finer meshes are softer. 0: as `sag` says." },
	{ "damping", LM_KEY_NUMBER, .high = 2, .preset = { 0.1 }, AT(damping),
	  .help = "Of the deformation, as a fraction of critical damping; flight and spin are not slowed." },
	{ "alpha", LM_KEY_NUMBER, .high = 1, .preset = { 0.5 }, AT(alpha),
	  .help =
	      "With the method `paper`, in place of `sag`, `frequency` and `damping`: how much of the way to the goals is "
	      "taken in every step." },
	{ "drag", LM_KEY_NUMBER, .high = 1e6, AT(drag), .unit = "1/s", .help = "Slows everything, as air does." },
	{ "beta", LM_KEY_NUMBER, .high = 1, .preset = { 0.995 }, AT(beta),
	  .help = "How much of the example poses is kept; 0 ignores them, near 1 stays in them." },
	{ "friction", LM_KEY_NUMBER, .high = 1e6, .preset = { 0.5 }, AT(friction),
	  .help = "Coulomb's coefficient; two touching things use the geometric mean of theirs." },
	{ "restitution", LM_KEY_NUMBER, .high = 1, AT(restitution),
	  .help = "How much of the speed of an impact comes back." },
	{ "thickness", LM_KEY_NUMBER, .high = 1e6, AT(thickness), .unit = "m", .help = "Contacts keep this distance." },
	{ "self_contact", LM_KEY_FLAG, AT(self_contact), .help = "Whether it touches itself." },
	{ "gravity", LM_KEY_VECTOR, .width = 3, .low = -1e6, .high = 1e6, .preset = { 0, -9.81, 0 }, AT(gravity),
	  .unit = "m/s^2", .usual = "the scene's", .help = "For this object alone." },
};

const lm_table lm_match_settings_table = {
	.name = "settings of match",
	.article = "the",
	.help = "What may change while a body lives.",
	.size = sizeof(lm_match_settings),
	LM_KEYS(keys),
};

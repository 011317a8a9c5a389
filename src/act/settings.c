// settings.c: the table of a body's settings: what checks, scene files and documents know of each.
#include "act/settings.h"

#define AT(field) LM_AT(lm_act_settings, field)

static const lm_key keys[] = {
	{ "stretch", LM_KEY_NUMBER, .low = 1e-12, .high = 1e15, .preset = { 2000 }, AT(material.stretch), .unit = "N/m^2",
	  .help = "Stiffness against stretching; N/m for shells and solids in the plane, N for curves." },
	{ "bend", LM_KEY_NUMBER, .high = 1e15, .preset = { 2 }, AT(material.bend), .unit = "N m",
	  .help = "Stiffness of shells against bending; N m^2 for curves." },
	{ "volume", LM_KEY_NUMBER, .high = 1e15, .preset = { 2000 }, AT(material.volume), .unit = "N/m^2",
	  .help = "Stiffness of solids against changes of volume; N/m in the plane, where it is the area." },
	{ "damping", LM_KEY_NUMBER, .high = 10, .preset = { 0.01 }, AT(damping), .unit = "s",
	  .help = "Of deformation, as a share of the stiffness; flight and spin are not slowed." },
	{ "gravity", LM_KEY_VECTOR, .width = 3, .low = -1e6, .high = 1e6, .preset = { 0, -9.81, 0 }, AT(gravity),
	  .unit = "m/s^2", .usual = "the scene's", .help = "For this object alone." },
	{ "friction", LM_KEY_NUMBER, .high = 100, .preset = { 0.8 }, AT(friction),
	  .help = "Coulomb's coefficient; two touching things use the geometric mean of theirs." },
	{ "contact_stiffness", LM_KEY_NUMBER, .low = 1e-9, .high = 1e12, .preset = { 2000 }, AT(contact_stiffness),
	  .unit = "N/m", .help = "Of the spring at each touching vertex." },
	{ "contact_smoothing", LM_KEY_NUMBER, .low = 1e-9, .high = 1e3, .preset = { 0.005 }, AT(contact_smoothing),
	  .unit = "m", .help = "Depth over which that spring sets in." },
	{ "friction_slack", LM_KEY_NUMBER, .low = 1e-9, .high = 1e3, .preset = { 0.001 }, AT(friction_slack), .unit = "m",
	  .help = "How far a vertex moves before friction holds it." },
	{ "rest_stretch", LM_KEY_NUMBER, .low = 1e-12, .high = 1e15, .preset = { 5 }, AT(rest_material.stretch),
	  .unit = "N/m^2", .help = "What it costs to stretch the rest shape; units as those of `stretch`." },
	{ "rest_bend", LM_KEY_NUMBER, .high = 1e15, .preset = { 0.02 }, AT(rest_material.bend), .unit = "N m",
	  .help = "What it costs to bend the rest shape; units as those of `bend`." },
	{ "rest_volume", LM_KEY_NUMBER, .high = 1e15, .preset = { 5 }, AT(rest_material.volume), .unit = "N/m^2",
	  .help = "What it costs to change the volume of the rest shape; units as those of `volume`." },
	{ "parameter_weight", LM_KEY_NUMBER, .low = 1e-12, .high = 1e12, .preset = { 2e-3 }, AT(parameter_weight),
	  .help = "What it costs to be away from the rest shape at all." },
	{ "change_weight", LM_KEY_NUMBER, .high = 1e12, .preset = { 3e-3 }, AT(change_weight),
	  .help = "What it costs to change the rest shape from step to step; more is calmer." },
	{ "smallest_rest", LM_KEY_NUMBER, .low = 1e-6, .high = 0.999, .preset = { 0.15 }, AT(smallest_rest),
	  .help = "No element of the rest shape shrinks below this share of its size." },
	{ "iterations", LM_KEY_INTEGER, .high = 1000, .preset = { 10 }, AT(most_iterations),
	  .help = "Of the optimiser, per step, at most; 0 keeps the rest shape." },
	{ "tolerance", LM_KEY_NUMBER, .low = 1e-14, .high = 1, .preset = { 1e-3 }, AT(tolerance),
	  .help = "Of the optimiser, relative." },
	{ "starts", LM_KEY_INTEGER, .high = 128, AT(starts),
	  .help = "With examples: how many further starts the optimiser tries in each step, poses in turn." },
	{ "exact", LM_KEY_FLAG, AT(exact),
	  .help = "Whether the optimiser uses exact second derivatives: fewer iterations at tight tolerances." },
};

const lm_table lm_act_settings_table = {
	.name = "settings of act",
	.article = "the",
	.help = "What may change while a body lives.",
	.size = sizeof(lm_act_settings),
	LM_KEYS(keys),
};

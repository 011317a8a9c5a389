// resolve_passive.c: a passive solid of which the scene says nothing but where it is.
//
// The defaults of the settings are those of a light body of LM_USUAL_SIZE. Of another size, gravity or density it would
// be another body: a hundred times as large it collapses, a hundred times as small it is a stone that hovers at the
// smoothing of its contact, and under anything of the density of other engines it is crushed. So all that has a length
// or a weight in it follows the body: with L its size, stiffness goes with rho g L, springs of contact with rho g L^2,
// lengths with L, times with sqrt(L / g), which makes bodies of all sizes move alike.
#include "objects/act/act.h"
#include "scene/scene.h"

#include <math.h>

#define LM_PASSIVE_DENSITY 1000 // kg/m^3: as heavy as other bodies of its size
#define LM_USUAL_SIZE 1.0       // m
#define LM_USUAL_DENSITY 1.0    // kg/m^3
#define LM_USUAL_GRAVITY 9.81   // m/s^2

// Whether the scene leaves all of its material and contact to us.
static bool is_left_alone(const lm_scene_act* act)
{
	return !LM_GIVEN(lm_act_table, act, settings.material.stretch) &&
	       !LM_GIVEN(lm_act_table, act, settings.material.volume) &&
	       !LM_GIVEN(lm_act_table, act, settings.contact_stiffness) &&
	       !LM_GIVEN(lm_act_table, act, settings.contact_smoothing) &&
	       !LM_GIVEN(lm_act_table, act, settings.friction_slack) && !LM_GIVEN(lm_act_table, act, settings.damping);
}

void lm_act_complete_passive(const lm_scene_body* body, lm_scene_object* object)
{
	lm_scene_act* act = object->act;
	bool solid = act->kind == LM_ACT_SOLID || act->kind == LM_ACT_SOLID_GREEN;
	if (!solid || act->control != LM_ACT_PASSIVE || body->mesh == NULL || !is_left_alone(act))
		return;
	if (!LM_GIVEN(lm_object_table, object, density))
		object->density = LM_PASSIVE_DENSITY;
	lm_act_settings* s = &act->settings;
	double g = sqrt(s->gravity[0] * s->gravity[0] + s->gravity[1] * s->gravity[1] + s->gravity[2] * s->gravity[2]);
	double pull = g > 0 ? g / LM_USUAL_GRAVITY : 1, size = lm_mesh_longest_side(body->mesh) / LM_USUAL_SIZE;
	double pressure = object->density / LM_USUAL_DENSITY * pull * size;
	s->material.stretch *= pressure, s->material.volume *= pressure;
	s->contact_stiffness *= pressure * size;
	s->contact_smoothing *= size, s->friction_slack *= size;
	s->damping *= sqrt(size / pull);
}

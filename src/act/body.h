// body.h: what lm_act is.
#ifndef LM_ACT_BODY_H
#define LM_ACT_BODY_H

#include "act/rest.h"
#include "elastic/elastic.h"
#include "limber/act.h"

typedef struct lm_act_physics lm_act_physics;     // physics*.c: factorisation, touches, what is fixed for a step
typedef struct lm_act_optimizer lm_act_optimizer; // optimize*.c: its scratch

// Goals as sparse rows: row r has numbers value[start[r]] .. of unknowns index[...].
typedef struct lm_act_rows
{
	int32_t count, capacity, number_capacity;
	int32_t* start; // count + 1
	int32_t* index;
	double* value;
	double *position, *velocity, *kp, *kd, *weight; // [count]
} lm_act_rows;

struct lm_act
{
	lm_host host;
	lm_act_kind kind;
	const lm_elastic_model* model; // NULL: as the kind says
	int dimension;
	int32_t vertex_count, unknowns;
	lm_act_settings settings;
	int32_t id;                  // in the memories of touches; -1: its place in the list of a step
	const bool *apart, *without; // see lm_act_set_touch
	bool proxy;                  // of a guest (guest.h)
	double rest_cost;            // times settings.rest_material
	double damping_share;        // times settings.damping
	lm_mesh* mesh;               // the rest shape as given
	double size;                 // longest side of the rest shape
	lm_elastic* elastic;
	lm_act_rest rest;
	double* masses; // [vertex_count]
	double mass;

	// state
	double* x;              // [unknowns] positions
	double* v;              // [unknowns] velocities
	double* p;              // [parameters]
	double* X;              // [rest_unknowns] X(p)
	double* y;              // [unknowns] the step's end, being solved for
	bool* pinned;           // [vertex_count]
	double* pin_targets;    // [unknowns] where pinned vertices are at the end of the step
	double* drag_targets;   // [unknowns]
	double* drag_strengths; // [vertex_count], N/m

	lm_act_rows goals;
	lm_act_physics* physics;
	lm_act_optimizer* optimizer; // NULL when passive
	lm_act_report report;
	bool profile;
};

// Whether the exact Hessian is wanted, and there is one.
static inline bool lm_act_is_exact(const lm_act* body)
{
	return body->settings.exact && (body->model == NULL || body->model->third != NULL);
}

static inline lm_elastic_material lm_act_elastic_material(const lm_act_material* m)
{
	return (lm_elastic_material){ .stretch = m->stretch, .bend = m->bend, .volume = m->volume };
}

#endif

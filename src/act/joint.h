// joint.h: the matrix of several bodies that touch.
#ifndef LM_ACT_JOINT_H
#define LM_ACT_JOINT_H

#include "act/system.h"

// A body and the proxy of a guest that touch: the guest's points are few, so that the pattern has room for touches at
// all vertices of the parts of the body that touch, and beside them.
typedef struct lm_act_joint_pair
{
	int32_t body, proxy;    // of the system
	double low[3], high[3]; // the body's box at rest
	uint64_t parts;         // a bit for each of 4 x 4 x 4 parts of it
} lm_act_joint_pair;

// A pattern with the terms of all bodies and the links between them, analysed anew whenever other vertices touch, of
// guests other parts: bodies at rest on each other keep it. It depends on nothing but the bodies and the links, so that
// a run that was resumed goes on with the same bits.
//
// With guests it is factorised in single precision, as a preconditioner of GMRES, which friction needs anyway. Features
// change more often then, as guests share their forces with all that they touch; the next rounds of a step assemble the
// matrix anew, but keep the factorisation (islands.c).
typedef struct lm_act_joint
{
	lm_pattern* pattern;
	lm_cholesky* cholesky;
	double* values;
	int64_t *key, *wanted; // what it was made for, and what it is to be made for
	int64_t key_count;
	size_t key_capacity, wanted_capacity;
	lm_act_joint_pair* pairs; // as wanted
	int32_t pair_count;
	size_t pair_capacity;
	bool rough;      // with proxies: factorised in single precision
	bool factorized; // in this step; the owner's
} lm_act_joint;

// Gives a system of several bodies its matrix, which the first of them keeps.
lm_status lm_act_joint_prepare(lm_act_system* system, lm_error* error);
void lm_act_joint_release(lm_act_joint* joint, const lm_host* host);

#endif

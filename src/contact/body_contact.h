// body_contact.h: a point of one body found in, or close to, another body or another part of its own.
#ifndef LM_CONTACT_BODY_CONTACT_H
#define LM_CONTACT_BODY_CONTACT_H

#include "contact/body.h"

// Thickness that sheets have at least, as a share of the edges.
#define LM_SHEET_SKIN 1e-3

typedef struct lm_body_contact
{
	int32_t a, b;       // the bodies
	int32_t on_a[2];    // the particles of a that carry the point p_a = sum weight_a x
	int32_t on_b[4];    // the particles of b that carry p_b; p_a = p_b but for sheets
	double weight_a[2]; // sums are 1
	double weight_b[4];
	lm_vec3 normal;  // unit; a is pushed along it, b against it
	double touching; // n . (p_a - p_b) at which the surfaces touch, so that the depth is touching - n . (p_a - p_b)
	double keep;     // distance that is kept beyond that, the thickness
	bool has_friction;
	int32_t face; // the triangle of b
	int32_t side; // sheets: +1 or -1, the side of the triangle on which a belongs; 0: at an edge, or a solid
	// Sheets: p_a - p_b = lever n, and the gradients of the three weights. Friction acts on a at p_a and on b at p_b;
	// the couple lever n x impulse that is missing is made up by impulses along n.
	double lever;
	lm_vec3 gradient[3];
} lm_body_contact;

typedef struct lm_body_contact_query
{
	const lm_contact_body *a, *b; // moved; a may be b
	int32_t sample;               // of a
	double thickness;             // to keep
	double reach;                 // sheets: how far the two can have moved towards each other in the step
	// Sheets: on which side of this triangle (-1: none) the point was last; counts for its neighbours, too.
	int32_t last_face, last_side;
	// For engines with contact memory: sides hold at the inner edges of sheets, too, and where the tetrahedron behind
	// the nearest triangle is of no use, that triangle alone will do.
	bool steady;
} lm_body_contact_query;

// Fills all of *contact but the indices of the bodies; false when the point is free.
bool lm_body_contact_find(const lm_body_contact_query* query, lm_body_contact* contact);

// The same for a point of no body (a NULL, sample unused); on_a and weight_a are not filled.
typedef struct lm_body_contact_point
{
	lm_vec3 now, before;
	lm_vec3 facing; // out of what it is a point of, unit; zero when unknown
} lm_body_contact_point;
bool lm_body_contact_find_point(const lm_body_contact_query* query, const lm_body_contact_point* point,
                                lm_body_contact* contact);

#endif

// push.h: what a cloth gives to the bodies that it lies on, or that lead it (track/reaction.h), on its way to them.
//
// Cloth moves last in a step, against bodies that go where they go, as if they were infinitely heavy, and bodies feel
// it in the next one. So a push J is what a body of infinite mass would get. A body of mass m and the part of the cloth
// that touches it, of mass M, share it: r = M / (m + M) of it goes back to that part of the cloth at once, as a change
// of velocity, and the rest to the body. r is at most LM_MOST_BACK: cloth that lies on a body is pressed onto it by
// r / (1 - r) of its weight besides.
//
// What the body gets goes into a bag, and a step takes the share s of it. Handed over at once, what a body does and
// what the cloth answers would take turns: a push P is answered by -(M (1 - r) / m - r) P = -q P. The bag then changes
// by 1 - s (1 + q) from step to step, which dies out for s below 2 / (1 + q), without taking turns for half of that.
// What is in the bag is momentum that nobody has yet; none is lost.
//
// A cloth of many times the mass of a body is a spring that no such delay is short enough for. So a step never gives a
// body more than what stops it against the cloth, some of its own weights, and the weight of the cloth where it pushes
// down. The rest waits, and is lost when the cloth has let go.
#ifndef LM_OBJECTS_TRACK_PUSH_H
#define LM_OBJECTS_TRACK_PUSH_H

#include "scene/engine.h"
#include "track/reaction.h"

typedef struct lm_track_bag
{
	double wrench[6];  // N s, and N m s about the body's centre of mass
	double squeeze[6]; // N m s: xx yy zz xy xz yz, see match/touched.c
	double touching;   // kg
	double step;       // s: of the cloth
	double lost;       // N s: that was more than the cloth could have given, so far
} lm_track_bag;

#define LM_MOST_BACK 0.9
// r
double lm_track_share_back(double touching, double mass);

// What was given in a step of h is added; centre: of the body's mass.
void lm_track_bag_fill(lm_track_bag* bag, const lm_track_given* given, const double centre[3], double h);

// What gets a push, and the cloth that gives it.
typedef struct lm_track_pushed
{
	double mass, size, cloth_mass;
	double velocity[3], cloth_velocity[3]; // of the centres of mass
	double gravity[3];                     // of the cloth
} lm_track_pushed;

// Takes out what a body gets in a step of h, and adds it as forces to the wrench and the squeeze.
void lm_track_bag_hand_over(lm_track_bag* bag, const lm_track_pushed* pushed, double h, double wrench[6],
                            double squeeze[6]);

uint64_t lm_track_bag_hash(const lm_track_bag* bag, uint64_t hash);
void lm_track_bag_save(const lm_track_bag* bag, lm_blob* blob);
void lm_track_bag_load(lm_track_bag* bag, lm_blob* blob); // marks the blob as failed when a number cannot be

#endif

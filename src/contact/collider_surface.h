// collider_surface.h: triangles for a collider: to show it by, and to keep cloth clear of.
#ifndef LM_CONTACT_COLLIDER_SURFACE_H
#define LM_CONTACT_COLLIDER_SURFACE_H

#include "limber/contact.h"

// In the collider's own frame. extent: how far a plane should reach.
lm_status lm_collider_surface(const lm_collider_def* def, double extent, const lm_host* host, lm_mesh** mesh,
                              lm_error* error);

#endif

// limber.h: everything.
#ifndef LIMBER_LIMBER_H
#define LIMBER_LIMBER_H

#include "limber/act.h"
#include "limber/act_character.h"
#include "limber/act_pilot.h"
#include "limber/base.h"
#include "limber/command.h"
#include "limber/contact.h"
#include "limber/design.h"
#include "limber/elastic.h"
#include "limber/field.h"
#include "limber/io.h"
#include "limber/match.h"
#include "limber/mesh.h"
#include "limber/pose.h"
#include "limber/render.h"
#include "limber/scene.h"
#include "limber/track.h"
#include "limber/view.h"
#include "limber/world.h"

#endif

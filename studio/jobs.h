// jobs.h: work in the background: a performance is simulated once more, exactly, and written as cache, point caches,
// video, picture or scene. One at a time, in a thread of its own, with a world of its own.
#ifndef STUDIO_JOBS_H
#define STUDIO_JOBS_H

#include "folder.h"

#include "limber/limber.h"

#include <jansson.h>

typedef enum job_kind
{
	JOB_CACHE,   // .lmc
	JOB_PC2,     // one file for each object
	JOB_MDD,     // likewise
	JOB_VIDEO,   // .mp4
	JOB_PICTURE, // .png of one frame
	JOB_SCENE,   // .json, whose timeline is the performance
	JOB_KINDS
} job_kind;

extern const char* const job_names[JOB_KINDS]; // as pages name them

typedef struct job_order
{
	job_kind kind;
	int client;               // who wants it
	char path[PATH_CAPACITY]; // of what is made
	char scene_path[PATH_CAPACITY];
	char* scene_text;              // taken over
	char take_path[PATH_CAPACITY]; // a temporary file, removed afterwards; "": none
	int64_t frames;                // how many to simulate
	lm_camera camera;              // of the page, when has_camera
	bool has_camera;
} job_order;

typedef struct job_result
{
	int client;
	bool good;
	char path[PATH_CAPACITY];
	char error[1024];
} job_result;

typedef struct jobs jobs;

jobs* jobs_create(const lm_host* host);
void jobs_destroy(jobs* j); // waits for the thread
// False when too many are waiting; the order's text is freed then, too.
bool jobs_add(jobs* j, job_order* order);
bool jobs_cancel(jobs* j, int id);
void jobs_cancel_all(jobs* j);
json_t* jobs_list(jobs* j);                      // [{"id", "as", "name", "done"}]
bool jobs_finished(jobs* j, job_result* result); // the next one that has ended; false when there is none

#endif

// writers.h: one function per format. Positions are finite and the mesh suits the format: lm_mesh_write has checked.
// Each writes to an open output and leaves errors of the system to lm_output_commit.
#ifndef LM_IO_WRITERS_H
#define LM_IO_WRITERS_H

#include "limber/mesh.h"

#include <stdio.h>

void lm_obj_write(FILE* file, const lm_mesh* mesh, const double* positions);
void lm_ply_write(FILE* file, const lm_mesh* mesh, const double* positions);
void lm_stl_write(FILE* file, const lm_mesh* mesh, const double* positions);
void lm_msh_write(FILE* file, const lm_mesh* mesh, const double* positions);
void lm_node_write(FILE* file, const lm_mesh* mesh, const double* positions);
void lm_ele_write(FILE* file, const lm_mesh* mesh);

#endif

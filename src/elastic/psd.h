// psd.h: the closest positive semidefinite matrix of an element.
#ifndef LM_ELASTIC_PSD_H
#define LM_ELASTIC_PSD_H

// A is the symmetric matrix (corners * dimension rows, at most 12) of an element whose energy translations do not
// change: its blocks sum to zero in every row. Replaces it by the closest positive semidefinite matrix in the Frobenius
// norm: negative eigenvalues become zero. A that is semidefinite up to rounding stays as it is.
void lm_psd_project(int corners, int dimension, double* A);

// The same for an edge from x[0 .. dimension) to x[dimension ..) with A = [B -B; -B B], B = alpha I + beta e e^T and
// beta >= 0, as all energies of lengths have: in closed form.
void lm_psd_project_edge(int dimension, const double* x, double* A);

#endif

// psd.h: the closest positive semidefinite matrix.
#ifndef LM_ELASTIC_PSD_H
#define LM_ELASTIC_PSD_H

#define LM_PSD_MAX 12

// Replaces the symmetric A (n x n, n <= LM_PSD_MAX) by the closest positive semidefinite matrix in the Frobenius norm:
// negative eigenvalues become zero. A that is semidefinite up to rounding stays as it is.
void lm_psd_project(int n, double* A);

#endif

// Telling early that a saddle point is none.
//
// Front s and those below it eliminate a part [H' C'^T; C' -D'] of K = [H C^T; C -D]. H' may be indefinite as long as
// constraints hold it: those of C', and the constraints T that touch H' but follow later; these are among the front's
// further rows. With W the update of the front, the part together with T has
//
//     negative pivots so far + negative eigenvalues of (W_TT - D_TT)
//
// negative eigenvalues (Sylvester), at least that of W_TT. More than there are constraints in the part and in T are too
// many for K: those that K has besides, R, do not touch H', nor does D couple them with the part or T, so that the
// part, T and R together have |R| more; they are a principal submatrix of K, and K has no fewer negative eigenvalues
// than that (Cauchy), but should have as many as constraints.
//
// That D does not couple them is true where the part has all or none of the unknowns of a block; parts for
// which it is not are not looked at.
#include "base/alloc.h"
#include "sparse/dense.h"
#include "sparse/fronts.h"

// Of each front, how many fronts its subtree has; 0 if they do not lie side by side. closed[s]: the columns up to front
// s - 1 have all or none of the unknowns of a block. seen has n numbers, all zero.
static void inspect_tree(const lm_fronts* f, int32_t* size, int32_t* closed, int32_t* seen)
{
	int32_t block_size = f->pattern->block_size, open = 0;
	for (int32_t s = 0; s < f->count; ++s)
	{
		closed[s] = open == 0;
		for (int32_t j = f->first[s]; j < f->first[s + 1]; ++j)
		{
			int32_t* members = &seen[f->order[j] / block_size];
			open += (*members == 0) - (*members == block_size - 1);
			++*members;
		}
		size[s] = 1;
		for (int32_t child = f->child[s]; child >= 0 && size[s] > 0; child = f->sibling[child])
			size[s] = child == s - size[s] && size[child] > 0 ? size[s] + size[child] : 0;
	}
	closed[f->count] = open == 0;
}

// before[s]: how many the fronts up to s - 1 eliminate.
static void count_constraints(lm_fronts* f, const int32_t* size, const int32_t* closed, int32_t* before)
{
	before[0] = 0;
	for (int32_t s = 0; s < f->count; ++s)
	{
		before[s + 1] = before[s];
		for (int32_t j = f->first[s]; j < f->first[s + 1]; ++j)
			before[s + 1] += f->order[j] >= f->first_negative;
		bool whole = size[s] > 0 && closed[s + 1] && closed[s + 1 - size[s]];
		f->constraints[s] = whole ? before[s + 1] - before[s + 1 - size[s]] : INT32_MAX; // never too many
	}
}

// W_TT in the upper triangle of a dense matrix, in room for right sides. Returns its rows, or -1 if it does not fit.
static int gather_later(const lm_fronts* f, int32_t s, const double* W, int32_t* later, double* dense)
{
	int64_t m = lm_front_rows(f, s), stride = lm_front_padded(m), count = 0;
	const int32_t* rows = f->rows + f->row_start[s];
	for (int64_t i = 0; i < m; ++i)
		if (f->order[rows[i]] >= f->first_negative)
			later[count++] = (int32_t)i;
	if (count * count > f->T_room)
		return -1;
	for (int64_t j = 0; j < count; ++j)
		for (int64_t i = j; i < count; ++i)
			dense[j * count + i] = W[later[j] * stride + later[i]];
	return (int)count;
}

static bool is_saddle(const lm_fronts* f, int32_t s, const double* update, int worker)
{
	int32_t negative = 0, *rows = f->later + worker * f->most_rows;
	double* dense = f->T + worker * f->T_room;
	for (int32_t j = f->first[s]; j < f->first[s + 1]; ++j)
		negative += f->sign[j] < 0;
	for (int32_t child = f->child[s]; child >= 0; child = f->sibling[child])
		negative += f->negative[child];
	f->negative[s] = negative;
	if (negative <= f->constraints[s])
		return true;
	int later = f->parent[s] >= 0 ? gather_later(f, s, update, rows, dense) : 0;
	if (later < 0)
		return true;
	int64_t allowed = f->constraints[s] + (int64_t)later - negative;
	return allowed >= 0 && (later == 0 || lm_dense_ldl(later, dense, rows).negative <= allowed);
}

lm_status lm_fronts_expect_saddle(lm_fronts* f, int32_t first_negative)
{
	int32_t *size = LM_NEW(&f->host, f->count, int32_t), *closed = LM_NEW(&f->host, f->count + 1, int32_t);
	int32_t *seen = LM_NEW(&f->host, f->n, int32_t), *before = LM_NEW(&f->host, f->count + 1, int32_t);
	f->first_negative = first_negative, f->is_saddle = is_saddle;
	f->negative = LM_NEW(&f->host, f->count, int32_t);
	f->later = LM_NEW(&f->host, f->workers * f->most_rows, int32_t);
	f->constraints = LM_NEW(&f->host, f->count, int32_t);
	bool enough = size && closed && seen && before && f->negative && f->later && f->constraints;
	if (enough)
		inspect_tree(f, size, closed, seen), count_constraints(f, size, closed, before);
	lm_free(&f->host, size), lm_free(&f->host, closed), lm_free(&f->host, seen), lm_free(&f->host, before);
	return enough ? LM_OK : LM_NO_MEMORY;
}

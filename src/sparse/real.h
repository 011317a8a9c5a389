// real.h: the numbers that fronts are made of: doubles or, half as large and twice as fast, floats.
//
// The files of fronts and of their kernels are compiled twice. The second time LM_SINGLE is defined, lm_real is float,
// and names end in _single.
#ifndef LM_SPARSE_REAL_H
#define LM_SPARSE_REAL_H

#ifdef LM_SINGLE
#define lm_real float
#define LM_FRONTS_ROOM 8 // rows that kernels take at once
#define lm_product lm_product_single
#define lm_sparse_kernels lm_sparse_kernels_single
#define lm_sparse_kernels_plain lm_sparse_kernels_single_plain
#define lm_sparse_kernels_avx2 lm_sparse_kernels_single_avx2
#define lm_sparse_find_kernels lm_sparse_find_kernels_single
#define lm_fronts lm_fronts_single
#define lm_fronts_create lm_fronts_create_single
#define lm_fronts_destroy lm_fronts_destroy_single
#define lm_fronts_factorize lm_fronts_factorize_single
#define lm_fronts_solve lm_fronts_solve_single
#define lm_fronts_get_info lm_fronts_get_info_single
#define lm_fronts_column_parents lm_fronts_column_parents_single
#define lm_fronts_join lm_fronts_join_single
#define lm_fronts_plan lm_fronts_plan_single
#define lm_fronts_cut lm_fronts_cut_single
#define lm_fronts_list_touches lm_fronts_list_touches_single
#define lm_fronts_place_updates lm_fronts_place_updates_single
#define lm_front_finish_block lm_front_finish_block_single
#define lm_front_strips lm_front_strips_single
#define lm_front_finish_strip lm_front_finish_strip_single
#define lm_front_parts lm_front_parts_single
#define lm_front_take_from_part lm_front_take_from_part_single
#define lm_front_make_update lm_front_make_update_single
#else
#define lm_real double
#define LM_FRONTS_ROOM 4
#endif

#endif

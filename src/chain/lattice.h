/* A lattice: the scores of all tags of a sentence.
 *
 *   node[t * labels + y]            of tag y at token t
 *   link[t][x * labels + y]         of tag y at token t behind tag x at token t - 1; t > 0
 *
 * A path has one tag for each token, and the sum of what it passes. Tags that may not follow one another
 * have the link -INFINITY (rules.h); so have tags that may not begin or end a sentence, in the node. */
#ifndef THR_CHAIN_LATTICE_H
#define THR_CHAIN_LATTICE_H

#include "base/mem.h"

typedef struct thr_lattice {
    size_t tokens;
    uint32_t labels;
    uint32_t beam; /* only so many of the best tags of each token are followed; 0: all */
    double *node;
    const double **link;
    size_t node_room, link_room;
    /* Scratch of the functions below. */
    double *alpha, *beta; /* [token][label] */
    double *e_node, *e_link, *scale, *behind;
    const double **e_of; /* [token]: the exponentials of its link */
    uint32_t *kept;      /* the tags of the token before that are followed, in order */
    double *order;       /* [label] */
    uint32_t *from;       /* [token][label] */
    size_t alpha_room, beta_room, from_room, e_node_room, e_link_room, scale_room, behind_room, e_of_room, kept_room, order_room;
} thr_lattice;

/* Makes room for a sentence. Nodes and links are to be filled in. False: out of memory. */
bool thr_lattice_lay_out(thr_lattice *l, size_t tokens, uint32_t labels);
/* Makes room for marginals, too, with so many different matrices of links. */
bool thr_lattice_prepare(thr_lattice *l, size_t matrices);
void thr_lattice_clear(thr_lattice *l); /* frees */
/* Which tags of a token are followed, by their sums up to it: all, or as many as the beam has, the best; of
 * equal ones the lower. They go to l->kept; returns how many. */
uint32_t thr_lattice_keep(thr_lattice *l, const double *sum);
/* The path with the greatest sum, which is returned. Of equal sums the lower tags win, from the end on.
 * There must be a path without -INFINITY, or the result is -INFINITY and some path. */
double thr_lattice_best(thr_lattice *l, uint32_t *path);
/* Probabilities of tags, if that of a path is in proportion to e to its sum: l->beta[t * labels + y] becomes
 * that of tag y at token t. pair[t], unless it is NULL, is a matrix like link[t], to which the probabilities
 * of two tags in a row are added; several tokens may have the same. Returns the logarithm of the sum over
 * all paths. */
double thr_lattice_marginals(thr_lattice *l, double *const *pair);
/* The best paths, at most `most`, best first: path i is path[i * tokens ..], with the sum sum[i]. *found is
 * how many there are. False: out of memory. */
bool thr_lattice_several(const thr_lattice *l, size_t most, uint32_t *path, double *sum, size_t *found);
/* The sum of a path. */
double thr_lattice_sum(const thr_lattice *l, const uint32_t *path);

#endif

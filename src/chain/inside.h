/* What the files of chain/ share of one another (chain.h). */
#ifndef THR_CHAIN_INSIDE_H
#define THR_CHAIN_INSIDE_H

#include "chain/chain.h"

/* Takes a sentence in and scores all nodes and links, as learned from and as predicted with. Features
 * with ids from `known` on are not there. */
int thr_chain_score(const thr_model *m, thr_chain *c, const thr_batch *b, size_t from,
                    uint32_t known, thr_error *err);
/* Finds the rows again, when they have moved. False: out of memory. */
bool thr_chain_find(const thr_model *m, thr_chain *c);
/* Makes room for probabilities: n of pairs. False: out of memory. */
bool thr_chain_prepare(thr_chain *c, size_t n);
/* Fills in the lattice from the one or the other. False: out of memory. */
bool thr_chain_lattice(const thr_model *m, thr_chain *c, bool live);
/* An example without features, for what a rule asks of one. */
void thr_chain_like(const thr_model *m, const thr_chain *c, thr_example *e);

#endif

/* The panel: several rules learn from each example, and a weighted vote over them predicts
 * (weighted majority, Littlestone and Warmuth 1994; fixed share, Herbster and Warmuth 1998).
 * Expert k of N has the weight W_k; after each example
 *     W_k *= exp(-eta) if expert k was wrong,
 *     W_k = (1 - share) W_k + share/(N - 1) (sum of the other W).
 * If the best expert makes m mistakes in T examples, the vote makes at most
 *     (eta m + ln N + (T - 1) ln 1/(1 - share)) / ln(2/(1 + exp(-eta))).
 *
 * There is no arithmetic in this file. The members are ordinary rules (the setting `members`),
 * and model/panel.c computes the vote. This row of the table gives the panel its name and its
 * options. */
#include "learner/learner.h"

static const thr_option_info options[] = {
    {"eta", "0.1", "a mistake multiplies the vote weight of a member by exp(-eta)", THR_REAL, NULL,
     1e-6, 20},
    {"share", "0.001", "fraction of each vote weight given to the others after every example",
     THR_REAL, NULL, 0, 0.5},
    {"vote", "majority", "majority: weighted majority; random: one member, drawn by weight",
     THR_CHOICE, "majority|random", 0, 1},
    {"blend", "on", "add an expert that multiplies the probabilities of the members", THR_BOOL,
     NULL, 0, 1},
    {"seed", "0", "random seed for vote=random", THR_INT, NULL, 0, 9e15},
    {0},
};

static int setup(thr_rule *r, thr_error *err)
{
    (void)r, (void)err;
    return 0;
}

const thr_learner thr_learner_panel = {
    .name = "panel",
    .help = "several learners and a weighted vote that follows the best of them (the default)",
    .options = options,
    .flags = THR_PANEL,
    .policy = "one-vs-all",
    .setup = setup,
};

/* The panel: several rules learn from each example, and one decision is made of theirs.
 *
 * decide=mix adds up the members' log-odds, with weights that are learned (model/mixture.h), and
 * pauses members that have no weight (model/review.h).
 *
 * decide=vote predicts by a weighted vote (weighted majority, Littlestone and Warmuth 1994; fixed
 * share, Herbster and Warmuth 1998). Expert k of N has the weight W_k; after each example
 *     W_k *= exp(-eta) if expert k was wrong,
 *     W_k = (1 - share) W_k + share/(N - 1) (sum of the other W).
 * If the best expert makes m mistakes in T examples, the vote makes at most
 *     (eta m + ln N + (T - 1) ln 1/(1 - share)) / ln(2/(1 + exp(-eta))).
 *
 * There is no arithmetic in this file. The members are ordinary rules (the setting `members`),
 * and model/panel.c, mixture.c and review.c decide. This row of the table gives the panel its name
 * and its options. */
#include "learner/learner.h"

enum { DECIDE = 5, PAUSE = 6, VOTES = 1 };

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
    {"decide", "mix", "mix: add up log-odds, one linear function; vote: weighted vote", THR_CHOICE,
     "mix|vote", 0, 1},
    {"pause", "on", "decide=mix: pause members without weight after thousands of examples",
     THR_BOOL, NULL, 0, 1},
    {0},
};

/* The options before `decide` are those of the vote, and those behind it of the mixture. They say
 * nothing to the other. An option that is not at its default is refused, because it was given for a
 * purpose. */
static int setup(thr_rule *r, thr_error *err)
{
    bool votes = r->option[DECIDE] == VOTES;
    size_t from = votes ? DECIDE + 1 : 0, end = votes ? PAUSE + 1 : DECIDE;
    double usual[THR_MAX_OPTIONS];
    int code = thr_options_defaults(options, "panel", thr_old_defaults, r->rules, usual, err);
    for (size_t i = from; i < end && code == 0; i++)
        if (r->option[i] != usual[i])
            code = thr_fail(err, THR_EUSE, "panel: %s is an option of decide=%s", options[i].name,
                            votes ? "mix" : "vote");
    return code;
}

const thr_learner thr_learner_panel = {
    .name = "panel",
    .help = "several learners whose log-odds are added up, or that vote (the default)",
    .options = options,
    .flags = THR_PANEL,
    .policy = "one-vs-all",
    .setup = setup,
};

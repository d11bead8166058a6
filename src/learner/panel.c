/* The panel: several rules side by side on each example, and a weighted vote over them.
 *
 * It has no arithmetic of its own here: its members are rules like any other (the setting
 * `members`), the vote is model/panel.c. This row gives it its name and options. */
#include "learner/learner.h"

static const thr_option_info options[] = {
    {"eta", "0.1", "a wrong member's weight is multiplied by exp(-eta)", THR_REAL, NULL, 1e-6, 20},
    {"share", "0.001", "share of each weight given to the others after every example", THR_REAL,
     NULL, 0, 0.5},
    {"vote", "majority", "the heaviest side, or one member drawn by its weight", THR_CHOICE,
     "majority|random", 0, 1},
    {"blend", "on", "one expert more: the members' probabilities, multiplied", THR_BOOL, NULL, 0,
     1},
    {"seed", "0", "of vote=random", THR_INT, NULL, 0, 9e15},
    {0},
};

static int setup(thr_rule *r, thr_error *err)
{
    (void)r, (void)err;
    return 0;
}

const thr_learner thr_learner_panel = {
    .name = "panel",
    .help = "several rules at once and a vote that follows the best (the default)",
    .options = options,
    .flags = THR_PANEL,
    .policy = "one-vs-all",
    .setup = setup,
};

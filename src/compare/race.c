/* A race: all contestants are members of one model, in which no vote is held, and learn from
 * the same stream in one pass. Members share nothing but the ids of features and labels, so
 * each makes the mistakes that it would make alone, while the data is read only once. */
#include "compare/contest.h"
#include "run/defaults.h"
#include "run/train.h"

#include <stdlib.h>
#include <string.h>

/* Whether the textbook form of a learner leaves an option open (its default is `auto` and the
 * form does not set it), so that its name alone does not say what to run. */
static bool wants_more(const thr_learner *l)
{
    for (const thr_option_info *o = l->options; o->name; o++)
        if (strcmp(o->fallback, "auto") == 0 && !(l->textbook && strstr(l->textbook, o->name)))
            return true;
    return false;
}

/* The contestants if none are named: every learner of the table that classifies, is linear and
 * keeps no examples. With multi-label data only those that can learn it; in textbook form only
 * those that need no further options. */
static size_t defaults(const thr_settings *s, const char **names)
{
    bool sets = s && thr_settings_number(s, "multilabel") != 0;
    bool plain = s && thr_settings_number(s, "textbook") != 0;
    size_t n = 0;
    for (size_t i = 0; thr_learners[i] && n < THR_MOST_RACERS; i++) {
        const thr_learner *l = thr_learners[i];
        if (!(l->flags & (THR_PANEL | THR_REGRESSION | THR_NOT_LINEAR | THR_KEEPS)) &&
            (!sets || thr_learner_multilabel(l)) && !(plain && wants_more(l)))
            names[n++] = l->name;
    }
    return n;
}

static int check(const thr_contest *c, thr_error *err)
{
    if (c->n > THR_MOST_RACERS)
        return thr_fail(err, THR_EUSE, "%zu learners are too many for a race: it has room for %d",
                        c->n, THR_MOST_RACERS);
    if (thr_settings_number(c->settings, "max-features") > 0)
        return thr_fail(err, THR_EUSE,
                        "max-features is not for a race: contestants would share the ceiling");
    for (size_t i = 0; i < c->n; i++)
        if (thr_contest_alone(c, i))
            return thr_fail(err, THR_EUSE,
                            "a panel is a race of its own: name its members as contestants");
    return 0;
}

static int run(thr_contest *c, thr_input *in, const thr_race_options *o, thr_error *err)
{
    thr_train_options train = {.passes = 1,
                               .progress = o->progress,
                               .user = o->user,
                               .cache = o->cache,
                               .on_temporary = o->on_temporary,
                               .temporary_user = o->temporary_user};
    thr_train_report report;
    thr_model *m = thr_contest_model(c, 0, c->n, err);
    if (!m)
        return err->code;
    thr_heat heat = {.c = c, .m = m, .n = c->n};
    thr_watch watch = {.fn = thr_heat_note, .user = &heat, .late = true};
    int code = thr_train_watched(m, in, &train, &watch, &report, err);
    thr_heat_end(&heat);
    c->examples = heat.examples;
    c->reading = report.reading;
    thr_model_free(m);
    return code ? code : thr_contest_finish(c, err);
}

thr_contest *thr_race(const thr_settings *s, const char *const *learners, size_t n, thr_input *in,
                      const thr_race_options *o, thr_error *err)
{
    thr_error local;
    const char *names[THR_MOST_RACERS];
    err = err ? err : &local;
    thr_race_options full;
    if (thr_race_complete(o, &full, err))
        return NULL;
    size_t by_default = n ? 0 : defaults(s, names);
    thr_contest *c = thr_contest_new(s, n ? learners : names, n ? n : by_default, err);
    int code = c ? check(c, err) : THR_EUSE;
    if (code == 0)
        code = run(c, in, &full, err);
    if (code == 0)
        return c;
    thr_contest_free(c);
    return NULL;
}

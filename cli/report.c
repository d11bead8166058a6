/* A prediction, the result of a test, and the summary of a panel, as text and as JSON. */
#include "cli.h"

#include <math.h>
#include <string.h>

static double accuracy(const thr_metrics *t)
{
    uint64_t n = thr_metrics_examples(t);
    return n ? 1 - (double)thr_metrics_mistakes(t) / (double)n : 0;
}

const char *cli_accuracy_name(bool sets)
{
    return sets ? "exact match" : "accuracy";
}

void cli_put_labels(FILE *to, const char *const *label, size_t n)
{
    for (size_t i = 0; i < n; i++)
        fprintf(to, "%s%s", i ? "," : "", cli_shown(label[i]));
}

void cli_json_labels(cli_json *j, const char *key, const char *const *label, size_t n)
{
    cli_json_begin(j, key, '[');
    for (size_t i = 0; i < n; i++)
        cli_json_string(j, NULL, label[i]);
    cli_json_end(j, ']');
}

void cli_json_each_label(cli_json *j, const thr_model *m, const char *key, const double *of)
{
    cli_json_begin(j, key, '{');
    for (size_t i = 0; i < thr_model_labels(m); i++)
        cli_json_real(j, thr_model_label(m, i), of[i]);
    cli_json_end(j, '}');
}

void cli_json_prediction(cli_json *j, const thr_model *m, const thr_prediction *r)
{
    if (*r->tag)
        cli_json_string(j, "tag", r->tag);
    if (thr_model_regression(m)) {
        cli_json_real(j, "value", r->score);
        if (r->truth)
            cli_json_real(j, "truth", r->target);
        return;
    }
    if (r->multilabel)
        cli_json_labels(j, "labels", r->set, r->n_set);
    else
        cli_json_string(j, "label", r->label);
    cli_json_real(j, "score", r->score);
    cli_json_real(j, "probability", r->probability);
    if (r->truths)
        cli_json_labels(j, "truths", r->truths, r->n_truths);
    else if (r->truth)
        cli_json_string(j, "truth", r->truth);
}

static int name_width(const thr_metrics *t)
{
    size_t width = 5;
    for (size_t i = 0; i < thr_metrics_labels(t); i++) {
        size_t n = strlen(cli_shown(thr_metrics_label(t, i)));
        width = n > width ? n : width;
    }
    return (int)(width < 32 ? width : 32);
}

static void print_labels(const thr_metrics *t, FILE *to)
{
    int width = name_width(t);
    fprintf(to, "\n%-*s  precision  recall      F1  examples\n", width, "label");
    for (size_t i = 0; i < thr_metrics_labels(t); i++) {
        double prf[3];
        thr_metrics_prf(t, i, prf);
        fprintf(to, "%-*.*s     %6.4f  %6.4f  %6.4f  %8llu\n", width, width,
                cli_shown(thr_metrics_label(t, i)), prf[0], prf[1], prf[2],
                (unsigned long long)thr_metrics_truths(t, i));
    }
}

static void print_reliability(const thr_metrics *t, FILE *to)
{
    thr_bin b;
    if (!isfinite(thr_metrics_ece(t)))
        return;
    if (thr_metrics_multilabel(t))
        fputs("\nreliability: labels of all examples by their probability, and how many are true\n"
              "probability       labels    mean    true\n",
              to);
    else
        fputs("\nreliability: answers by their probability, and how many are right\n"
              "probability     examples    mean   right\n",
              to);
    for (size_t i = 0; thr_metrics_bin(t, i, &b); i++)
        if (b.examples)
            fprintf(to, "%.4f - %.4f  %8llu  %.4f  %.4f\n", b.from, b.to,
                    (unsigned long long)b.examples, b.confidence, b.accuracy);
}

static const size_t places[] = {1, 3, 5}; /* precision at these is reported */
enum { PLACES = sizeof places / sizeof *places };

static void print_ranking(const thr_metrics *t, FILE *to)
{
    fputs("ranking    precision", to);
    for (size_t i = 0; i < PLACES; i++)
        fprintf(to, "%s at %zu %.4f", i ? "," : "", places[i],
                thr_metrics_precision_at(t, places[i]));
    fputc('\n', to);
}

void cli_print_at(const thr_metrics *t, size_t k, FILE *to)
{
    fprintf(to, "\nranking    precision at %zu %.4f\n", k, thr_metrics_precision_at(t, k));
}

void cli_json_at(cli_json *j, const thr_metrics *t, size_t k)
{
    cli_json_integer(j, "test_at", k);
    cli_json_real(j, "test_precision_at_k", thr_metrics_precision_at(t, k));
}

void cli_print_metrics(const thr_metrics *t, FILE *to)
{
    thr_errors errors;
    if (thr_metrics_errors(t, &errors)) {
        fprintf(
            to,
            "tested     %llu example%s: mean squared error %.6g (root %.6g), mean absolute %.6g",
            (unsigned long long)thr_metrics_examples(t), cli_s(thr_metrics_examples(t)), errors.mse,
            errors.rmse, errors.mae);
        if (isfinite(errors.r2))
            fprintf(to, ", R^2 %.4f", errors.r2);
        fputc('\n', to);
        return;
    }
    fprintf(to, "tested     %llu example%s, %llu wrong: %s %.2f%%\n",
            (unsigned long long)thr_metrics_examples(t), cli_s(thr_metrics_examples(t)),
            (unsigned long long)thr_metrics_mistakes(t),
            cli_accuracy_name(thr_metrics_multilabel(t)), 100 * accuracy(t));
    if (isfinite(thr_metrics_auc(t)))
        fprintf(to, "AUC        %.4f\n", thr_metrics_auc(t));
    if (thr_metrics_multilabel(t))
        fprintf(to, "sets       Hamming loss %.4f, micro F1 %.4f, macro F1 %.4f\n",
                thr_metrics_hamming(t), thr_metrics_micro_f1(t), thr_metrics_macro_f1(t));
    if (thr_metrics_multilabel(t))
        print_ranking(t, to);
    if (isfinite(thr_metrics_log_loss(t)))
        fprintf(to, "log loss   %.4f, Brier score %.4f, calibration error %.4f\n",
                thr_metrics_log_loss(t), thr_metrics_brier(t), thr_metrics_ece(t));
    print_labels(t, to);
    if (!thr_metrics_multilabel(t))
        cli_print_confusion(t, name_width(t), to);
    print_reliability(t, to);
}

static void json_errors(cli_json *j, const thr_errors *e)
{
    cli_json_real(j, "test_mistakes", NAN);
    cli_json_real(j, "test_accuracy", NAN);
    cli_json_real(j, "test_mse", e->mse);
    cli_json_real(j, "test_rmse", e->rmse);
    cli_json_real(j, "test_mae", e->mae);
    cli_json_real(j, "test_r2", e->r2);
}

static double share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

void cli_print_covered(const thr_metrics *t, double reject, FILE *to)
{
    uint64_t n, wrong;
    thr_metrics_covered(t, reject, &n, &wrong);
    fprintf(to, "\nanswered   %llu example%s with a lead of at least %g (%.2f%%), %llu wrong",
            (unsigned long long)n, cli_s(n), reject, 100 * share(n, thr_metrics_examples(t)),
            (unsigned long long)wrong);
    if (n)
        fprintf(to, ": %s %.2f%%", cli_accuracy_name(thr_metrics_multilabel(t)),
                100 * share(n - wrong, n));
    fputc('\n', to);
}

void cli_json_covered(cli_json *j, const thr_metrics *t, double reject)
{
    uint64_t n, wrong;
    thr_metrics_covered(t, reject, &n, &wrong);
    cli_json_real(j, "test_reject", reject);
    cli_json_integer(j, "test_answered", n);
    cli_json_real(j, "test_coverage", share(n, thr_metrics_examples(t)));
    cli_json_integer(j, "test_answered_mistakes", wrong);
    cli_json_real(j, "test_answered_accuracy", n ? share(n - wrong, n) : NAN);
}

static void json_reliability(cli_json *j, const thr_metrics *t)
{
    thr_bin b;
    cli_json_real(j, "test_log_loss", thr_metrics_log_loss(t));
    cli_json_real(j, "test_brier", thr_metrics_brier(t));
    cli_json_real(j, "test_ece", thr_metrics_ece(t));
    cli_json_begin(j, "test_reliability", '[');
    for (size_t i = 0; thr_metrics_bin(t, i, &b); i++) {
        if (!b.examples)
            continue;
        cli_json_begin(j, NULL, '{');
        cli_json_real(j, "from", b.from);
        cli_json_real(j, "to", b.to);
        cli_json_integer(j, "examples", b.examples);
        cli_json_real(j, "confidence", b.confidence);
        cli_json_real(j, "accuracy", b.accuracy);
        cli_json_end(j, '}');
    }
    cli_json_end(j, ']');
}

void cli_json_metrics(cli_json *j, const thr_metrics *t)
{
    size_t n = thr_metrics_labels(t);
    thr_errors errors;
    cli_json_integer(j, "test_examples", thr_metrics_examples(t));
    if (thr_metrics_errors(t, &errors)) {
        json_errors(j, &errors);
        return;
    }
    cli_json_integer(j, "test_mistakes", thr_metrics_mistakes(t));
    cli_json_real(j, "test_accuracy", accuracy(t));
    cli_json_integer(j, "test_unknown_labels", thr_metrics_unknown(t));
    cli_json_real(j, "test_auc", thr_metrics_auc(t));
    if (thr_metrics_multilabel(t)) {
        cli_json_real(j, "test_hamming_loss", thr_metrics_hamming(t));
        cli_json_real(j, "test_micro_f1", thr_metrics_micro_f1(t));
        cli_json_real(j, "test_macro_f1", thr_metrics_macro_f1(t));
        cli_json_real(j, "test_precision_at_1", thr_metrics_precision_at(t, 1));
        cli_json_real(j, "test_precision_at_3", thr_metrics_precision_at(t, 3));
        cli_json_real(j, "test_precision_at_5", thr_metrics_precision_at(t, 5));
    }
    json_reliability(j, t);
    cli_json_begin(j, "test_labels", '{');
    for (size_t i = 0; i < n; i++) {
        double prf[3];
        thr_metrics_prf(t, i, prf);
        cli_json_begin(j, thr_metrics_label(t, i), '{');
        cli_json_real(j, "precision", prf[0]);
        cli_json_real(j, "recall", prf[1]);
        cli_json_real(j, "f1", prf[2]);
        cli_json_integer(j, "examples", thr_metrics_truths(t, i));
        cli_json_begin(j, "predicted_as", '{');
        for (size_t k = 0; k < n; k++)
            if (thr_metrics_count(t, i, k))
                cli_json_integer(j, thr_metrics_label(t, k), thr_metrics_count(t, i, k));
        cli_json_end(j, '}');
        cli_json_end(j, '}');
    }
    cli_json_end(j, '}');
}

/* ---- panels ------------------------------------------------------------------------------- */

/* What theory says of a mixture: no fixed mixture, of which half is spread evenly over the members,
 * has a much smaller log loss. */
static void print_mixture(const thr_panel_report *p, FILE *to)
{
    double least = fmax(p->log_loss - p->regret, 0);
    fprintf(to, "           %-28s %8llu mistake%s%s  log loss %.4g\n", "mixed",
            (unsigned long long)p->mistakes, cli_s(p->mistakes), p->mistakes == 1 ? " " : "",
            p->log_loss);
    fprintf(to,
            "           on %s%llu example%s met for the first time, where the best fixed mixture "
            "has a log loss of at least %.4g\n",
            p->estimated ? "about " : "", (unsigned long long)p->first, cli_s(p->first), least);
}

static void print_vote(const thr_model *m, const thr_panel_report *p, FILE *to)
{
    thr_expert e;
    thr_model_expert(m, p->best, &e);
    fprintf(to, "           best %s with %llu, ours %llu", e.name, (unsigned long long)e.mistakes,
            (unsigned long long)p->mistakes);
    if (p->drawn)
        fprintf(to, ", %.1f expected (at most %.1f whatever the data)", p->expected,
                p->expected_bound);
    else
        fprintf(to, " (at most %.0f whatever the data)", floor(p->bound));
    fprintf(to, ", on %s%llu example%s met for the first time\n", p->estimated ? "about " : "",
            (unsigned long long)p->first, cli_s(p->first));
}

/* The report on a panel; false if there is none. */
static bool panel_report(const thr_model *m, uint64_t most, thr_panel_report *p)
{
    if (!thr_model_panel(m, p) || thr_model_experts(m) == 0)
        return false;
    p->first = p->first < most ? p->first : most;
    return true;
}

void cli_print_panel(const thr_model *m, uint64_t most, FILE *to)
{
    thr_panel_report p;
    thr_expert e;
    if (!panel_report(m, most, &p))
        return;
    for (size_t i = 0; thr_model_expert(m, i, &e); i++)
        fprintf(to, "%-11s%-28s %8llu mistake%s%s  weight %.3f\n", i ? "" : "panel", e.name,
                (unsigned long long)e.mistakes, cli_s(e.mistakes), e.mistakes == 1 ? " " : "",
                e.weight);
    for (size_t i = 0; thr_model_paused(m, i, &e); i++)
        fprintf(to, "           %-28s %8llu mistake%s%s  paused since example %llu\n", e.name,
                (unsigned long long)e.mistakes, cli_s(e.mistakes), e.mistakes == 1 ? " " : "",
                (unsigned long long)e.paused);
    if (p.mixed)
        print_mixture(&p, to);
    else
        print_vote(m, &p, to);
}

/* The bounds of the form that the panel has. */
static void json_bounds(cli_json *j, const thr_panel_report *p)
{
    if (p->mixed) {
        cli_json_real(j, "log_loss", p->log_loss);
        cli_json_real(j, "regret_bound", p->regret);
        cli_json_real(j, "counted", p->counted);
    } else {
        cli_json_real(j, "bound", p->drawn ? NAN : p->bound);
        cli_json_real(j, "expected_mistakes", p->expected);
        cli_json_real(j, "expected_bound", p->expected_bound);
    }
}

void cli_json_panel(cli_json *j, const thr_model *m, uint64_t most)
{
    thr_panel_report p;
    thr_expert e;
    if (!panel_report(m, most, &p))
        return;
    thr_model_expert(m, p.best, &e);
    cli_json_begin(j, "panel", '{');
    cli_json_string(j, "decides_by", p.mixed ? "mix" : "vote");
    cli_json_string(j, "best", e.name);
    cli_json_integer(j, "best_mistakes", e.mistakes);
    cli_json_integer(j, "mistakes", p.mistakes);
    json_bounds(j, &p);
    cli_json_integer(j, "examples", p.first);
    cli_json_bool(j, "examples_estimated", p.estimated);
    cli_json_begin(j, "experts", '[');
    for (size_t i = 0; thr_model_expert(m, i, &e); i++) {
        cli_json_begin(j, NULL, '{');
        cli_json_string(j, "name", e.name);
        cli_json_integer(j, "mistakes", e.mistakes);
        cli_json_real(j, "weight", e.weight);
        cli_json_end(j, '}');
    }
    cli_json_end(j, ']');
    cli_json_begin(j, "paused", '[');
    for (size_t i = 0; thr_model_paused(m, i, &e); i++) {
        cli_json_begin(j, NULL, '{');
        cli_json_string(j, "name", e.name);
        cli_json_integer(j, "mistakes", e.mistakes);
        cli_json_integer(j, "since", e.paused);
        cli_json_end(j, '}');
    }
    cli_json_end(j, ']');
    cli_json_end(j, '}');
}

const char *cli_speaker(const thr_model *m)
{
    thr_expert e, best = {0};
    thr_panel_report p;
    if (thr_model_panel(m, &p) && p.one_function)
        return NULL;
    for (size_t i = 0; i < thr_model_members(m) && thr_model_expert(m, i, &e); i++)
        if (i == 0 || e.weight > best.weight)
            best = e;
    return best.name;
}

/* Progress on standard error: on a terminal a bar that is redrawn every 0.1 s, elsewhere a line of
 * text every 10 s. Nothing is printed in the first interval, so short runs stay silent. */
#include "cli.h"

#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define BAR 30 /* characters */

double cli_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void cli_progress_start(cli_progress *p, const cli_args *a, const char *what)
{
    *p = (cli_progress){.what = what, .quiet = cli_has(a, "quiet")};
    p->terminal = isatty(STDERR_FILENO) == 1;
    struct winsize size;
    p->wide = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_col > 80;
    p->started = p->shown = cli_seconds();
}

/* The error so far, as text; "" if this command does not report it. */
static void error_text(const cli_progress *p, const thr_progress *now, char *out, size_t room)
{
    *out = '\0';
    if (p->no_rate || p->share_only)
        return;
    if (isnan(now->mean_squared))
        snprintf(out, room, "%.2f%% wrong",
                 now->examples ? 100 * (double)now->mistakes / (double)now->examples : 0);
    else
        snprintf(out, room, "mean squared error %.4g", now->mean_squared);
}

/* `share` is the fraction done, or negative if the size of the input is unknown. */
static void draw(const cli_progress *p, const thr_progress *now, double share)
{
    char bar[BAR + 1];
    int full = share < 0 ? 0 : (int)(share * BAR);
    for (int i = 0; i < BAR; i++)
        bar[i] = i < full ? '#' : '.';
    bar[BAR] = '\0';
    char pass[32] = "", how[48];
    error_text(p, now, how, sizeof how);
    if (p->passes > 1)
        snprintf(pass, sizeof pass, "  pass %u", now->pass);
    fprintf(stderr, "\r%s", p->what);
    if (share >= 0 && p->wide)
        fprintf(stderr, " [%s]", bar);
    if (share >= 0)
        fprintf(stderr, " %3.0f%%", 100 * share);
    if (!p->share_only)
        fprintf(stderr, "%s  %llu  %s ", pass, (unsigned long long)now->examples, how);
}

bool cli_progress_show(void *user, const thr_progress *now)
{
    cli_progress *p = user;
    char how[48];
    double t = cli_seconds();
    if (p->quiet || t - p->shown < (p->terminal ? 0.1 : 10))
        return false;
    p->shown = t;
    double share = now->total_bytes ? (double)now->bytes / (double)now->total_bytes : -1;
    if (share > 1)
        share = 1;
    if (share >= 0 && p->passes > 1)
        share = (now->pass - 1 + share) / p->passes;
    if (p->terminal) {
        draw(p, now, share);
        p->drawn = true;
        return false;
    }
    if (p->share_only) {
        fprintf(stderr, "%s: %.0f%%, %.0f s\n", p->what, 100 * share, cli_seconds() - p->started);
        return false;
    }
    error_text(p, now, how, sizeof how);
    fprintf(stderr, "%s: pass %u", p->what, now->pass);
    if (share >= 0)
        fprintf(stderr, ", %.0f%%", 100 * share);
    fprintf(stderr, ", %llu examples%s%s, %.0f s\n", (unsigned long long)now->examples,
            *how ? ", " : "", how, cli_seconds() - p->started);
    return false;
}

void cli_progress_end(cli_progress *p)
{
    if (p->drawn)
        fputs("\r\033[K", stderr);
    p->drawn = false;
}

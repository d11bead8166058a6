/* The default templates (defaults.h), chosen on training parts only. */
#include "sentence/defaults.h"

/* Words alone: of the words around, their shapes and their ends. */
#define WORDS(W)                                                                                   \
    "U00:%x[-2," W "]\n"                                                                           \
    "U01:%X[-1," W "]\n"                                                                           \
    "U02:%X[0," W "]\n"                                                                            \
    "U03:%X[1," W "]\n"                                                                            \
    "U04:%X[2," W "]\n"                                                                            \
    "U05:%X[-1," W "]/%X[0," W "]\n"                                                               \
    "U06:%X[0," W "]/%X[1," W "]\n"                                                                \
    "U07:%x[0," W "]\n"                                                                            \
    "U10:%s[0," W "]\n"                                                                            \
    "U11:%P[0," W ",1]\n"                                                                          \
    "U12:%P[0," W ",2]\n"                                                                          \
    "U13:%P[0," W ",3]\n"                                                                          \
    "U14:%P[0," W ",4]\n"                                                                          \
    "U21:%E[0," W ",1]\n"                                                                          \
    "U22:%E[0," W ",2]\n"                                                                          \
    "U23:%E[0," W ",3]\n"                                                                          \
    "U24:%E[0," W ",4]\n"                                                                          \
    "U30:%E[-1," W ",3]\n"                                                                         \
    "U31:%E[1," W ",3]\n"                                                                          \
    "U32:%s[-1," W "]/%s[0," W "]\n"                                                               \
    "U33:%s[0," W "]/%s[1," W "]\n"                                                                \
    "B\n"

static const char words[] = WORDS("0"), universal_words[] = WORDS("1");

/* Words and their parts of speech. */
static const char words_and_tags[] = "U00:%X[-2,0]\n"
                                     "U01:%X[-1,0]\n"
                                     "U02:%x[0,0]\n"
                                     "U0l:%X[0,0]\n"
                                     "U03:%X[1,0]\n"
                                     "U04:%X[2,0]\n"
                                     "U05:%X[-1,0]/%X[0,0]\n"
                                     "U06:%X[0,0]/%X[1,0]\n"
                                     "U10:%x[-2,1]\n"
                                     "U11:%x[-1,1]\n"
                                     "U12:%x[0,1]\n"
                                     "U13:%x[1,1]\n"
                                     "U14:%x[2,1]\n"
                                     "U15:%x[-2,1]/%x[-1,1]\n"
                                     "U16:%x[-1,1]/%x[0,1]\n"
                                     "U17:%x[0,1]/%x[1,1]\n"
                                     "U18:%x[1,1]/%x[2,1]\n"
                                     "U20:%x[-2,1]/%x[-1,1]/%x[0,1]\n"
                                     "U21:%x[-1,1]/%x[0,1]/%x[1,1]\n"
                                     "U22:%x[0,1]/%x[1,1]/%x[2,1]\n"
                                     "U30:%s[0,0]\n"
                                     "U31:%p[0,0,2]\n"
                                     "U32:%p[0,0,3]\n"
                                     "U33:%e[0,0,2]\n"
                                     "U34:%e[0,0,3]\n"
                                     "U35:%e[0,0,4]\n"
                                     "U40:%X[0,0]/%x[0,1]\n"
                                     "U41:%X[-1,0]/%x[0,1]\n"
                                     "U42:%x[0,1]/%X[1,0]\n"
                                     "U43:%x[-1,1]/%X[0,0]\n"
                                     "U44:%X[0,0]/%x[1,1]\n"
                                     "U45:%X[-1,0]/%x[0,1]/%x[1,1]\n"
                                     "U46:%x[-1,1]/%x[0,1]/%X[1,0]\n"
                                     "U47:%x[-1,1]/%X[0,0]/%x[1,1]\n"
                                     "U50:%x[-3,1]\n"
                                     "U51:%x[3,1]\n"
                                     "U52:%x[-2,1]/%x[-1,1]/%x[0,1]/%x[1,1]\n"
                                     "U53:%x[-1,1]/%x[0,1]/%x[1,1]/%x[2,1]\n"
                                     "U54:%x[-2,1]/%x[-1,1]/%x[0,1]/%x[1,1]/%x[2,1]\n"
                                     "B\n";

int thr_plan_template(thr_plan *plan, const thr_features *f, size_t columns, bool universal,
                      thr_error *err)
{
    const char *text = f->template  ? f->template
                       : universal  ? universal_words
                       : columns > 1 ? words_and_tags
                                     : words;
    return thr_template_parse(text, strlen(text), &plan->template, err);
}

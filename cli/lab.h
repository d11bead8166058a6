/* thresh lab, inside: what stands behind the word after it. */
#ifndef THR_CLI_LAB_H
#define THR_CLI_LAB_H

#include "cli.h"

typedef struct cli_lab_part {
    const char *name, *usage, *help;
    int (*run)(const cli_args *a); /* a->rest[0] is its name */
    const char *takes; /* of the options, beside those of every part; "*" is how data is read */
} cli_lab_part;

int cli_lab_protocol(const cli_args *a);
int cli_lab_concept(const cli_args *a);

#endif

/* Inside thresh lab: its subcommands. */
#ifndef THR_CLI_LAB_H
#define THR_CLI_LAB_H

#include "cli.h"

typedef struct cli_lab_subcommand {
    const char *name, *usage, *help;
    int (*run)(const cli_args *a); /* a->rest[0] is its name */
    const char *takes; /* its options, separated by blanks, besides those that all subcommands take;
                        * "*" stands for the options for reading data */
} cli_lab_subcommand;

int cli_lab_protocol(const cli_args *a);
int cli_lab_concept(const cli_args *a);

#endif

/* tuning_print.h: what is printed of a file whose bounds are tried, and of a trial. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_TUNING_PRINT_H
#define GHZ_CLI_TUNING_PRINT_H

#include "report/text.h"
#include "tuning.h"

/* The file and its values, at the beginning of a line, or as the first fields of an object. */
void tuning_print(const tuning *t);
void tuning_print_json(const tuning *t);

/* The columns of a trial: ratio, bits per value, PSNR, speeds; as fields of an object. */
extern const char trial_heading[];
void trial_print(const trial *r);
void trial_print_json(const trial *r);

/* A PSNR, "-" where there is none. */
number_text trial_decibels(double psnr);

#endif

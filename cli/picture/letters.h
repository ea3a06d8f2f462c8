/* letters.h: the shapes of letters, as strokes of a pen. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_LETTERS_H
#define GHZ_CLI_LETTERS_H

/* Units of the grid that letters are drawn on: y is 0 at the bottom of a g, 2 on the baseline, 8 at
 * the top. */
enum { LETTER_WIDTH = 4, LETTER_ADVANCE = 6, LETTER_BASELINE = 2, LETTER_TOP = 8 };

/* The strokes of a character, separated by blanks: each is a list of points, two digits a point, x
 * and y. Characters outside ASCII look like an empty box. */
const char *letter_strokes(char c);

#endif

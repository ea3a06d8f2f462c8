# FAQ.sh: owns the files that the commands of the FAQ begin with.
# SPDX-License-Identifier: BSD-3-Clause
for name in a b c; do { "$TOOL" npy '(64, 64)' f32; "$TOOL" make wave 4096 f32; } >$name.npy; done
{ "$TOOL" npy '(2, 3, 40, 50)' f32; "$TOOL" make wave 12000 f32; } >four.npy

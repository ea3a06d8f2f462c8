# README.sh: owns the files that the commands of the README begin with.
# SPDX-License-Identifier: BSD-3-Clause
"$TOOL" make wave 4096 f32 >pressure.f32
for name in a b; do { "$TOOL" npy '(64, 64)' f32; "$TOOL" make wave 4096 f32; } >$name.npy; done

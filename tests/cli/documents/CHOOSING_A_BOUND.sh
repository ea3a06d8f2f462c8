# CHOOSING_A_BOUND.sh: owns whether the document can be tested: it makes its own field.
# SPDX-License-Identifier: BSD-3-Clause
have ghz-fields

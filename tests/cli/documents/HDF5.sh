# HDF5.sh: owns that this document is tested elsewhere: tests/hdf5/cases/document.sh has its filter.
# SPDX-License-Identifier: BSD-3-Clause
false

# package.py: a draft of libghz's recipe for Spack. In a repository of recipes it lies in
# packages/libghz/; docs/INSTALL.md has the commands. A release adds its address and checksum.
# SPDX-License-Identifier: BSD-3-Clause
from spack.package import *


class Libghz(CMakePackage, CudaPackage):
    """Compresses arrays of floats under a strict error bound, and adds the compressed arrays
    without decompressing them. With MPI: collectives that send and add floats compressed."""

    homepage = "https://libghz.example"

    license("BSD-3-Clause")

    version("0.2.0")

    variant("mpi", default=True, description="Build the collectives, libghzmpi")
    variant("tools", default=True, description="Build the command ghz")
    variant("zstd", default=True, description="Pack files with zstd")
    variant("png", default=True, when="+tools", description="Draw pictures of errors")
    variant("shared", default=True, description="Build the shared libraries, too")
    variant("plugins", default=True, description="Build the filter of HDF5")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("xxhash")
    depends_on("zstd@1.4:", when="+zstd")
    depends_on("libpng", when="+png")
    depends_on("mpi@3:", when="+mpi")
    depends_on("cuda@12:", when="+cuda")
    depends_on("criterion", type="test")

    def cmake_args(self):
        args = [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("GHZ_CUDA", "cuda"),
            self.define_from_variant("GHZ_MPI", "mpi"),
            self.define_from_variant("GHZ_PLUGINS", "plugins"),
            self.define_from_variant("GHZ_TOOLS", "tools"),
            self.define_from_variant("GHZ_ZSTD", "zstd"),
            self.define("GHZ_BENCH", False),
            self.define("GHZ_EXAMPLES", False),
            self.define("GHZ_TESTS", self.run_tests),
        ]
        if self.spec.satisfies("~png"):
            args.append(self.define("CMAKE_DISABLE_FIND_PACKAGE_PNG", True))
        if self.spec.satisfies("+mpi"):
            args.append(self.define("MPI_C_COMPILER", self.spec["mpi"].mpicc))
        if self.spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        return args

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_command(self):
        if self.spec.satisfies("+tools"):
            Executable(self.prefix.bin.ghz)("--version")

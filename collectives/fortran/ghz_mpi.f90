! ghz_mpi.f90: the module ghz_mpi: collectives of libghzmpi for arrays of real and complex, by the handles of mpi_f08.
!
!   call ghz_allreduce(MPI_IN_PLACE, p, MPI_SUM, MPI_COMM_WORLD, ghz_bound(GHZ_REL, 1d-4))
!
! The arguments are those of MPI's call without counts and types: an array has its kind and its extents, by which smooth ones
! of two and three dimensions compress better. Kinds are real32, real64 and complex numbers of these; another one, two kinds,
! or lengths that do not fit are errors, said in a line. Optional: the bound, else GHZ_MPI_BOUND holds; report, which
! receives what the call did; ierror. All else is as mpi.h says for the call of the same name.
! SPDX-License-Identifier: BSD-3-Clause
module ghz_mpi
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_double
  use mpi_f08, only: MPI_Comm, MPI_Op, MPI_IN_PLACE
  implicit none
  private
  public :: ghz_allreduce, ghz_reduce, ghz_bcast, ghz_scatter, ghz_allgather, ghz_bound, ghz_report
  integer(c_int), parameter, public :: GHZ_ABS = 0, GHZ_REL = 1, GHZ_PSNR = 2, GHZ_MPI_FLOAT = 4

  type, bind(c) :: ghz_bound
    integer(c_int) :: kind
    real(c_double) :: value
  end type

  type, bind(c) :: ghz_report ! as in mpi.h
    integer(c_int64_t) :: raw_bytes, sent_bytes
    real(c_double) :: seconds, bound, error
  end type

  interface
    subroutine ghz_allreduce(sendbuf, recvbuf, op, comm, bound, report, ierror) bind(c, name="ghz_fortran_allreduce")
      import
      type(*), dimension(..), contiguous, intent(in) :: sendbuf
      type(*), dimension(..), contiguous, intent(inout) :: recvbuf
      type(MPI_Op), intent(in) :: op
      include 'how.fi'
    end subroutine

    subroutine ghz_reduce(sendbuf, recvbuf, op, root, comm, bound, report, ierror) bind(c, name="ghz_fortran_reduce")
      import
      type(*), dimension(..), contiguous, intent(in) :: sendbuf
      type(*), dimension(..), contiguous, intent(inout) :: recvbuf
      type(MPI_Op), intent(in) :: op
      integer(c_int), intent(in) :: root
      include 'how.fi'
    end subroutine

    subroutine ghz_bcast(buffer, root, comm, bound, report, ierror) bind(c, name="ghz_fortran_bcast")
      import
      type(*), dimension(..), contiguous, intent(inout) :: buffer
      integer(c_int), intent(in) :: root
      include 'how.fi'
    end subroutine

    subroutine ghz_scatter(sendbuf, recvbuf, root, comm, bound, report, ierror) bind(c, name="ghz_fortran_scatter")
      import
      type(*), dimension(..), contiguous, intent(in) :: sendbuf
      type(*), dimension(..), contiguous, intent(inout) :: recvbuf
      integer(c_int), intent(in) :: root
      include 'how.fi'
    end subroutine

    subroutine ghz_allgather(sendbuf, recvbuf, comm, bound, report, ierror) bind(c, name="ghz_fortran_allgather")
      import
      type(*), dimension(..), contiguous, intent(in) :: sendbuf
      type(*), dimension(..), contiguous, intent(inout) :: recvbuf
      include 'how.fi'
    end subroutine

    subroutine tell_in_place(place) bind(c, name="ghz_fortran_tell_in_place")
      type(*), dimension(..), contiguous, intent(in) :: place
    end subroutine
  end interface

contains

  subroutine ask_in_place() bind(c, name="ghz_fortran_ask_in_place") ! of descriptors.c
    call tell_in_place(MPI_IN_PLACE)
  end subroutine
end module

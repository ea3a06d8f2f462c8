! ghz_mpi.f90: the module ghz_mpi: collectives of libghzmpi for arrays of real and complex, by the handles of mpi_f08.
!
!   call ghz_allreduce(MPI_IN_PLACE, p, MPI_SUM, MPI_COMM_WORLD, ghz_rel(1d-4))
!
! The arguments are those of MPI's call without counts and types: an array has its kind and its extents, by which smooth ones
! of two and three dimensions compress better. real32, real64 and complex numbers of these are compressed; another kind, two
! kinds, or lengths that do not fit are errors, said in a line. MPI_IN_PLACE stands where MPI takes it. Optional arguments:
!   bound    of the values (ghz_abs, ghz_rel, ghz_psnr, ghz_float); else that of GHZ_MPI_BOUND
!   extents  of an array that is passed as another one: [nx, ny, nz] of a buffer of nx * ny * nz values; of a block in
!            ghz_scatter and ghz_allgather
!   report   receives what the call did
!   ierror   without it an error ends the program, unless the communicator has another error handler
! All else is as mpi.h says for the call of the same name, and the environment decides.
! SPDX-License-Identifier: BSD-3-Clause
module ghz_mpi
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_double
  use mpi_f08, only: MPI_Comm, MPI_Op
  implicit none
  private
  public :: ghz_allreduce, ghz_reduce, ghz_bcast, ghz_scatter, ghz_allgather
  public :: ghz_bound, ghz_abs, ghz_rel, ghz_psnr, ghz_float, ghz_report

  type, bind(c) :: ghz_bound
    integer(c_int) :: kind = 0
    real(c_double) :: value = 0
  end type

  type(ghz_bound), parameter :: ghz_float = ghz_bound(4, 0d0) ! sums of real32 as accurate as MPI's

  type, bind(c) :: ghz_report ! as in mpi.h
    integer(c_int64_t) :: raw_bytes, sent_bytes
    real(c_double) :: seconds, bound, error
  end type

  interface
    subroutine ghz_allreduce(sendbuf, recvbuf, op, comm, bound, extents, report, ierror) bind(c, name="ghz_fortran_allreduce")
      import
      type(*), dimension(..), contiguous, intent(in) :: sendbuf
      type(*), dimension(..), contiguous, intent(inout) :: recvbuf
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(ghz_bound), intent(in), optional :: bound
      integer(c_int), intent(in), optional :: extents(:)
      type(ghz_report), intent(out), optional :: report
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ghz_reduce(sendbuf, recvbuf, op, root, comm, bound, extents, report, ierror) bind(c, name="ghz_fortran_reduce")
      import
      type(*), dimension(..), contiguous, intent(in) :: sendbuf
      type(*), dimension(..), contiguous, intent(inout) :: recvbuf
      type(MPI_Op), intent(in) :: op
      integer(c_int), intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(ghz_bound), intent(in), optional :: bound
      integer(c_int), intent(in), optional :: extents(:)
      type(ghz_report), intent(out), optional :: report
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ghz_bcast(buffer, root, comm, bound, extents, report, ierror) bind(c, name="ghz_fortran_bcast")
      import
      type(*), dimension(..), contiguous, intent(inout) :: buffer
      integer(c_int), intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(ghz_bound), intent(in), optional :: bound
      integer(c_int), intent(in), optional :: extents(:)
      type(ghz_report), intent(out), optional :: report
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ghz_scatter(sendbuf, recvbuf, root, comm, bound, extents, report, ierror) bind(c, name="ghz_fortran_scatter")
      import
      type(*), dimension(..), contiguous, intent(in) :: sendbuf
      type(*), dimension(..), contiguous, intent(inout) :: recvbuf
      integer(c_int), intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(ghz_bound), intent(in), optional :: bound
      integer(c_int), intent(in), optional :: extents(:)
      type(ghz_report), intent(out), optional :: report
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ghz_allgather(sendbuf, recvbuf, comm, bound, extents, report, ierror) bind(c, name="ghz_fortran_allgather")
      import
      type(*), dimension(..), contiguous, intent(in) :: sendbuf
      type(*), dimension(..), contiguous, intent(inout) :: recvbuf
      type(MPI_Comm), intent(in) :: comm
      type(ghz_bound), intent(in), optional :: bound
      integer(c_int), intent(in), optional :: extents(:)
      type(ghz_report), intent(out), optional :: report
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

contains

  ! The largest error of a value; the same as a part of the range of all ranks' values; the least peak signal-to-noise ratio.
  pure type(ghz_bound) function ghz_abs(value)
    real(c_double), intent(in) :: value
    ghz_abs = ghz_bound(0, value)
  end function

  pure type(ghz_bound) function ghz_rel(value)
    real(c_double), intent(in) :: value
    ghz_rel = ghz_bound(1, value)
  end function

  pure type(ghz_bound) function ghz_psnr(value)
    real(c_double), intent(in) :: value
    ghz_psnr = ghz_bound(2, value)
  end function
end module

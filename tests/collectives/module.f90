! module.f90: the module ghz_mpi: each call, each kind, arrays in place and in part, and what is refused.
! Each rank gives its rank plus a smooth field; what comes back is compared with what it has to be.
!
!   mpiexec -n R module R
! SPDX-License-Identifier: BSD-3-Clause
program module_test
  use, intrinsic :: iso_fortran_env, only: real32, real64, real128
  use mpi_f08
  use ghz_mpi
  implicit none
  integer, parameter :: n = 64
  real(real64), parameter :: eb = 1d-3
  integer :: rank, ranks, i, failures = 0
  character(len=8) :: text
  real(real32) :: x(n, n, n), y(n, n, n)
  real(real64) :: d(n, n, n), e(n, n, n)
  complex(real32) :: c(n, n, n)
  complex(real64) :: z(n, n, n)
  real(real32), allocatable :: blocks(:, :, :, :), back(:, :, :, :), line(:)
  real(real128) :: wide(4)
  integer :: whole(4), ierror
  type(ghz_report) :: shaped, flat

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call get_command_argument(1, text)
  read (text, *) i
  if (i /= ranks) error stop 'it runs on another number of ranks'
  allocate (blocks(n, n, n, 0:ranks - 1), back(n, n, n, 0:ranks - 1))

  ! Sums of each kind, in place and not.
  x = field(rank)
  call ghz_allreduce(x, y, MPI_SUM, MPI_COMM_WORLD, ghz_bound(GHZ_ABS, eb), report=shaped)
  call near('real32', real(y, real64), total(), ranks)
  line = reshape(x, [n**3])
  call ghz_allreduce(MPI_IN_PLACE, line, MPI_SUM, MPI_COMM_WORLD, ghz_bound(GHZ_ABS, eb), report=flat)
  call near('real32 in place', real(reshape(line, shape(x)), real64), total(), ranks)
  call right(2 * shaped%sent_bytes < flat%sent_bytes, 'an array has its shape')
  call right(shaped%bound >= ranks * eb .and. shaped%bound < 1.01 * ranks * eb, 'the bound of the report')
  d = field(rank)
  call ghz_allreduce(d, e, MPI_MAX, MPI_COMM_WORLD, ghz_bound(GHZ_ABS, eb))
  call near('real64', e, field(ranks - 1), 1)
  c = cmplx(field(rank), -field(rank), real32)
  call ghz_allreduce(MPI_IN_PLACE, c, MPI_SUM, MPI_COMM_WORLD, ghz_bound(GHZ_ABS, eb))
  call near('complex, real32', real(c, real64), total(), ranks)
  call near('complex, imaginary', -real(aimag(c), real64), total(), ranks)
  z = cmplx(field(rank), -field(rank), real64)
  call ghz_allreduce(MPI_IN_PLACE, z, MPI_SUM, MPI_COMM_WORLD, ghz_bound(GHZ_PSNR, 60d0), report=shaped)
  call right(shaped%bound > 0 .and. maxval(abs(real(z) - total())) <= shaped%bound, 'complex, real64')
  call ghz_allreduce(MPI_IN_PLACE, y, MPI_SUM, MPI_COMM_WORLD, report=flat)
  call right(flat%sent_bytes == 0, 'without a bound MPI makes the call')

  ! A part of an array: what lies between its values stays.
  back(:, :, :, 0) = x
  call ghz_allreduce(x(:, ::2, :), back(:, ::2, :, 0), MPI_SUM, MPI_COMM_WORLD, ghz_bound(GHZ_ABS, eb))
  e = total()
  call near('every second plane', real(back(:, ::2, :, 0), real64), e(:, ::2, :), ranks)
  call right(all(back(:, 2::2, :, 0) == x(:, 2::2, :)), 'the planes between')

  ! The other calls.
  y = x
  if (rank == ranks - 1) then
    call ghz_reduce(MPI_IN_PLACE, y, MPI_SUM, ranks - 1, MPI_COMM_WORLD, ghz_bound(GHZ_ABS, eb))
    call near('reduce', real(y, real64), total(), ranks)
  else
    call ghz_reduce(y, line, MPI_SUM, ranks - 1, MPI_COMM_WORLD, ghz_bound(GHZ_ABS, eb))
  end if
  y = x
  call ghz_bcast(y, ranks - 1, MPI_COMM_WORLD, ghz_bound(GHZ_ABS, eb))
  call near('bcast', real(y, real64), field(ranks - 1), 1)
  call ghz_allgather(x, blocks, MPI_COMM_WORLD, ghz_bound(GHZ_ABS, eb), report=shaped)
  do i = 0, ranks - 1
    call near('allgather', real(blocks(:, :, :, i), real64), field(i), 1)
  end do
  back = 0
  back(:, :, :, rank) = x
  call ghz_allgather(MPI_IN_PLACE, back, MPI_COMM_WORLD, ghz_bound(GHZ_ABS, eb), report=flat)
  call right(all(back == blocks), 'allgather in place')
  call right(flat%sent_bytes == shaped%sent_bytes, 'the shape of a block in place')
  do i = 0, ranks - 1
    back(:, :, :, i) = real(field(i), real32)
  end do
  y = -1
  if (rank == 0) then
    call ghz_scatter(back, MPI_IN_PLACE, 0, MPI_COMM_WORLD, ghz_bound(GHZ_ABS, eb))
  else
    call ghz_scatter(back, y, 0, MPI_COMM_WORLD, ghz_bound(GHZ_ABS, eb))
    call near('scatter', real(y, real64), field(rank), 1)
  end if

  ! What is refused, and nothing is written.
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
  y = 7
  whole = 7
  wide = 7
  call ghz_allreduce(MPI_IN_PLACE, whole, MPI_SUM, MPI_COMM_WORLD, ghz_bound(GHZ_ABS, eb), ierror=ierror)
  call right(ierror /= MPI_SUCCESS .and. all(whole == 7), 'integers are refused')
  i = 7
  call ghz_allreduce(i, y, MPI_SUM, MPI_COMM_WORLD, ghz_bound(GHZ_ABS, eb), ierror=ierror)
  call right(ierror /= MPI_SUCCESS .and. all(y == 7), 'an integer does not stand for MPI_IN_PLACE')
  call no_extents(line)
  call ghz_bcast(wide, 0, MPI_COMM_WORLD, ghz_bound(GHZ_ABS, eb), ierror=ierror)
  call right(ierror /= MPI_SUCCESS .and. all(wide == 7), 'real128 is refused')
  call ghz_allreduce(d, y, MPI_SUM, MPI_COMM_WORLD, ghz_bound(GHZ_ABS, eb), ierror=ierror)
  call right(ierror /= MPI_SUCCESS .and. all(y == 7), 'two kinds are refused')
  call ghz_allreduce(x, y(:, :, 1 + min(rank, 1):), MPI_SUM, MPI_COMM_WORLD, ghz_bound(GHZ_ABS, eb), ierror=ierror)
  call right(ierror /= MPI_SUCCESS .and. all(y == 7), 'a mistake of one rank is told to all')
  call ghz_allreduce(x(:, :, 2:), y, MPI_SUM, MPI_COMM_WORLD, ghz_bound(GHZ_ABS, eb), ierror=ierror)
  call right(ierror /= MPI_SUCCESS .and. all(y == 7), 'two lengths are refused')
  call ghz_allgather(x, y, MPI_COMM_WORLD, ghz_bound(GHZ_ABS, eb), ierror=ierror)
  call right(ierror /= MPI_SUCCESS .and. all(y == 7), 'too short an array is refused')
  call ghz_bcast(y, ranks, MPI_COMM_WORLD, ghz_bound(GHZ_ABS, eb), ierror=ierror)
  call right(ierror /= MPI_SUCCESS .and. all(y == 7), 'a root that is no rank is refused')

  call MPI_Allreduce(MPI_IN_PLACE, failures, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) print '(i0, a)', failures, ' failures'
  call MPI_Finalize()
  if (failures > 0) error stop 1

contains

  function field(of)
    integer, intent(in) :: of
    real(real64) :: field(n, n, n)
    integer :: a, b
    do concurrent(a = 1:n, b = 1:n)
      field(:, a, b) = of + sin(0.1d0 * a + 0.05d0 * [(i, i = 1, n)]) * cos(0.07d0 * b)
    end do
  end function

  function total()
    real(real64) :: total(n, n, n)
    integer :: of
    total = 0
    do of = 0, ranks - 1
      total = total + field(of)
    end do
  end function

  subroutine near(what, got, wanted, terms)
    character(*), intent(in) :: what
    real(real64), intent(in) :: got(:, :, :), wanted(:, :, :)
    integer, intent(in) :: terms
    real(real64) :: worst
    worst = maxval(abs(got - wanted))
    call right(worst <= terms * (eb + 1d-6) .and. worst > 0, what)
  end subroutine

  subroutine no_extents(a)
    real(real32), intent(inout) :: a(*)
    real(real32) :: first
    first = a(1)
    call ghz_bcast(a, 0, MPI_COMM_WORLD, ghz_bound(GHZ_ABS, eb), ierror=ierror)
    call right(ierror /= MPI_SUCCESS .and. a(1) == first, 'an array without extents is refused')
  end subroutine

  subroutine right(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    failures = failures + 1
    print '(a, i0, 2a)', 'FAILED on rank ', rank, ': ', what
  end subroutine
end program

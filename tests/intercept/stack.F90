! stack.F90: image stacking as a Fortran user writes it; knows nothing of libghz. Built three times: with `use mpi`, with
! mpif.h, and with `use mpi_f08`.
!
!   mpiexec -n R stack EB      EB: what a value that was moved may be off by (0: nothing)
!
! Checks each result, and that other calls are exact. Says how large the largest error was, in bounds.
! SPDX-License-Identifier: BSD-3-Clause
program stack
#if defined(USE_F08)
  use mpi_f08
#elif !defined(USE_MPIF_H)
  use mpi
#endif
  implicit none
#if defined(USE_MPIF_H)
  include 'mpif.h'
#endif
  integer, parameter :: n = 100000
  real, allocatable :: image(:), total(:), all(:), part(:), pairs(:, :)
  double precision, allocatable :: wide(:), other(:)
  integer :: rank, ranks, code, i, small, wrong, first
  integer, allocatable :: counts(:), places(:)
  double precision :: bound, worst
  character(len=32) :: text

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  call get_command_argument(1, text)
  read (text, *) bound
  worst = 0
  wrong = 0
  allocate (image(n), total(n), part(n), all(n * ranks), wide(n), other(n), pairs(2, n))

  image = [(pixel(rank, i), i = 1, n)]
  call MPI_Allreduce(image, total, n, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, code)
  call check('allreduce', dble(total), [(stacked(i), i = 1, n)], dble(ranks))
  total = image
  call MPI_Allreduce(MPI_IN_PLACE, total, n, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, code)
  call check('allreduce in place', dble(total), [(stacked(i), i = 1, n)], dble(ranks))
  wide = image
  call MPI_Allreduce(wide, other, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, code)
  call check('allreduce of doubles', other, [(stacked(i), i = 1, n)], dble(ranks))
  total = image
  if (rank == 0) then
    call MPI_Reduce(MPI_IN_PLACE, total, n, MPI_REAL4, MPI_SUM, 0, MPI_COMM_WORLD, code)
    call check('reduce', dble(total), [(stacked(i), i = 1, n)], dble(ranks))
  else
    call MPI_Reduce(image, total, n, MPI_REAL4, MPI_SUM, 0, MPI_COMM_WORLD, code)
  end if

  call MPI_Allgather(image, n, MPI_REAL, all, n, MPI_REAL, MPI_COMM_WORLD, code)
  call check('allgather', dble(all), [(dble(pixel((i - 1) / n, modulo(i - 1, n) + 1)), i = 1, n * ranks)], 1d0)
  all = 0
  all(rank * n + 1:rank * n + n) = image
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, n, MPI_REAL, MPI_COMM_WORLD, code)
  call check('allgather in place', dble(all), [(dble(pixel((i - 1) / n, modulo(i - 1, n) + 1)), i = 1, n * ranks)], 1d0)

  all = 0
  call MPI_Gather(image, n, MPI_REAL, all, n, MPI_REAL, 1, MPI_COMM_WORLD, code)
  if (rank == 1) call check('gather', dble(all), [(dble(pixel((i - 1) / n, modulo(i - 1, n) + 1)), i = 1, n * ranks)], 1d0)

  all = [(pixel((i - 1) / n, modulo(i - 1, n) + 1), i = 1, n * ranks)]
  call MPI_Scatter(all, n, MPI_REAL, part, n, MPI_REAL, ranks - 1, MPI_COMM_WORLD, code)
  call check('scatter', dble(part), [(dble(pixel(rank, i)), i = 1, n)], 1d0)
  call MPI_Reduce_scatter_block(all, part, n, MPI_REAL, MPI_MAX, MPI_COMM_WORLD, code)
  call check('reduce_scatter_block', dble(part), [(dble(pixel(rank, i)), i = 1, n)], 1d0)
  ! Blocks of several sizes, which lie in the opposite order of ranks.
  counts = [(n - 100 * (i - 1), i = 1, ranks)]
  places = [((ranks - i) * n, i = 1, ranks)]
  all = 0
  call MPI_Allgatherv(image, counts(rank + 1), MPI_REAL, all, counts, places, MPI_REAL, MPI_COMM_WORLD, code)
  do i = 1, ranks
    first = places(i)
    call check('allgatherv', dble(all(first + 1:first + counts(i))), [(dble(pixel(i - 1, small)), small = 1, counts(i))], 1d0)
  end do
  all = [(pixel((i - 1) / n, modulo(i - 1, n) + 1), i = 1, n * ranks)]
  call MPI_Reduce_scatter(all, part, counts, MPI_REAL, MPI_MAX, MPI_COMM_WORLD, code)
  first = sum(counts(1:rank))
  call check('reduce_scatter', dble(part(1:counts(rank + 1))), [(dble(all(first + i)), i = 1, counts(rank + 1))], 1d0)
  wide = image
  call MPI_Bcast(wide, n, MPI_REAL8, 1, MPI_COMM_WORLD, code)
  call check('bcast', wide, [(dble(pixel(1, i)), i = 1, n)], 1d0)

  ! A row of a matrix on rank 0, which is not contiguous, an array on the others.
  pairs = 0
  total = 0
  if (rank == 0) then
    pairs(2, :) = image
    call MPI_Bcast(pairs(2, :), n, MPI_REAL, 0, MPI_COMM_WORLD, code)
    total = pairs(2, :)
  else
    call MPI_Bcast(total, n, MPI_REAL, 0, MPI_COMM_WORLD, code)
  end if
  call check('bcast of a row', dble(total), [(dble(pixel(0, i)), i = 1, n)], 1d0)

  small = rank
  call MPI_Allreduce(MPI_IN_PLACE, small, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
  if (small /= ranks * (ranks - 1) / 2) call complain('an integer', 1)
  if (rank == 0) print '(a, f8.4, a)', 'largest error ', worst, ' bounds'
  if (wrong > 0) call MPI_Abort(MPI_COMM_WORLD, 1, code)
  call MPI_Finalize(code)

contains

  real function pixel(who, i)
    integer, intent(in) :: who, i
    pixel = sin(0.001 * i + who) * (1 + 0.1 * who)
  end function pixel

  double precision function stacked(i)
    integer, intent(in) :: i
    integer :: r
    stacked = sum([(dble(pixel(r, i)), r = 0, ranks - 1)])
  end function stacked

  subroutine complain(what, bad)
    character(len=*), intent(in) :: what
    integer, intent(in) :: bad
    wrong = wrong + 1
    print '(a, i0, 3a, i0, a)', 'stack: rank ', rank, ': ', what, ': ', bad, ' values wrong'
  end subroutine complain

  subroutine check(what, got, want, terms)
    character(len=*), intent(in) :: what
    double precision, intent(in) :: got(:), want(:), terms
    integer :: bad
    bad = count(.not. abs(got - want) <= terms * bound + 1d-6)
    if (bad > 0) call complain(what, bad)
    if (bound > 0) worst = max(worst, maxval(abs(got - want)) / (terms * bound))
  end subroutine check

end program stack

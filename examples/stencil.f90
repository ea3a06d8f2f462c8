! stencil.f90: waves in three dimensions from one source a rank, in a common model; and their images, stacked.
!
!   mpifort $(pkg-config --cflags ghzmpi_fortran) stencil.f90 $(pkg-config --libs ghzmpi_fortran) -o stencil
!   mpiexec -n 4 ./stencil
! SPDX-License-Identifier: BSD-3-Clause
program stencil
  use, intrinsic :: iso_fortran_env, only: real32, real64
  use mpi_f08
  use ghz_mpi
  implicit none
  integer, parameter :: n = 64, steps = 60
  real(real32), allocatable, dimension(:, :, :) :: speed, old, now, next, image, stack
  real(real64), allocatable :: exact(:, :, :)
  type(ghz_report) :: model, sum
  integer :: rank, ranks, step, z

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  allocate (speed(n, n, n), old(n, n, n), now(n, n, n), next(n, n, n), image(n, n, n), stack(n, n, n))

  ! The root's model: metres per second, of which 1 is nothing.
  if (rank == 0) then
    do z = 1, n
      speed(:, :, z) = 1500 + 20 * z + merge(500, 0, z > n / 2)
    end do
  end if
  call ghz_bcast(speed, 0, MPI_COMM_WORLD, ghz_bound(GHZ_ABS, 1d0), report=model)

  ! Leapfrog, with a source of its own for each rank; the image is the energy that came by.
  old = 0
  now = 0
  image = 0
  now(8 + mod(13 * rank, n - 16), n / 2, 8) = 1
  speed = (speed * 0.5 / maxval(speed))**2
  do step = 1, steps
    next = now
    next(2:n-1, 2:n-1, 2:n-1) = 2 * now(2:n-1, 2:n-1, 2:n-1) - old(2:n-1, 2:n-1, 2:n-1) + speed(2:n-1, 2:n-1, 2:n-1) &
        * (now(1:n-2, 2:n-1, 2:n-1) + now(3:n, 2:n-1, 2:n-1) + now(2:n-1, 1:n-2, 2:n-1) + now(2:n-1, 3:n, 2:n-1) &
           + now(2:n-1, 2:n-1, 1:n-2) + now(2:n-1, 2:n-1, 3:n) - 6 * now(2:n-1, 2:n-1, 2:n-1))
    image = image + next**2
    old = now
    now = next
  end do

  ! Every rank's image may change by a millionth of the range of all of them.
  call ghz_allreduce(image, stack, MPI_SUM, MPI_COMM_WORLD, ghz_bound(GHZ_REL, 1d-6), report=sum)

  exact = real(image, real64)
  call MPI_Allreduce(MPI_IN_PLACE, exact, n**3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) then
    print '(a, i0, a, i0, a)', 'model: ', model%sent_bytes, ' bytes sent instead of ', model%raw_bytes
    print '(a, i0, a, i0, a, es8.1, a, es8.1)', 'stack: ', sum%sent_bytes, ' bytes sent instead of ', sum%raw_bytes, &
        '; largest error', maxval(abs(stack - exact)), ', bound', sum%bound
    if (maxval(abs(stack - exact)) > sum%bound) error stop 1
  end if
  call MPI_Finalize()
end program

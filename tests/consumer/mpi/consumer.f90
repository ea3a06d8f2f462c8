! consumer.f90: calls an installed libghzmpi from Fortran, and says the version.
! SPDX-License-Identifier: BSD-3-Clause
program consumer
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    function ghz_version() bind(c)
      import c_ptr
      type(c_ptr) :: ghz_version
    end function
    function ghz_mpi_algorithm_name(algorithm) bind(c)
      import c_ptr, c_int
      integer(c_int), value :: algorithm
      type(c_ptr) :: ghz_mpi_algorithm_name
    end function
  end interface
  if (text(ghz_mpi_algorithm_name(2)) == 'ring') print '(a)', 'ghz ' // text(ghz_version())
contains
  function text(from)
    type(c_ptr), intent(in) :: from
    character(:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    call c_f_pointer(from, letters, [64])
    text = ''
    do i = 1, 64
      if (letters(i) == c_null_char) return
      text = text // letters(i)
    end do
  end function
end program

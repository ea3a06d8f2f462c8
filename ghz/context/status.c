/* status.c: the version, and a sentence for every status. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include <ghz/ghz.h>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

const char *ghz_version(void) {
  return TEXT(GHZ_VERSION_MAJOR) "." TEXT(GHZ_VERSION_MINOR) "." TEXT(GHZ_VERSION_PATCH);
}

const char *ghz_status_text(ghz_status status) {
  switch (status) {
  case GHZ_OK:
    return "no error";
  case GHZ_EINVAL:
    return "invalid argument";
  case GHZ_ENOMEM:
    return "out of memory";
  case GHZ_ECAPACITY:
    return "destination too small";
  case GHZ_ECORRUPT:
    return "not a ghz stream, truncated, or damaged";
  case GHZ_EVERSION:
    return "of an older format, or written by a newer version of ghz";
  case GHZ_EMISMATCH:
    return "streams differ in type, shape, cap, step, bound or fill value";
  case GHZ_ERANGE:
    return "too many terms for one sum, or integers that do not fit a type";
  case GHZ_EISA:
    return "GHZ_ISA names an instruction set that this machine or build does not have";
  case GHZ_EDEVICE:
    return "no usable GPU, or an error of CUDA";
  case GHZ_EBUSY:
    return "the context serves another call at this moment, or the file another writer";
  case GHZ_EIO:
    return "a file could not be read or written";
  case GHZ_EUNSUPPORTED:
    return "this build of libghz lacks what the call needs";
  }
  return "unknown status";
}

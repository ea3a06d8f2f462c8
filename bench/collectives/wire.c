/* wire.c: owns the counters of a network interface. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

static double counter(const char *interface, const char *name) {
  char path[256];
  unsigned long long value;
  int length = snprintf(path, sizeof path, "/sys/class/net/%s/statistics/%s", interface, name);
  if (length < 0 || (size_t)length >= sizeof path || strchr(interface, '/'))
    die("not a network interface", interface);
  FILE *file = fopen(path, "r");
  if (!file || fscanf(file, "%llu", &value) != 1)
    die("cannot read the counters", path);
  fclose(file);
  return (double)value;
}

wire wire_read(const char *interface) {
  if (!interface)
    return (wire){0, 0};
  return (wire){counter(interface, "tx_bytes"), counter(interface, "rx_bytes")};
}

/* What long benchmarks say of themselves: memory, the size of a database, and whether what is promised holds. */
#ifndef BENCH_CURVE_H
#define BENCH_CURVE_H

#include <stdbool.h>

/* MB (10^6 bytes) of memory that this process has; it ends with status 2 when /proc does not say. */
double resident_mb(void);
/* MB of a database and its log. */
double size_mb(const char *file);
/* Prints it; does `found` stay within `most`? */
bool promise(const char *what, double found, double most, const char *unit);

#endif

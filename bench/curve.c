#include "curve.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

double resident_mb(void)
{
    long pages = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    if (!f || fscanf(f, "%ld %ld", &pages, &resident) != 2) {
        fprintf(stderr, "/proc/self/statm cannot be read\n");
        exit(2);
    }
    fclose(f);
    return (double)resident * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

double size_mb(const char *file)
{
    struct stat st, log;
    char name[4200];
    snprintf(name, sizeof name, "%s-wal", file);
    return ((stat(file, &st) < 0 ? 0 : (double)st.st_size) + (stat(name, &log) < 0 ? 0 : (double)log.st_size)) / 1e6;
}

bool promise(const char *what, double found, double most, const char *unit)
{
    printf("%-52s %8.2f %s, at most %.2f: %s\n", what, found, unit, most, found <= most ? "holds" : "DOES NOT HOLD");
    fflush(stdout);
    return found <= most;
}

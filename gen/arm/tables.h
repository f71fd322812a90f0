/* The tables of predicates, one a file. */
#ifndef GEN_ARM_TABLES_H
#define GEN_ARM_TABLES_H

#include "gen/arm/view.h"

struct arm_row {
    const char *id; /* "C06" */
    bool (*armed)(const struct arm_view *v);
    const char *by; /* NULL; "wire" or "env": no step of a template can, only that group of mutators */
};

/* Each ends with a row without an id. */
extern const struct arm_row arm_encoding[], arm_null_byte[], arm_protocol[], arm_size[], arm_path_rows[],
    arm_permission[], arm_persistence[], arm_storage[], arm_memory[], arm_time[], arm_process[],
    arm_streams[], arm_network[], arm_session[], arm_environment[], arm_concurrency[], arm_browser[];

#endif

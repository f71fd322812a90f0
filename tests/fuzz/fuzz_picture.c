/* Pictures as a browser gives them. */
#include <stdlib.h>
#include <string.h>

#include "exec/oracle/picture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct picture p;
    picture_look(bytes_of(data, size), &p);
    if ((p.decoded && !p.png) || (p.blank && !p.decoded) || (p.too_big && p.decoded) || (!p.decoded && !p.too_big && !*p.why))
        abort();
    return 0;
}

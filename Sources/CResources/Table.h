// Included by the files with tables of embedded files. #embed is part of C23, and Clang supports it in all versions of
// C.
#include <string.h>

#include "CResources.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

typedef struct {
  const char *path;
  EmbeddedFile file;
} Entry;

#define ENTRY(path, bytes) {path, {bytes, sizeof bytes}}

// The body of a function that returns the file with the path `wanted`, or a file without bytes if there is none.
#define FIND(table, wanted)                                                          \
  for (size_t index = 0; index < sizeof table / sizeof *table; index++)              \
    if (strcmp(table[index].path, wanted) == 0) return table[index].file;            \
  return (EmbeddedFile){NULL, 0}

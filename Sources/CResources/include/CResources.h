#ifndef CRESOURCES_H
#define CRESOURCES_H

#include <stddef.h>

/// A file that is part of the program.
typedef struct {
  /// Null if there is no file with the requested name.
  const unsigned char *_Nullable bytes;
  size_t size;
} EmbeddedFile;

/// Each function returns a file in the `Resources` folder of a module. Its parameter is the file's path in that folder.
EmbeddedFile sallyport_desktop_file(const char *_Nonnull path);
EmbeddedFile sallyport_look_file(const char *_Nonnull path);
EmbeddedFile sallyport_server_file(const char *_Nonnull path);
EmbeddedFile sallyport_http_file(const char *_Nonnull path);

#endif

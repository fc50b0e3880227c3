// The files in Sources/SallyportDesktop/Resources.
#include "Table.h"

static const unsigned char Languages_en_json[] = {
#embed "../SallyportDesktop/Resources/Languages/en.json"
};

static const Entry files[] = {
    ENTRY("Languages/en.json", Languages_en_json),
};

EmbeddedFile sallyport_desktop_file(const char *path) { FIND(files, path); }

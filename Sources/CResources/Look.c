// The files in Sources/SallyportLook/Resources.
#include "Table.h"

static const unsigned char base_css[] = {
#embed "../SallyportLook/Resources/base.css"
};

static const unsigned char icon_svg[] = {
#embed "../SallyportLook/Resources/icon.svg"
};

static const Entry files[] = {
    ENTRY("base.css", base_css),
    ENTRY("icon.svg", icon_svg),
};

EmbeddedFile sallyport_look_file(const char *path) { FIND(files, path); }

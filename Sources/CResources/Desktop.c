// The files in Sources/SallyportDesktop/Resources.
#include "Table.h"

static const unsigned char Languages_ar_json[] = {
#embed "../SallyportDesktop/Resources/Languages/ar.json"
};

static const unsigned char Languages_de_json[] = {
#embed "../SallyportDesktop/Resources/Languages/de.json"
};

static const unsigned char Languages_es_json[] = {
#embed "../SallyportDesktop/Resources/Languages/es.json"
};

static const unsigned char Languages_fr_json[] = {
#embed "../SallyportDesktop/Resources/Languages/fr.json"
};

static const unsigned char Languages_ja_json[] = {
#embed "../SallyportDesktop/Resources/Languages/ja.json"
};

static const unsigned char Languages_pt_json[] = {
#embed "../SallyportDesktop/Resources/Languages/pt.json"
};

static const unsigned char Languages_zh_Hans_json[] = {
#embed "../SallyportDesktop/Resources/Languages/zh-Hans.json"
};

static const unsigned char Languages_en_json[] = {
#embed "../SallyportDesktop/Resources/Languages/en.json"
};

static const Entry files[] = {
    ENTRY("Languages/ar.json", Languages_ar_json),
    ENTRY("Languages/de.json", Languages_de_json),
    ENTRY("Languages/es.json", Languages_es_json),
    ENTRY("Languages/fr.json", Languages_fr_json),
    ENTRY("Languages/ja.json", Languages_ja_json),
    ENTRY("Languages/pt.json", Languages_pt_json),
    ENTRY("Languages/zh-Hans.json", Languages_zh_Hans_json),
    ENTRY("Languages/en.json", Languages_en_json),
};

EmbeddedFile sallyport_desktop_file(const char *path) { FIND(files, path); }

// The files in Sources/SallyportDesktop/Resources.
#include "Table.h"

#if __has_embed("../SallyportDesktop/Resources/Languages/ar.json")
static const unsigned char Languages_ar_json[] = {
#embed "../SallyportDesktop/Resources/Languages/ar.json"
};
#endif

#if __has_embed("../SallyportDesktop/Resources/Languages/de.json")
static const unsigned char Languages_de_json[] = {
#embed "../SallyportDesktop/Resources/Languages/de.json"
};
#endif

#if __has_embed("../SallyportDesktop/Resources/Languages/es.json")
static const unsigned char Languages_es_json[] = {
#embed "../SallyportDesktop/Resources/Languages/es.json"
};
#endif

#if __has_embed("../SallyportDesktop/Resources/Languages/fr.json")
static const unsigned char Languages_fr_json[] = {
#embed "../SallyportDesktop/Resources/Languages/fr.json"
};
#endif

#if __has_embed("../SallyportDesktop/Resources/Languages/ja.json")
static const unsigned char Languages_ja_json[] = {
#embed "../SallyportDesktop/Resources/Languages/ja.json"
};
#endif

#if __has_embed("../SallyportDesktop/Resources/Languages/pt.json")
static const unsigned char Languages_pt_json[] = {
#embed "../SallyportDesktop/Resources/Languages/pt.json"
};
#endif

#if __has_embed("../SallyportDesktop/Resources/Languages/zh-Hans.json")
static const unsigned char Languages_zh_Hans_json[] = {
#embed "../SallyportDesktop/Resources/Languages/zh-Hans.json"
};
#endif

static const unsigned char Languages_en_json[] = {
#embed "../SallyportDesktop/Resources/Languages/en.json"
};

static const Entry files[] = {
#if __has_embed("../SallyportDesktop/Resources/Languages/ar.json")
    ENTRY("Languages/ar.json", Languages_ar_json),
#endif
#if __has_embed("../SallyportDesktop/Resources/Languages/de.json")
    ENTRY("Languages/de.json", Languages_de_json),
#endif
#if __has_embed("../SallyportDesktop/Resources/Languages/es.json")
    ENTRY("Languages/es.json", Languages_es_json),
#endif
#if __has_embed("../SallyportDesktop/Resources/Languages/fr.json")
    ENTRY("Languages/fr.json", Languages_fr_json),
#endif
#if __has_embed("../SallyportDesktop/Resources/Languages/ja.json")
    ENTRY("Languages/ja.json", Languages_ja_json),
#endif
#if __has_embed("../SallyportDesktop/Resources/Languages/pt.json")
    ENTRY("Languages/pt.json", Languages_pt_json),
#endif
#if __has_embed("../SallyportDesktop/Resources/Languages/zh-Hans.json")
    ENTRY("Languages/zh-Hans.json", Languages_zh_Hans_json),
#endif
    ENTRY("Languages/en.json", Languages_en_json),
};

EmbeddedFile sallyport_desktop_file(const char *path) { FIND(files, path); }

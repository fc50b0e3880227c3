// The files in Sources/SallyportServer/Resources.
#include "Table.h"

#if __has_embed("../SallyportServer/Resources/Languages/ar.json")
static const unsigned char Languages_ar_json[] = {
#embed "../SallyportServer/Resources/Languages/ar.json"
};
#endif

#if __has_embed("../SallyportServer/Resources/Languages/de.json")
static const unsigned char Languages_de_json[] = {
#embed "../SallyportServer/Resources/Languages/de.json"
};
#endif

#if __has_embed("../SallyportServer/Resources/Languages/es.json")
static const unsigned char Languages_es_json[] = {
#embed "../SallyportServer/Resources/Languages/es.json"
};
#endif

#if __has_embed("../SallyportServer/Resources/Languages/fr.json")
static const unsigned char Languages_fr_json[] = {
#embed "../SallyportServer/Resources/Languages/fr.json"
};
#endif

#if __has_embed("../SallyportServer/Resources/Languages/ja.json")
static const unsigned char Languages_ja_json[] = {
#embed "../SallyportServer/Resources/Languages/ja.json"
};
#endif

#if __has_embed("../SallyportServer/Resources/Languages/pt.json")
static const unsigned char Languages_pt_json[] = {
#embed "../SallyportServer/Resources/Languages/pt.json"
};
#endif

#if __has_embed("../SallyportServer/Resources/Languages/zh-Hans.json")
static const unsigned char Languages_zh_Hans_json[] = {
#embed "../SallyportServer/Resources/Languages/zh-Hans.json"
};
#endif

static const unsigned char Languages_en_json[] = {
#embed "../SallyportServer/Resources/Languages/en.json"
};

static const unsigned char common_words_txt[] = {
#embed "../SallyportServer/Resources/common-words.txt"
};

static const Entry files[] = {
#if __has_embed("../SallyportServer/Resources/Languages/ar.json")
    ENTRY("Languages/ar.json", Languages_ar_json),
#endif
#if __has_embed("../SallyportServer/Resources/Languages/de.json")
    ENTRY("Languages/de.json", Languages_de_json),
#endif
#if __has_embed("../SallyportServer/Resources/Languages/es.json")
    ENTRY("Languages/es.json", Languages_es_json),
#endif
#if __has_embed("../SallyportServer/Resources/Languages/fr.json")
    ENTRY("Languages/fr.json", Languages_fr_json),
#endif
#if __has_embed("../SallyportServer/Resources/Languages/ja.json")
    ENTRY("Languages/ja.json", Languages_ja_json),
#endif
#if __has_embed("../SallyportServer/Resources/Languages/pt.json")
    ENTRY("Languages/pt.json", Languages_pt_json),
#endif
#if __has_embed("../SallyportServer/Resources/Languages/zh-Hans.json")
    ENTRY("Languages/zh-Hans.json", Languages_zh_Hans_json),
#endif
    ENTRY("Languages/en.json", Languages_en_json),
    ENTRY("common-words.txt", common_words_txt),
};

EmbeddedFile sallyport_server_file(const char *path) { FIND(files, path); }

// The files in Sources/SallyportServer/Resources.
#include "Table.h"

static const unsigned char Languages_ar_json[] = {
#embed "../SallyportServer/Resources/Languages/ar.json"
};

static const unsigned char Languages_de_json[] = {
#embed "../SallyportServer/Resources/Languages/de.json"
};

static const unsigned char Languages_es_json[] = {
#embed "../SallyportServer/Resources/Languages/es.json"
};

static const unsigned char Languages_fr_json[] = {
#embed "../SallyportServer/Resources/Languages/fr.json"
};

static const unsigned char Languages_ja_json[] = {
#embed "../SallyportServer/Resources/Languages/ja.json"
};

static const unsigned char Languages_pt_json[] = {
#embed "../SallyportServer/Resources/Languages/pt.json"
};

static const unsigned char Languages_zh_Hans_json[] = {
#embed "../SallyportServer/Resources/Languages/zh-Hans.json"
};

static const unsigned char Languages_en_json[] = {
#embed "../SallyportServer/Resources/Languages/en.json"
};

static const unsigned char common_words_txt[] = {
#embed "../SallyportServer/Resources/common-words.txt"
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
    ENTRY("common-words.txt", common_words_txt),
};

EmbeddedFile sallyport_server_file(const char *path) { FIND(files, path); }

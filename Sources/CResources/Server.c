// The files in Sources/SallyportServer/Resources.
#include "Table.h"

static const unsigned char Languages_en_json[] = {
#embed "../SallyportServer/Resources/Languages/en.json"
};

static const unsigned char common_words_txt[] = {
#embed "../SallyportServer/Resources/common-words.txt"
};

static const Entry files[] = {
    ENTRY("Languages/en.json", Languages_en_json),
    ENTRY("common-words.txt", common_words_txt),
};

EmbeddedFile sallyport_server_file(const char *path) { FIND(files, path); }

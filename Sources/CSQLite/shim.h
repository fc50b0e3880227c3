#include <sqlite3.h>

// sqlite3_config() takes a variable number of arguments, which Swift cannot give.
static inline int sallyport_sqlite_uncounted_memory(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

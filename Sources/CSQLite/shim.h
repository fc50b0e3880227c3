#include <sqlite3.h>

// sqlite3_config() is variadic, and Swift cannot call variadic C functions.
static inline int sallyport_sqlite_uncounted_memory(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

#include "CLibPQ.h"

#if __has_include(<dlfcn.h>) && __has_include(<pthread.h>)

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

// The functions of libpq that are loaded: result type, name, parameters, arguments. `VOID` is for functions without a
// result. The list is expanded twice: to define a pointer to each function and `libpq_NAME`, which calls the function
// through the pointer, and in `load`, to set the pointers.
#define LIBPQ_FUNCTIONS(FUNCTION, VOID) \
  FUNCTION(PQconninfoOption *, PQconninfoParse, (const char *conninfo, char **errmsg), (conninfo, errmsg)) \
  VOID(PQconninfoFree, (PQconninfoOption *options), (options)) \
  VOID(PQfreemem, (void *pointer), (pointer)) \
  FUNCTION(PGconn *, PQconnectStartParams, (const char *const *keywords, const char *const *values, int expand), \
           (keywords, values, expand)) \
  FUNCTION(int, PQconnectPoll, (PGconn *connection), (connection)) \
  FUNCTION(int, PQstatus, (const PGconn *connection), (connection)) \
  VOID(PQfinish, (PGconn *connection), (connection)) \
  FUNCTION(int, PQsocket, (const PGconn *connection), (connection)) \
  FUNCTION(char *, PQerrorMessage, (const PGconn *connection), (connection)) \
  FUNCTION(int, PQserverVersion, (const PGconn *connection), (connection)) \
  FUNCTION(int, PQsetnonblocking, (PGconn *connection, int is_nonblocking), (connection, is_nonblocking)) \
  FUNCTION(PQnoticeReceiver, PQsetNoticeReceiver, (PGconn *connection, PQnoticeReceiver receiver, void *context), \
           (connection, receiver, context)) \
  FUNCTION(int, PQenterPipelineMode, (PGconn *connection), (connection)) \
  FUNCTION(int, PQexitPipelineMode, (PGconn *connection), (connection)) \
  FUNCTION(int, PQpipelineSync, (PGconn *connection), (connection)) \
  FUNCTION(int, PQsendQuery, (PGconn *connection, const char *sql), (connection, sql)) \
  FUNCTION(int, PQsendPrepare, (PGconn *connection, const char *name, const char *sql, int count, const Oid *types), \
           (connection, name, sql, count, types)) \
  FUNCTION(int, PQsendQueryPrepared, \
           (PGconn *connection, const char *name, int count, const char *const *values, const int *lengths, \
            const int *formats, int result_format), \
           (connection, name, count, values, lengths, formats, result_format)) \
  FUNCTION(int, PQsendQueryParams, \
           (PGconn *connection, const char *sql, int count, const Oid *types, const char *const *values, \
            const int *lengths, const int *formats, int result_format), \
           (connection, sql, count, types, values, lengths, formats, result_format)) \
  FUNCTION(PGnotify *, PQnotifies, (PGconn *connection), (connection)) \
  FUNCTION(int, PQflush, (PGconn *connection), (connection)) \
  FUNCTION(int, PQconsumeInput, (PGconn *connection), (connection)) \
  FUNCTION(int, PQisBusy, (PGconn *connection), (connection)) \
  FUNCTION(PGresult *, PQgetResult, (PGconn *connection), (connection)) \
  FUNCTION(int, PQresultStatus, (const PGresult *result), (result)) \
  FUNCTION(char *, PQresultErrorField, (const PGresult *result, int field), (result, field)) \
  FUNCTION(char *, PQcmdStatus, (PGresult *result), (result)) \
  FUNCTION(char *, PQcmdTuples, (PGresult *result), (result)) \
  FUNCTION(int, PQntuples, (const PGresult *result), (result)) \
  FUNCTION(int, PQnfields, (const PGresult *result), (result)) \
  FUNCTION(char *, PQfname, (const PGresult *result, int column), (result, column)) \
  FUNCTION(Oid, PQftype, (const PGresult *result, int column), (result, column)) \
  FUNCTION(int, PQgetisnull, (const PGresult *result, int row, int column), (result, row, column)) \
  FUNCTION(int, PQgetlength, (const PGresult *result, int row, int column), (result, row, column)) \
  FUNCTION(char *, PQgetvalue, (const PGresult *result, int row, int column), (result, row, column)) \
  VOID(PQclear, (PGresult *result), (result))

#define DEFINE(type, name, parameters, arguments) \
  static type(*pointer_##name) parameters; \
  type libpq_##name parameters { return pointer_##name arguments; }
#define DEFINE_VOID(name, parameters, arguments) \
  static void(*pointer_##name) parameters; \
  void libpq_##name parameters { pointer_##name arguments; }
LIBPQ_FUNCTIONS(DEFINE, DEFINE_VOID)

static pthread_once_t once = PTHREAD_ONCE_INIT;
// Why libpq could not be loaded; NULL if it was loaded.
static const char *failure = NULL;

static void load(void) {
  void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) library = dlopen("libpq.5.dylib", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    failure = "libpq is not installed; install PostgreSQL's client library (on Debian, the package 'libpq5')";
    return;
  }
#define LOAD(name) \
  *(void **)&pointer_##name = dlsym(library, #name); \
  if (pointer_##name == NULL) { \
    failure = "the installed libpq has no function '" #name "'; install libpq 14 or later"; \
    return; \
  }
#define LOAD_FUNCTION(type, name, parameters, arguments) LOAD(name)
#define LOAD_VOID(name, parameters, arguments) LOAD(name)
  LIBPQ_FUNCTIONS(LOAD_FUNCTION, LOAD_VOID)
}

const char *libpq_load(void) {
  pthread_once(&once, load);
  return failure;
}

#endif

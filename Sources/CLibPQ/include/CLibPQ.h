// The functions of libpq that Sallyport uses, loaded from the shared library at run time.
//
// A program that contains this module can start on a machine without libpq, and is built without libpq's headers. The
// declarations follow libpq's documentation, and are valid for all versions of libpq.so.5. Each function has the name
// of the libpq function that it calls, with the prefix `libpq_`. Without the prefix, libpq's own code would call our
// function instead of its own, because the dynamic linker prefers the symbols of the program.

#ifndef CLIBPQ_H
#define CLIBPQ_H

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
typedef struct pgNotify PGnotify;
typedef unsigned int Oid;

// A connection parameter, as PQconninfoParse returns it.
typedef struct {
  char *keyword;
  char *envvar;
  char *compiled;
  char *val;
  char *label;
  char *dispchar;
  int dispsize;
} PQconninfoOption;

#define LIBPQ_CONNECTION_OK 0
#define LIBPQ_CONNECTION_BAD 1

#define LIBPQ_POLLING_READING 1
#define LIBPQ_POLLING_WRITING 2
#define LIBPQ_POLLING_OK 3

#define LIBPQ_COMMAND_OK 1
#define LIBPQ_FATAL_ERROR 7

// Fields of an error or a notice: PG_DIAG_SEVERITY_NONLOCALIZED, PG_DIAG_SQLSTATE, PG_DIAG_MESSAGE_PRIMARY, and
// PG_DIAG_SOURCE_FUNCTION. libpq defines them as the characters 'V', 'C', 'M', and 'R'.
#define LIBPQ_DIAG_SEVERITY 86
#define LIBPQ_DIAG_SQLSTATE 67
#define LIBPQ_DIAG_MESSAGE 77
#define LIBPQ_DIAG_FUNCTION 82

typedef void (*PQnoticeReceiver)(void *context, const PGresult *notice);

// Loads the library on the first call. Call this before any other function.
// Returns null, or the reason why the library cannot be used.
const char *libpq_load(void);

PQconninfoOption *libpq_PQconninfoParse(const char *conninfo, char **errmsg);
void libpq_PQconninfoFree(PQconninfoOption *options);
void libpq_PQfreemem(void *pointer);

PGconn *libpq_PQconnectStartParams(const char *const *keywords, const char *const *values, int expand_dbname);
int libpq_PQconnectPoll(PGconn *connection);
int libpq_PQstatus(const PGconn *connection);
void libpq_PQfinish(PGconn *connection);
int libpq_PQsocket(const PGconn *connection);
char *libpq_PQerrorMessage(const PGconn *connection);
int libpq_PQserverVersion(const PGconn *connection);
int libpq_PQsetnonblocking(PGconn *connection, int is_nonblocking);
PQnoticeReceiver libpq_PQsetNoticeReceiver(PGconn *connection, PQnoticeReceiver receiver, void *context);

int libpq_PQenterPipelineMode(PGconn *connection);
int libpq_PQexitPipelineMode(PGconn *connection);
int libpq_PQpipelineSync(PGconn *connection);
int libpq_PQsendQuery(PGconn *connection, const char *sql);
int libpq_PQsendPrepare(PGconn *connection, const char *name, const char *sql, int count, const Oid *types);
int libpq_PQsendQueryPrepared(
    PGconn *connection, const char *name, int count, const char *const *values, const int *lengths, const int *formats,
    int result_format);
int libpq_PQsendQueryParams(
    PGconn *connection, const char *sql, int count, const Oid *types, const char *const *values, const int *lengths,
    const int *formats, int result_format);
PGnotify *libpq_PQnotifies(PGconn *connection);
int libpq_PQflush(PGconn *connection);
int libpq_PQconsumeInput(PGconn *connection);
int libpq_PQisBusy(PGconn *connection);
PGresult *libpq_PQgetResult(PGconn *connection);

int libpq_PQresultStatus(const PGresult *result);
char *libpq_PQresultErrorField(const PGresult *result, int field);
char *libpq_PQcmdStatus(PGresult *result);
char *libpq_PQcmdTuples(PGresult *result);
int libpq_PQntuples(const PGresult *result);
int libpq_PQnfields(const PGresult *result);
char *libpq_PQfname(const PGresult *result, int column);
Oid libpq_PQftype(const PGresult *result, int column);
int libpq_PQgetisnull(const PGresult *result, int row, int column);
int libpq_PQgetlength(const PGresult *result, int row, int column);
char *libpq_PQgetvalue(const PGresult *result, int row, int column);
void libpq_PQclear(PGresult *result);

#endif

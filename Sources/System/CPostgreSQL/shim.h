#pragma once

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

// The functions of libpq.so.5, version 14 or later, that this program calls, with the types that the manual of
// PostgreSQL gives them (chapter "libpq - C Library"). They are declared here and opened on first use, so that neither
// the build nor the start of the program needs anything of PostgreSQL.

// A connection (PGconn), what the server answered to one statement (PGresult), and what a request to cancel needs to
// know of a connection (PGcancel). Their contents are the library's own.
typedef struct cpostgresql_connection cpostgresql_connection;
typedef struct cpostgresql_result cpostgresql_result;
typedef struct cpostgresql_cancel cpostgresql_cancel;

// One option of a connection (PQconninfoOption). A `display` of "*" marks a secret.
typedef struct {
    const char *_Nullable keyword;
    const char *_Nullable environment;
    const char *_Nullable compiled;
    const char *_Nullable value;
    const char *_Nullable label;
    const char *_Nullable display;
    int size;
} cpostgresql_option;

// ConnStatusType
enum { CPOSTGRESQL_CONNECTION_OK = 0, CPOSTGRESQL_CONNECTION_BAD = 1 };

// PostgresPollingStatusType
enum {
    CPOSTGRESQL_POLLING_FAILED = 0,
    CPOSTGRESQL_POLLING_READING = 1,
    CPOSTGRESQL_POLLING_WRITING = 2,
    CPOSTGRESQL_POLLING_OK = 3
};

// ExecStatusType
enum {
    CPOSTGRESQL_EMPTY_QUERY = 0,
    CPOSTGRESQL_COMMAND_OK = 1,
    CPOSTGRESQL_TUPLES_OK = 2,
    CPOSTGRESQL_FATAL_ERROR = 7,
    CPOSTGRESQL_PIPELINE_SYNC = 10,
    CPOSTGRESQL_PIPELINE_ABORTED = 11
};

// PGTransactionStatusType
enum {
    CPOSTGRESQL_TRANSACTION_IDLE = 0,
    CPOSTGRESQL_TRANSACTION_ACTIVE = 1,
    CPOSTGRESQL_TRANSACTION_OPEN = 2,
    CPOSTGRESQL_TRANSACTION_FAILED = 3
};

// PGVerbosity: messages with the code of the condition.
enum { CPOSTGRESQL_ERRORS_VERBOSE = 2 };

// The fields of an error (PG_DIAG_...): the codes of the message ErrorResponse of the protocol.
enum {
    CPOSTGRESQL_FIELD_SEVERITY = 'V',
    CPOSTGRESQL_FIELD_SQLSTATE = 'C',
    CPOSTGRESQL_FIELD_MESSAGE = 'M',
    CPOSTGRESQL_FIELD_DETAIL = 'D',
    CPOSTGRESQL_FIELD_POSITION = 'P',
    CPOSTGRESQL_FIELD_TABLE = 't',
    CPOSTGRESQL_FIELD_COLUMN = 'c',
    CPOSTGRESQL_FIELD_CONSTRAINT = 'n',
    CPOSTGRESQL_FIELD_FUNCTION = 'R'
};

typedef struct {
    int (*PQlibVersion)(void);
    cpostgresql_option *_Nullable (*PQconninfoParse)(
        const char *_Nonnull text, char *_Nullable *_Nullable message);
    void (*PQconninfoFree)(cpostgresql_option *_Nullable options);
    void (*PQfreemem)(void *_Nullable memory);
    cpostgresql_connection *_Nullable (*PQconnectStartParams)(
        const char *_Nullable const *_Nonnull keywords, const char *_Nullable const *_Nonnull values, int expand);
    int (*PQconnectPoll)(cpostgresql_connection *_Nonnull connection);
    void (*PQfinish)(cpostgresql_connection *_Nonnull connection);
    int (*PQstatus)(const cpostgresql_connection *_Nonnull connection);
    int (*PQtransactionStatus)(const cpostgresql_connection *_Nonnull connection);
    int (*PQserverVersion)(const cpostgresql_connection *_Nonnull connection);
    int (*PQsocket)(const cpostgresql_connection *_Nonnull connection);
    int (*PQsslInUse)(cpostgresql_connection *_Nonnull connection);
    const char *_Nullable (*PQerrorMessage)(const cpostgresql_connection *_Nonnull connection);
    int (*PQsetErrorVerbosity)(cpostgresql_connection *_Nonnull connection, int verbosity);
    void *_Nullable (*PQsetNoticeReceiver)(
        cpostgresql_connection *_Nonnull connection,
        void (*_Nullable receiver)(void *_Nullable argument, const cpostgresql_result *_Nullable notice),
        void *_Nullable argument);
    int (*PQsetnonblocking)(cpostgresql_connection *_Nonnull connection, int is_nonblocking);
    int (*PQenterPipelineMode)(cpostgresql_connection *_Nonnull connection);
    int (*PQexitPipelineMode)(cpostgresql_connection *_Nonnull connection);
    int (*PQpipelineSync)(cpostgresql_connection *_Nonnull connection);
    int (*PQsendFlushRequest)(cpostgresql_connection *_Nonnull connection);
    int (*PQsendQuery)(cpostgresql_connection *_Nonnull connection, const char *_Nonnull text);
    int (*PQsendQueryParams)(
        cpostgresql_connection *_Nonnull connection, const char *_Nonnull text, int count,
        const unsigned int *_Nullable types, const char *_Nullable const *_Nullable values,
        const int *_Nullable lengths, const int *_Nullable formats, int result_format);
    int (*PQflush)(cpostgresql_connection *_Nonnull connection);
    int (*PQconsumeInput)(cpostgresql_connection *_Nonnull connection);
    int (*PQisBusy)(cpostgresql_connection *_Nonnull connection);
    cpostgresql_result *_Nullable (*PQgetResult)(cpostgresql_connection *_Nonnull connection);
    void (*PQclear)(cpostgresql_result *_Nullable result);
    int (*PQresultStatus)(const cpostgresql_result *_Nonnull result);
    const char *_Nullable (*PQresultErrorField)(const cpostgresql_result *_Nonnull result, int field);
    int (*PQntuples)(const cpostgresql_result *_Nonnull result);
    int (*PQnfields)(const cpostgresql_result *_Nonnull result);
    const char *_Nullable (*PQfname)(const cpostgresql_result *_Nonnull result, int column);
    unsigned int (*PQftype)(const cpostgresql_result *_Nonnull result, int column);
    int (*PQgetisnull)(const cpostgresql_result *_Nonnull result, int row, int column);
    int (*PQgetlength)(const cpostgresql_result *_Nonnull result, int row, int column);
    const char *_Nullable (*PQgetvalue)(const cpostgresql_result *_Nonnull result, int row, int column);
    const char *_Nullable (*PQcmdStatus)(const cpostgresql_result *_Nonnull result);
    const char *_Nullable (*PQcmdTuples)(const cpostgresql_result *_Nonnull result);
    cpostgresql_cancel *_Nullable (*PQgetCancel)(cpostgresql_connection *_Nonnull connection);
    void (*PQfreeCancel)(cpostgresql_cancel *_Nonnull cancel);
    int (*PQcancel)(cpostgresql_cancel *_Nonnull cancel, char *_Nonnull message, int room);
} cpostgresql_functions;

// Opens the library and fills the table. Returns NULL, or what is missing, in words that stay valid until the next call
// of dlerror on this thread.
static inline const char *_Nullable cpostgresql_load(cpostgresql_functions *_Nonnull functions) {
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!library) return dlerror();
#define CPOSTGRESQL_RESOLVE(name)                                                                                      \
    *(void **)(&functions->name) = dlsym(library, #name);                                                              \
    if (!functions->name) return "libpq.so.5 has no " #name ": version 14 or later is needed";
    CPOSTGRESQL_RESOLVE(PQlibVersion)
    CPOSTGRESQL_RESOLVE(PQconninfoParse)
    CPOSTGRESQL_RESOLVE(PQconninfoFree)
    CPOSTGRESQL_RESOLVE(PQfreemem)
    CPOSTGRESQL_RESOLVE(PQconnectStartParams)
    CPOSTGRESQL_RESOLVE(PQconnectPoll)
    CPOSTGRESQL_RESOLVE(PQfinish)
    CPOSTGRESQL_RESOLVE(PQstatus)
    CPOSTGRESQL_RESOLVE(PQtransactionStatus)
    CPOSTGRESQL_RESOLVE(PQserverVersion)
    CPOSTGRESQL_RESOLVE(PQsocket)
    CPOSTGRESQL_RESOLVE(PQsslInUse)
    CPOSTGRESQL_RESOLVE(PQerrorMessage)
    CPOSTGRESQL_RESOLVE(PQsetErrorVerbosity)
    CPOSTGRESQL_RESOLVE(PQsetNoticeReceiver)
    CPOSTGRESQL_RESOLVE(PQsetnonblocking)
    CPOSTGRESQL_RESOLVE(PQenterPipelineMode)
    CPOSTGRESQL_RESOLVE(PQexitPipelineMode)
    CPOSTGRESQL_RESOLVE(PQpipelineSync)
    CPOSTGRESQL_RESOLVE(PQsendFlushRequest)
    CPOSTGRESQL_RESOLVE(PQsendQuery)
    CPOSTGRESQL_RESOLVE(PQsendQueryParams)
    CPOSTGRESQL_RESOLVE(PQflush)
    CPOSTGRESQL_RESOLVE(PQconsumeInput)
    CPOSTGRESQL_RESOLVE(PQisBusy)
    CPOSTGRESQL_RESOLVE(PQgetResult)
    CPOSTGRESQL_RESOLVE(PQclear)
    CPOSTGRESQL_RESOLVE(PQresultStatus)
    CPOSTGRESQL_RESOLVE(PQresultErrorField)
    CPOSTGRESQL_RESOLVE(PQntuples)
    CPOSTGRESQL_RESOLVE(PQnfields)
    CPOSTGRESQL_RESOLVE(PQfname)
    CPOSTGRESQL_RESOLVE(PQftype)
    CPOSTGRESQL_RESOLVE(PQgetisnull)
    CPOSTGRESQL_RESOLVE(PQgetlength)
    CPOSTGRESQL_RESOLVE(PQgetvalue)
    CPOSTGRESQL_RESOLVE(PQcmdStatus)
    CPOSTGRESQL_RESOLVE(PQcmdTuples)
    CPOSTGRESQL_RESOLVE(PQgetCancel)
    CPOSTGRESQL_RESOLVE(PQfreeCancel)
    CPOSTGRESQL_RESOLVE(PQcancel)
#undef CPOSTGRESQL_RESOLVE
    return NULL;
}

// What the notices of a connection said.
typedef struct {
    const char *_Nullable (*_Nonnull PQresultErrorField)(const cpostgresql_result *_Nonnull result, int field);
    // Whether the server committed without waiting for a standby any longer (synchronous replication).
    int is_unconfirmed;
} cpostgresql_notices;

// Drops a notice, which the library would print on standard error, and notes the one that matters. Its text depends on
// the language of the server; the function that reports it does not (PostgreSQL, syncrep.c).
static inline void cpostgresql_take(void *_Nullable argument, const cpostgresql_result *_Nullable notice) {
    cpostgresql_notices *notices = argument;
    if (!notices || !notice) return;
    const char *function = notices->PQresultErrorField(notice, CPOSTGRESQL_FIELD_FUNCTION);
    if (function && strcmp(function, "SyncRepWaitForLSN") == 0) notices->is_unconfirmed = 1;
}

// Begins to connect as a connection string says, with texts as UTF-8. The later of two equal options counts; `dbname`
// stands for all that the connection string has.
static inline cpostgresql_connection *_Nullable cpostgresql_start(
    const cpostgresql_functions *_Nonnull functions, const char *_Nonnull text
) {
    const char *keywords[] = {"fallback_application_name", "dbname", "client_encoding", NULL};
    const char *values[] = {"cardpresent", text, "UTF8", NULL};
    return functions->PQconnectStartParams(keywords, values, 1);
}

// Has the connection print no notices. `notices` outlives the connection.
static inline void cpostgresql_listen(
    const cpostgresql_functions *_Nonnull functions, cpostgresql_connection *_Nonnull connection,
    cpostgresql_notices *_Nonnull notices
) {
    functions->PQsetNoticeReceiver(connection, cpostgresql_take, notices);
}

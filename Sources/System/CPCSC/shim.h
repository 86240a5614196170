#pragma once

#include <dlfcn.h>
#include <stddef.h>

// The functions of libpcsclite.so.1 (PC/SC part 5) with the types that it gives them on Linux: a DWORD is an unsigned
// long, a LONG, a context and a card handle are a long. They are declared here and opened on first use, so that neither
// the build nor the start of the program needs anything of pcscd.

// Which state a reader was known to be in, and which it is in (SCARD_READERSTATE).
typedef struct {
    const char *_Nullable reader;
    void *_Nullable user_data;
    unsigned long current_state;
    unsigned long event_state;
    unsigned long atr_length;
    unsigned char atr[33];
} cpcsc_reader_state;

// The protocol of an exchange, and the size of this structure (SCARD_IO_REQUEST).
typedef struct {
    unsigned long protocol;
    unsigned long length;
} cpcsc_io_request;

typedef struct {
    long (*SCardEstablishContext)(
        unsigned long scope, const void *_Nullable reserved1, const void *_Nullable reserved2, long *_Nonnull context);
    long (*SCardReleaseContext)(long context);
    long (*SCardListReaders)(
        long context, const char *_Nullable groups, char *_Nullable readers, unsigned long *_Nonnull length);
    long (*SCardGetStatusChange)(
        long context, unsigned long milliseconds, cpcsc_reader_state *_Nonnull readers, unsigned long count);
    long (*SCardCancel)(long context);
    long (*SCardConnect)(
        long context, const char *_Nonnull reader, unsigned long sharing, unsigned long protocols, long *_Nonnull card,
        unsigned long *_Nonnull protocol);
    long (*SCardReconnect)(
        long card, unsigned long sharing, unsigned long protocols, unsigned long initialization,
        unsigned long *_Nonnull protocol);
    long (*SCardDisconnect)(long card, unsigned long disposition);
    long (*SCardBeginTransaction)(long card);
    long (*SCardEndTransaction)(long card, unsigned long disposition);
    long (*SCardStatus)(
        long card, char *_Nullable reader, unsigned long *_Nullable reader_length, unsigned long *_Nullable state,
        unsigned long *_Nullable protocol, unsigned char *_Nullable atr, unsigned long *_Nullable atr_length);
    long (*SCardTransmit)(
        long card, const cpcsc_io_request *_Nonnull request, const unsigned char *_Nonnull command,
        unsigned long command_length, cpcsc_io_request *_Nullable answered, unsigned char *_Nonnull answer,
        unsigned long *_Nonnull answer_length);
    long (*SCardControl)(
        long card, unsigned long code, const void *_Nullable command, unsigned long command_length,
        void *_Nullable answer, unsigned long room, unsigned long *_Nonnull answer_length);
    long (*SCardGetAttrib)(
        long card, unsigned long attribute, unsigned char *_Nullable value, unsigned long *_Nonnull length);
} cpcsc_functions;

// Opens the library and fills the table. Returns NULL, or what is missing, in words that stay valid until the next call
// of dlerror on this thread.
static inline const char *_Nullable cpcsc_load(cpcsc_functions *_Nonnull functions) {
    void *library = dlopen("libpcsclite.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return dlerror();
#define CPCSC_RESOLVE(name)                                                                                            \
    *(void **)(&functions->name) = dlsym(library, #name);                                                              \
    if (!functions->name) return #name;
    CPCSC_RESOLVE(SCardEstablishContext)
    CPCSC_RESOLVE(SCardReleaseContext)
    CPCSC_RESOLVE(SCardListReaders)
    CPCSC_RESOLVE(SCardGetStatusChange)
    CPCSC_RESOLVE(SCardCancel)
    CPCSC_RESOLVE(SCardConnect)
    CPCSC_RESOLVE(SCardReconnect)
    CPCSC_RESOLVE(SCardDisconnect)
    CPCSC_RESOLVE(SCardBeginTransaction)
    CPCSC_RESOLVE(SCardEndTransaction)
    CPCSC_RESOLVE(SCardStatus)
    CPCSC_RESOLVE(SCardTransmit)
    CPCSC_RESOLVE(SCardControl)
    CPCSC_RESOLVE(SCardGetAttrib)
#undef CPCSC_RESOLVE
    return NULL;
}

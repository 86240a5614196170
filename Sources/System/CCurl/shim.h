#pragma once

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <dlfcn.h>
#include <sys/prctl.h>

// libcurl is opened when something is requested, not when the program starts: it and the libraries behind it take
// several milliseconds to load, and most commands make no requests. Each entry has the type that the header gives
// the function, so a call through the table is checked as a direct call.
#define CCURL_FUNCTIONS(X)                                                                                             \
    X(curl_easy_cleanup)                                                                                               \
    X(curl_easy_getinfo)                                                                                               \
    X(curl_easy_init)                                                                                                  \
    X(curl_easy_reset)                                                                                                 \
    X(curl_easy_setopt)                                                                                                \
    X(curl_easy_strerror)                                                                                              \
    X(curl_global_init)                                                                                                \
    X(curl_multi_add_handle)                                                                                           \
    X(curl_multi_cleanup)                                                                                              \
    X(curl_multi_info_read)                                                                                            \
    X(curl_multi_init)                                                                                                 \
    X(curl_multi_perform)                                                                                              \
    X(curl_multi_poll)                                                                                                 \
    X(curl_multi_remove_handle)                                                                                        \
    X(curl_multi_setopt)                                                                                               \
    X(curl_multi_wakeup)                                                                                               \
    X(curl_slist_append)                                                                                               \
    X(curl_slist_free_all)

typedef struct {
#define CCURL_MEMBER(name) __typeof__(&name) name;
    CCURL_FUNCTIONS(CCURL_MEMBER)
#undef CCURL_MEMBER
} ccurl_functions;

// Opens the library and fills the table. Returns NULL, or what is missing, in words that stay valid until the next
// call of dlerror on this thread.
static inline const char *_Nullable ccurl_load(ccurl_functions *_Nonnull functions) {
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library) return dlerror();
#define CCURL_RESOLVE(name)                                                                                            \
    *(void **)(&functions->name) = dlsym(library, #name);                                                              \
    if (!functions->name) return #name;
    CCURL_FUNCTIONS(CCURL_RESOLVE)
#undef CCURL_RESOLVE
    return NULL;
}

// The functions with a variable number of arguments, which Swift does not import: one for each type of argument.

static inline CURLcode ccurl_set_long(
    const ccurl_functions *_Nonnull f, CURL *_Nonnull handle, CURLoption option, long value) {
    return (f->curl_easy_setopt)(handle, option, value);
}

static inline CURLcode ccurl_set_offset(
    const ccurl_functions *_Nonnull f, CURL *_Nonnull handle, CURLoption option, curl_off_t value) {
    return (f->curl_easy_setopt)(handle, option, value);
}

// libcurl copies the text.
static inline CURLcode ccurl_set_string(
    const ccurl_functions *_Nonnull f, CURL *_Nonnull handle, CURLoption option, const char *_Nullable value) {
    return (f->curl_easy_setopt)(handle, option, value);
}

// libcurl keeps the pointer.
static inline CURLcode ccurl_set_pointer(
    const ccurl_functions *_Nonnull f, CURL *_Nonnull handle, CURLoption option, const void *_Nullable value) {
    return (f->curl_easy_setopt)(handle, option, value);
}

static inline CURLcode ccurl_set_receiver(
    const ccurl_functions *_Nonnull f, CURL *_Nonnull handle, CURLoption option, curl_write_callback _Nonnull value) {
    return (f->curl_easy_setopt)(handle, option, value);
}

static inline CURLcode ccurl_get_long(
    const ccurl_functions *_Nonnull f, CURL *_Nonnull handle, CURLINFO info, long *_Nonnull value) {
    return (f->curl_easy_getinfo)(handle, info, value);
}

static inline CURLMcode ccurl_multi_set_long(
    const ccurl_functions *_Nonnull f, CURLM *_Nonnull handle, CURLMoption option, long value) {
    return (f->curl_multi_setopt)(handle, option, value);
}

// The result of a message is in a union, which Swift gets as an opaque member.
static inline CURLcode ccurl_message_result(const CURLMsg *_Nonnull message) { return message->data.result; }

// prctl is variadic, too.
static inline void ccurl_name_calling_thread(const char *_Nonnull name) { prctl(PR_SET_NAME, name); }

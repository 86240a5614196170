#pragma once

#include <dlfcn.h>
#include <stddef.h>

// What PKCS#11 2.40 says about the memory of a module on Linux: a CK_ULONG is an unsigned long, structures are not
// packed, and a module gives out a table of its functions. Only what this program calls has a type. It is declared
// here, and a module is opened on first use, so that neither the build nor the start of the program needs one.

// An attribute of an object (CK_ATTRIBUTE).
typedef struct {
    unsigned long type;
    void *_Nullable value;
    unsigned long length;
} cpkcs11_attribute;

// An algorithm and its parameter (CK_MECHANISM).
typedef struct {
    unsigned long mechanism;
    void *_Nullable parameter;
    unsigned long parameter_length;
} cpkcs11_mechanism;

// What a token is called, and its state (CK_TOKEN_INFO). Texts are padded with blanks, and have no zero at their end.
typedef struct {
    unsigned char label[32];
    unsigned char manufacturer[32];
    unsigned char model[16];
    unsigned char serial[16];
    unsigned long flags;
    unsigned long counts[10];
    unsigned char hardware_version[2];
    unsigned char firmware_version[2];
    unsigned char utc_time[16];
} cpkcs11_token_info;

// How a module may protect itself from several threads (CK_C_INITIALIZE_ARGS).
typedef struct {
    void *_Nullable locks[4];
    unsigned long flags;
    void *_Nullable reserved;
} cpkcs11_initialize_arguments;

// The table of functions (CK_FUNCTION_LIST), in its order. Those that are not called are pointers only.
typedef struct {
    unsigned char version[2];
    unsigned long (*initialize)(void *_Nullable arguments);
    unsigned long (*finalize)(void *_Nullable reserved);
    void *_Nullable get_info;
    void *_Nullable get_function_list;
    unsigned long (*get_slot_list)(
        unsigned char with_token, unsigned long *_Nullable slots, unsigned long *_Nonnull count);
    void *_Nullable get_slot_info;
    unsigned long (*get_token_info)(unsigned long slot, cpkcs11_token_info *_Nonnull info);
    void *_Nullable get_mechanism_list;
    void *_Nullable get_mechanism_info;
    void *_Nullable init_token;
    void *_Nullable init_pin;
    void *_Nullable set_pin;
    unsigned long (*open_session)(
        unsigned long slot, unsigned long flags, void *_Nullable application, void *_Nullable notify,
        unsigned long *_Nonnull session);
    unsigned long (*close_session)(unsigned long session);
    void *_Nullable close_all_sessions;
    void *_Nullable get_session_info;
    void *_Nullable get_operation_state;
    void *_Nullable set_operation_state;
    unsigned long (*login)(
        unsigned long session, unsigned long user, const unsigned char *_Nullable pin, unsigned long length);
    void *_Nullable logout;
    void *_Nullable create_object;
    void *_Nullable copy_object;
    void *_Nullable destroy_object;
    void *_Nullable get_object_size;
    unsigned long (*get_attribute_value)(
        unsigned long session, unsigned long object, cpkcs11_attribute *_Nonnull attributes, unsigned long count);
    void *_Nullable set_attribute_value;
    unsigned long (*find_objects_init)(
        unsigned long session, cpkcs11_attribute *_Nullable attributes, unsigned long count);
    unsigned long (*find_objects)(
        unsigned long session, unsigned long *_Nonnull objects, unsigned long room, unsigned long *_Nonnull count);
    unsigned long (*find_objects_final)(unsigned long session);
    unsigned long (*encrypt_init)(
        unsigned long session, cpkcs11_mechanism *_Nonnull mechanism, unsigned long key);
    unsigned long (*encrypt)(
        unsigned long session, const unsigned char *_Nonnull data, unsigned long length,
        unsigned char *_Nullable result, unsigned long *_Nonnull result_length);
    void *_Nullable encrypt_update;
    void *_Nullable encrypt_final;
    unsigned long (*decrypt_init)(
        unsigned long session, cpkcs11_mechanism *_Nonnull mechanism, unsigned long key);
    unsigned long (*decrypt)(
        unsigned long session, const unsigned char *_Nonnull data, unsigned long length,
        unsigned char *_Nullable result, unsigned long *_Nonnull result_length);
    void *_Nullable decrypt_update;
    void *_Nullable decrypt_final;
    void *_Nullable digest[5];
    unsigned long (*sign_init)(unsigned long session, cpkcs11_mechanism *_Nonnull mechanism, unsigned long key);
    unsigned long (*sign)(
        unsigned long session, const unsigned char *_Nonnull data, unsigned long length,
        unsigned char *_Nullable result, unsigned long *_Nonnull result_length);
    void *_Nullable others[24];
} cpkcs11_functions;

// Opens a module, and asks it for its functions. Returns NULL, or what is wrong, in words that stay valid until the
// next call of dlerror on this thread; `code` is what the module answered.
static inline const char *_Nullable cpkcs11_load(
    const char *_Nonnull path, const cpkcs11_functions *_Nullable *_Nonnull functions, unsigned long *_Nonnull code
) {
    unsigned long (*list)(const cpkcs11_functions *_Nullable *_Nonnull) = NULL;
    *code = 0;
    *functions = NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) return dlerror();
    *(void **)(&list) = dlsym(library, "C_GetFunctionList");
    if (!list) return "it has no C_GetFunctionList";
    *code = list(functions);
    if (*code || !*functions) return "it gives out no functions";
    return NULL;
}

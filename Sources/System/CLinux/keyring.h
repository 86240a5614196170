/* The kernel's keyrings (keyctl(2)), by system calls: no library is needed. syscall() takes a variable number of
   arguments, which Swift cannot call. Each function returns what the call does, or the negative error number. */
#pragma once

#include <errno.h>
#include <linux/keyctl.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline long ckeyring_result(long result) { return result < 0 ? -(long)errno : result; }

/* The number of the key, which is new or has a new payload. */
static inline long ckeyring_add(const char *description, const void *payload, size_t length, int keyring) {
    return ckeyring_result(syscall(SYS_add_key, "user", description, payload, length, keyring));
}

/* The number of the key. */
static inline long ckeyring_search(int keyring, const char *description) {
    return ckeyring_result(syscall(SYS_keyctl, KEYCTL_SEARCH, keyring, "user", description, 0));
}

/* How many bytes the payload has, of which at most `length` are stored. */
static inline long ckeyring_read(long key, void *buffer, size_t length) {
    return ckeyring_result(syscall(SYS_keyctl, KEYCTL_READ, key, buffer, length));
}

static inline long ckeyring_set_permissions(long key, unsigned int permissions) {
    return ckeyring_result(syscall(SYS_keyctl, KEYCTL_SETPERM, key, permissions));
}

static inline long ckeyring_unlink(long key, int keyring) {
    return ckeyring_result(syscall(SYS_keyctl, KEYCTL_UNLINK, key, keyring));
}

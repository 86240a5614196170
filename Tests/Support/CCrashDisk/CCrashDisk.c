#include "CCrashDisk.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

struct crash_disk {
    char *folder; // ends with a slash
    int holders;  // the test and the open files, under disks_lock
    crash_disk *next;
    pthread_mutex_t lock; // everything below
    crash_disk_record *records;
    long count, room;
    char **names;
    int name_count;
    long writes_until_error, syncs_until_error, writes_until_full;
    int sync_flags;
};

/// An open file of a disk. The file of the VFS below lies behind it.
typedef struct {
    sqlite3_file file;
    crash_disk *disk;
    int number;
} routed_file;

#define HEAD ((int)((sizeof(routed_file) + 15) / 16 * 16))

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t disks_lock = PTHREAD_MUTEX_INITIALIZER;
static crash_disk *disks;
static sqlite3_vfs *below;
static sqlite3_vfs router;

static routed_file *routed(sqlite3_file *file) { return (routed_file *)(void *)file; }
static sqlite3_file *lower(sqlite3_file *file) { return (sqlite3_file *)(void *)((char *)file + HEAD); }

// MARK: Disks

static void destroy(crash_disk *disk) {
    for (long i = 0; i < disk->count; i++) free((void *)disk->records[i].bytes);
    for (int i = 0; i < disk->name_count; i++) free(disk->names[i]);
    free(disk->records);
    free(disk->names);
    free(disk->folder);
    pthread_mutex_destroy(&disk->lock);
    free(disk);
}

static void let_go(crash_disk *disk) {
    pthread_mutex_lock(&disks_lock);
    int left = --disk->holders;
    pthread_mutex_unlock(&disks_lock);
    if (left == 0) destroy(disk);
}

/// The disk of a file, held; NULL for a file elsewhere.
static crash_disk *find(const char *path) {
    if (!path) return NULL;
    pthread_mutex_lock(&disks_lock);
    crash_disk *disk = disks;
    while (disk && strncmp(path, disk->folder, strlen(disk->folder)) != 0) disk = disk->next;
    if (disk) disk->holders++;
    pthread_mutex_unlock(&disks_lock);
    return disk;
}

/// The number of a file, by its path. Call it with the disk's lock held. -1 without memory.
static int number_of(crash_disk *disk, const char *path) {
    const char *name = path + strlen(disk->folder);
    for (int i = 0; i < disk->name_count; i++) {
        if (strcmp(disk->names[i], name) == 0) return i;
    }
    char **names = realloc(disk->names, sizeof(char *) * (size_t)(disk->name_count + 1));
    if (!names) return -1;
    disk->names = names;
    char *copy = strdup(name);
    if (!copy) return -1;
    names[disk->name_count] = copy;
    return disk->name_count++;
}

/// Adds a record. Call it with the disk's lock held.
static int add(crash_disk *disk, crash_disk_record record, const void *bytes) {
    if (disk->count == disk->room) {
        long room = disk->room ? 2 * disk->room : 256;
        crash_disk_record *records = realloc(disk->records, sizeof *records * (size_t)room);
        if (!records) return SQLITE_NOMEM;
        disk->records = records;
        disk->room = room;
    }
    if (bytes) {
        unsigned char *copy = malloc(record.size > 0 ? (size_t)record.size : 1);
        if (!copy) return SQLITE_NOMEM;
        memcpy(copy, bytes, (size_t)record.size);
        record.bytes = copy;
    }
    disk->records[disk->count++] = record;
    return SQLITE_OK;
}

/// Counts down, and says whether this is the time.
static int strikes(long *until) {
    if (*until < 0) return 0;
    return (*until)-- == 0;
}

// MARK: Files

static int close_file(sqlite3_file *file) {
    int result = lower(file)->pMethods->xClose(lower(file));
    let_go(routed(file)->disk);
    return result;
}

static int read_file(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    return lower(file)->pMethods->xRead(lower(file), bytes, count, offset);
}

static int write_file(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    crash_disk *disk = routed(file)->disk;
    pthread_mutex_lock(&disk->lock);
    int result = SQLITE_OK;
    sqlite3_int64 length = 0;
    if (disk->writes_until_full > 0) {
        disk->writes_until_full--;
    } else if (disk->writes_until_full == 0) {
        result = lower(file)->pMethods->xFileSize(lower(file), &length);
        if (result == SQLITE_OK && offset + count > length) result = SQLITE_FULL;
    }
    if (strikes(&disk->writes_until_error)) result = SQLITE_IOERR_WRITE;
    if (result == SQLITE_OK) result = lower(file)->pMethods->xWrite(lower(file), bytes, count, offset);
    if (result == SQLITE_OK) {
        crash_disk_record record = {CRASH_DISK_WRITE, routed(file)->number, 0, offset, count, NULL};
        result = add(disk, record, bytes);
    }
    pthread_mutex_unlock(&disk->lock);
    return result;
}

static int truncate_file(sqlite3_file *file, sqlite3_int64 size) {
    crash_disk *disk = routed(file)->disk;
    pthread_mutex_lock(&disk->lock);
    int result = lower(file)->pMethods->xTruncate(lower(file), size);
    if (result == SQLITE_OK) {
        crash_disk_record record = {CRASH_DISK_TRUNCATE, routed(file)->number, 0, 0, size, NULL};
        result = add(disk, record, NULL);
    }
    pthread_mutex_unlock(&disk->lock);
    return result;
}

static int sync_file(sqlite3_file *file, int flags) {
    (void)flags;
    crash_disk *disk = routed(file)->disk;
    pthread_mutex_lock(&disk->lock);
    int fails = strikes(&disk->syncs_until_error);
    crash_disk_record record = {CRASH_DISK_SYNC, routed(file)->number, fails ? disk->sync_flags : 0, 0, 0, NULL};
    int result = add(disk, record, NULL);
    pthread_mutex_unlock(&disk->lock);
    return fails ? SQLITE_IOERR_FSYNC : result;
}

static int size_of_file(sqlite3_file *file, sqlite3_int64 *size) {
    return lower(file)->pMethods->xFileSize(lower(file), size);
}

static int lock_file(sqlite3_file *file, int level) { return lower(file)->pMethods->xLock(lower(file), level); }

static int unlock_file(sqlite3_file *file, int level) { return lower(file)->pMethods->xUnlock(lower(file), level); }

static int check_lock(sqlite3_file *file, int *result) {
    return lower(file)->pMethods->xCheckReservedLock(lower(file), result);
}

static int control_file(sqlite3_file *file, int operation, void *argument) {
    return lower(file)->pMethods->xFileControl(lower(file), operation, argument);
}

static int sector_size(sqlite3_file *file) { return lower(file)->pMethods->xSectorSize(lower(file)); }

static int characteristics(sqlite3_file *file) { return lower(file)->pMethods->xDeviceCharacteristics(lower(file)); }

static int map_shared(sqlite3_file *file, int page, int size, int extend, void volatile **memory) {
    return lower(file)->pMethods->xShmMap(lower(file), page, size, extend, memory);
}

static int lock_shared(sqlite3_file *file, int offset, int count, int flags) {
    return lower(file)->pMethods->xShmLock(lower(file), offset, count, flags);
}

static void barrier(sqlite3_file *file) { lower(file)->pMethods->xShmBarrier(lower(file)); }

static int unmap_shared(sqlite3_file *file, int is_deleted) {
    return lower(file)->pMethods->xShmUnmap(lower(file), is_deleted);
}

/// Version 2 has no xFetch: nothing is written through a mapping.
static const sqlite3_io_methods methods = {
    2,           close_file,   read_file,   write_file,    truncate_file, sync_file,       size_of_file, lock_file,
    unlock_file, check_lock,   control_file, sector_size,  characteristics, map_shared,    lock_shared,  barrier,
    unmap_shared, NULL,        NULL,
};

// MARK: The VFS

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags) {
    (void)vfs;
    crash_disk *disk = find(name);
    if (!disk) return below->xOpen(below, name, file, flags, out_flags);
    file->pMethods = NULL;
    int was_there = 0;
    below->xAccess(below, name, SQLITE_ACCESS_EXISTS, &was_there);
    lower(file)->pMethods = NULL;
    int result = below->xOpen(below, name, lower(file), flags, out_flags);
    if (result == SQLITE_OK) {
        pthread_mutex_lock(&disk->lock);
        routed(file)->disk = disk;
        int number = routed(file)->number = number_of(disk, name);
        crash_disk_record record = {CRASH_DISK_CREATE, number, 0, 0, 0, NULL};
        if (number < 0 || (!was_there && add(disk, record, NULL) != SQLITE_OK)) result = SQLITE_NOMEM;
        pthread_mutex_unlock(&disk->lock);
    }
    if (result == SQLITE_OK) {
        file->pMethods = &methods;
    } else {
        if (lower(file)->pMethods) lower(file)->pMethods->xClose(lower(file));
        let_go(disk);
    }
    return result;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int syncs_folder) {
    (void)vfs;
    crash_disk *disk = find(name);
    if (!disk) return below->xDelete(below, name, syncs_folder);
    pthread_mutex_lock(&disk->lock);
    int result = below->xDelete(below, name, 0);
    if (result == SQLITE_OK) {
        crash_disk_record record = {CRASH_DISK_DELETE, number_of(disk, name), syncs_folder != 0, 0, 0, NULL};
        result = record.file < 0 ? SQLITE_NOMEM : add(disk, record, NULL);
    }
    pthread_mutex_unlock(&disk->lock);
    let_go(disk);
    return result;
}

static int access_file(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
    (void)vfs;
    return below->xAccess(below, name, flags, result);
}

static int full_path(sqlite3_vfs *vfs, const char *name, int room, char *path) {
    (void)vfs;
    return below->xFullPathname(below, name, room, path);
}

static void *open_library(sqlite3_vfs *vfs, const char *path) {
    (void)vfs;
    return below->xDlOpen(below, path);
}

static void library_error(sqlite3_vfs *vfs, int room, char *text) {
    (void)vfs;
    below->xDlError(below, room, text);
}

static void (*library_symbol(sqlite3_vfs *vfs, void *library, const char *name))(void) {
    (void)vfs;
    return below->xDlSym(below, library, name);
}

static void close_library(sqlite3_vfs *vfs, void *library) {
    (void)vfs;
    below->xDlClose(below, library);
}

static int randomness(sqlite3_vfs *vfs, int count, char *bytes) {
    (void)vfs;
    return below->xRandomness(below, count, bytes);
}

static int pause_for(sqlite3_vfs *vfs, int microseconds) {
    (void)vfs;
    return below->xSleep(below, microseconds);
}

static int current_time(sqlite3_vfs *vfs, double *time) {
    (void)vfs;
    return below->xCurrentTime(below, time);
}

static int last_error(sqlite3_vfs *vfs, int room, char *text) {
    (void)vfs;
    return below->xGetLastError(below, room, text);
}

static void install(void) {
    below = sqlite3_vfs_find(NULL);
    if (!below) return;
    router.iVersion = 1;
    router.szOsFile = HEAD + below->szOsFile;
    router.mxPathname = below->mxPathname;
    router.zName = "crash-disk";
    router.xOpen = open_file;
    router.xDelete = delete_file;
    router.xAccess = access_file;
    router.xFullPathname = full_path;
    router.xDlOpen = open_library;
    router.xDlError = library_error;
    router.xDlSym = library_symbol;
    router.xDlClose = close_library;
    router.xRandomness = randomness;
    router.xSleep = pause_for;
    router.xCurrentTime = current_time;
    router.xGetLastError = last_error;
    sqlite3_vfs_register(&router, 1);
}

// MARK: What tests call

crash_disk *crash_disk_make(const char *folder) {
    pthread_once(&once, install);
    crash_disk *disk = below ? calloc(1, sizeof *disk) : NULL;
    if (!disk) return NULL;
    size_t length = strlen(folder);
    disk->folder = malloc(length + 2);
    if (!disk->folder) {
        free(disk);
        return NULL;
    }
    memcpy(disk->folder, folder, length);
    memcpy(disk->folder + length, "/", 2);
    disk->holders = 1;
    disk->writes_until_error = disk->syncs_until_error = disk->writes_until_full = -1;
    pthread_mutex_init(&disk->lock, NULL);
    pthread_mutex_lock(&disks_lock);
    disk->next = disks;
    disks = disk;
    pthread_mutex_unlock(&disks_lock);
    return disk;
}

void crash_disk_release(crash_disk *disk) {
    pthread_mutex_lock(&disks_lock);
    crash_disk **place = &disks;
    while (*place && *place != disk) place = &(*place)->next;
    if (*place) *place = disk->next;
    pthread_mutex_unlock(&disks_lock);
    let_go(disk);
}

void crash_disk_mark(crash_disk *disk, long long number) {
    pthread_mutex_lock(&disk->lock);
    crash_disk_record record = {CRASH_DISK_MARK, -1, 0, 0, number, NULL};
    add(disk, record, NULL);
    pthread_mutex_unlock(&disk->lock);
}

long crash_disk_count(crash_disk *disk) {
    pthread_mutex_lock(&disk->lock);
    long count = disk->count;
    pthread_mutex_unlock(&disk->lock);
    return count;
}

crash_disk_record crash_disk_at(crash_disk *disk, long index) {
    crash_disk_record record = {CRASH_DISK_MARK, -1, 0, 0, 0, NULL};
    pthread_mutex_lock(&disk->lock);
    if (index >= 0 && index < disk->count) record = disk->records[index];
    pthread_mutex_unlock(&disk->lock);
    return record;
}

const char *crash_disk_name(crash_disk *disk, int file) {
    pthread_mutex_lock(&disk->lock);
    const char *name = file >= 0 && file < disk->name_count ? disk->names[file] : NULL;
    pthread_mutex_unlock(&disk->lock);
    return name;
}

void crash_disk_fail_write(crash_disk *disk, long after) {
    pthread_mutex_lock(&disk->lock);
    disk->writes_until_error = after;
    pthread_mutex_unlock(&disk->lock);
}

void crash_disk_fail_sync(crash_disk *disk, long after, int flags) {
    pthread_mutex_lock(&disk->lock);
    disk->syncs_until_error = after;
    disk->sync_flags = flags;
    pthread_mutex_unlock(&disk->lock);
}

void crash_disk_fill(crash_disk *disk, long after) {
    pthread_mutex_lock(&disk->lock);
    disk->writes_until_full = after;
    pthread_mutex_unlock(&disk->lock);
}

int crash_disk_checkpoint(const char *path) {
    sqlite3 *database = NULL;
    int result = sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, NULL);
    // A connection that has read nothing yet knows no log.
    if (result == SQLITE_OK) result = sqlite3_exec(database, "SELECT count(*) FROM sqlite_master", NULL, NULL, NULL);
    if (result == SQLITE_OK) {
        result = sqlite3_wal_checkpoint_v2(database, NULL, SQLITE_CHECKPOINT_RESTART, NULL, NULL);
    }
    sqlite3_close(database);
    return result;
}

static int note_row(void *is_sound, int count, char **values, char **names) {
    (void)names;
    *(int *)is_sound = count == 1 && values[0] && strcmp(values[0], "ok") == 0;
    return 0;
}

int crash_disk_is_sound(const char *path) {
    sqlite3 *database = NULL;
    int is_sound = 0;
    if (sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK) {
        if (sqlite3_exec(database, "PRAGMA integrity_check", note_row, &is_sound, NULL) != SQLITE_OK) is_sound = 0;
    }
    sqlite3_close(database);
    return is_sound;
}

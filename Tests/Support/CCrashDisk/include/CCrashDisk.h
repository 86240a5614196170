#ifndef CCRASH_DISK_H
#define CCRASH_DISK_H

// A disk that can be cut off at every write. Each SQLite file in a folder goes through a VFS that records what SQLite
// asks of the disk, in order; files anywhere else are left alone. Tests build from the record what a power cut may
// leave behind.
//
// The first disk makes the VFS the default one of the process, on top of the one there was: a program needs no setting
// to be tested with it. Syncs are recorded and not carried out.

/// The files in one folder.
typedef struct crash_disk crash_disk;

#define CRASH_DISK_WRITE 0
#define CRASH_DISK_TRUNCATE 1
#define CRASH_DISK_SYNC 2
#define CRASH_DISK_CREATE 3
#define CRASH_DISK_DELETE 4
#define CRASH_DISK_MARK 5

/// The sync failed, and what it was about is on the disk all the same.
#define CRASH_DISK_FAILED_KEPT 1
/// The sync failed, and what it was about never reaches the disk: Linux drops the pages that it could not write.
#define CRASH_DISK_FAILED_LOST 2

/// What was asked of the disk.
typedef struct {
    /// CRASH_DISK_WRITE to CRASH_DISK_MARK.
    int kind;
    /// The number of the file; see crash_disk_name. -1 for a mark.
    int file;
    /// Of a sync: 0, CRASH_DISK_FAILED_KEPT, or CRASH_DISK_FAILED_LOST. Of a deletion: whether the folder was synced.
    int flags;
    /// Where a write begins, in bytes.
    long long offset;
    /// The bytes of a write, the length that a file is truncated to, or the number of a mark.
    long long size;
    /// The bytes of a write; NULL for everything else. They live as long as the disk.
    const unsigned char *bytes;
} crash_disk_record;

/// Begins to record what happens to SQLite files in a folder, an absolute path without links. NULL without memory.
crash_disk *crash_disk_make(const char *folder);

/// Ends the recording. The disk lives on as long as files in it are open.
void crash_disk_release(crash_disk *disk);

/// Adds a mark to the record, at this moment.
void crash_disk_mark(crash_disk *disk, long long number);

/// The number of records so far.
long crash_disk_count(crash_disk *disk);

/// Copies a record.
crash_disk_record crash_disk_at(crash_disk *disk, long index);

/// The name of a file without its folder; NULL behind the last one. It lives as long as the disk.
const char *crash_disk_name(crash_disk *disk, int file);

/// The write after this many others fails once with SQLITE_IOERR_WRITE and changes nothing. Negative for never.
void crash_disk_fail_write(crash_disk *disk, long after);

/// The sync after this many others fails once with SQLITE_IOERR_FSYNC; `flags` as in a record. Negative for never.
void crash_disk_fail_sync(crash_disk *disk, long after, int flags);

/// After this many more writes, each one that would make a file longer fails with SQLITE_FULL. Negative for never.
void crash_disk_fill(crash_disk *disk, long after);

/// Moves the whole write-ahead log of a database into its file, as another process would. Returns a code of SQLite.
int crash_disk_checkpoint(const char *path);

/// Whether SQLite finds the database at `path` sound (PRAGMA integrity_check).
int crash_disk_is_sound(const char *path);

#endif

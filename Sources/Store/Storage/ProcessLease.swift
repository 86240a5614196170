import Glibc

/// A process's claim to the payment attempts that it works on. It ends with the process, even after a crash.
///
/// A lease is a number from the database plus an exclusive open-file-description lock on the byte of that number in
/// `<database>.lease` (fcntl(2), `F_OFD_SETLK`). The kernel releases the lock when the process ends, `kill -9`
/// included, so there is no need to guess from a process ID or a time.
public final class ProcessLease: Sendable {
    /// The number of this lease, from 1. Numbers are never reused.
    public let number: Int64
    private let path: String
    /// -1 for a database in memory, which no other process can open.
    let descriptor: CInt

    // From asm-generic/fcntl.h. glibc defines them only under _GNU_SOURCE, so Swift does not import them.
    private static let getLockOfDescription: CInt = 36
    private static let setLockOfDescription: CInt = 37

    /// Acquires a new lease.
    ///
    /// - Throws: ``StorageError``
    public init(in storage: any StorageManagerType) throws(StorageError) {
        path = (storage.path.map(Self.resolved) ?? ":memory:") + ".lease"
        do {
            number = try storage.performAndSave { storage in
                var identity = try DatabaseIdentity.load(from: storage)
                let number = identity.nextLease()
                try storage.updateObject(identity)
                return number
            }
        } catch {
            throw StorageError(error, path: storage.path ?? ":memory:")
        }
        guard storage.path != nil else {
            descriptor = -1
            return
        }
        descriptor = try DatabaseFile.open(path)
        var lock = Self.exclusiveLock(on: number)
        guard fcntl(descriptor, Self.setLockOfDescription, &lock) == 0 else {
            throw .notWritable(path: path, reason: "cannot lock it: " + String(cString: strerror(errno)))
        }
    }

    /// Makes the lease of a process that only reads: number 0, which no attempt has.
    init(ofReader storage: any StorageManagerType) {
        (number, path, descriptor) = (0, storage.path ?? ":memory:", -1)
    }

    /// Returns the path with all symbolic links resolved, so that every process uses the same lock file.
    private static func resolved(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Releases the lease, as the end of the process does. Other processes can then take over its unfinished work.
    public func release() {
        guard descriptor >= 0 else { return }
        var lock = Self.exclusiveLock(on: number)
        lock.l_type = Int16(F_UNLCK)
        _ = fcntl(descriptor, Self.setLockOfDescription, &lock)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Returns whether a process still holds the lease with this number.
    ///
    /// - Throws: ``StorageError`` when the locks cannot be read. Its work must not be taken over then.
    public func isAlive(_ lease: Int64) throws(StorageError) -> Bool {
        // F_OFD_GETLK does not report the locks of its own file description.
        if lease == number { return true }
        guard descriptor >= 0, lease > 0 else { return false }
        var lock = Self.exclusiveLock(on: lease)
        guard fcntl(descriptor, Self.getLockOfDescription, &lock) == 0 else {
            throw .notWritable(path: path, reason: "cannot read its locks: " + String(cString: strerror(errno)))
        }
        return lock.l_type != Int16(F_UNLCK)
    }

    private static func exclusiveLock(on byte: Int64) -> flock {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t(byte)
        lock.l_len = 1
        return lock
    }
}

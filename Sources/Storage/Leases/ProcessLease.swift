internal import Glibc

/// A process's claim to the attempts that it works on, which ends when the process does, however it ends.
///
/// Each lease is a number from the database and an exclusive open-file-description lock on the byte of
/// that number in `<database>.lease` (fcntl(2), `F_OFD_SETLK`). The kernel lets go of the lock when the
/// process is gone, `kill -9` included, so nobody has to guess from a process id or a time.
public final class ProcessLease: Sendable {
    /// This lease's number, 1 and up. No number is given out twice.
    public let number: Int64
    private let path: String
    /// Negative for a database in memory, which no other process can see.
    let descriptor: CInt

    // asm-generic/fcntl.h; glibc shows these to C under _GNU_SOURCE only, and Swift does not import them.
    private static let getLockOfDescription: CInt = 36
    private static let setLockOfDescription: CInt = 37

    /// Takes a new lease.
    ///
    /// - Throws: ``StorageError``
    public init(in storage: any StorageManagerType) throws(StorageError) {
        path = (storage.path.map(Self.resolved) ?? ":memory:") + ".lease"
        do {
            number = try storage.performAndSave { storage in
                var identity = try StoreIdentity.load(from: storage)
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

    /// The name of the database's file behind all links, so that everybody who opens it looks at one lock file.
    private static func resolved(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Gives the lease up now, as the end of the process does: what is left in the middle under it is for others to
    /// finish.
    public func release() {
        guard descriptor >= 0 else { return }
        var lock = Self.exclusiveLock(on: number)
        lock.l_type = Int16(F_UNLCK)
        _ = fcntl(descriptor, Self.setLockOfDescription, &lock)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Whether somebody still holds the lease with this number.
    ///
    /// - Throws: ``StorageError`` when the kernel does not tell; then nobody may take anything over.
    public func isAlive(_ lease: Int64) throws(StorageError) -> Bool {
        // A description does not see its own locks.
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

internal import Glibc

/// A lock on a file beside another one, which the kernel drops with the process (flock(2)).
struct FileLock: Sendable {
    private let descriptor: CInt

    /// How long it is waited for, in real time, because another process holds it.
    private static let (attempts, pause): (Int, CInt) = (250, 20)

    /// - Throws: ``FileStorageError``
    init(beside path: String) throws(FileStorageError) {
        descriptor = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .system(path: path, doing: "lock", FileError(code: errno)) }
        for _ in 0..<Self.attempts {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
            guard errno == EWOULDBLOCK || errno == EINTR else { break }
            poll(nil, 0, Self.pause)
        }
        let code = errno
        close(descriptor)
        guard code != EWOULDBLOCK else { throw .busy(path: path) }
        throw .system(path: path, doing: "lock", FileError(code: code))
    }

    func release() { close(descriptor) }
}

public import Determinism
import Files
import Glibc
import Synchronization

/// Keeps the idempotency keys that tills have used, so that a terminal that starts again refuses them instead of doing
/// everything a second time.
public protocol SpentKeys: Sendable {
    /// Keeps a key. It is on disk when this returns.
    ///
    /// - Parameter fingerprint: 64 characters; see `StripeSetup.fingerprint(of:)`.
    /// - Throws: ``SpentKeyFile/Failure`` when that is not certain. The request must not be carried out then.
    func spend(_ fingerprint: String) throws(SpentKeyFile.Failure)
}

/// A file of spent keys: a line for each, with its time in milliseconds since 1970 and its fingerprint.
public final class SpentKeyFile: SpentKeys {
    /// The file can't be used.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        public let description: String

        fileprivate init(_ path: String, _ reason: String) { description = "'\(path)': \(reason)" }
    }

    private let path: String
    private let time: any TimeSource
    /// The descriptor of the open file, and what this process has written.
    private let state: Mutex<(descriptor: CInt, written: Set<String>)>
    /// The keys that were in the file.
    public let earlier: Set<String>

    /// Keys are refused for this time after their use, longer than a till repeats a request.
    private static let lifetime = Duration.seconds(7 * 86_400)
    /// A line has 14 characters at least beside its fingerprint: for 200,000 keys.
    private static let longest = 16 << 20

    /// Opens the file, or makes it, and forgets keys that are too old. No other process can open it until this one
    /// ends.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - time: the wall clock.
    /// - Throws: ``Failure``, also when another process has it open.
    public init(path: String, time: any TimeSource) throws(Failure) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Failure(path, FileError(code: errno).description) }
        do throws(Failure) {
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                throw Failure(path, "another terminal with this database is running: stop it first")
            }
            let bytes = try Self.contents(descriptor, path)
            let limit = time.now().advanced(by: .zero - Self.lifetime).milliseconds
            let kept = Self.lines(bytes).filter { $0.moment >= limit }
            (self.path, self.time, earlier) = (path, time, Set(kept.map(\.fingerprint)))
            // In place: the lock belongs to the file.
            let text = kept.map { "\($0.moment) \($0.fingerprint)\n" }.joined()
            if Array(text.utf8) != bytes {
                // The longer file is complete until it is cut.
                guard pwrite(descriptor, text, text.utf8.count, 0) == text.utf8.count,
                    ftruncate(descriptor, off_t(text.utf8.count)) == 0, fsync(descriptor) == 0
                else { throw Failure(path, FileError(code: errno).description) }
            }
            guard lseek(descriptor, 0, SEEK_END) >= 0 else { throw Failure(path, FileError(code: errno).description) }
        } catch {
            close(descriptor)
            throw error
        }
        state = Mutex((descriptor, []))
    }

    deinit { _ = state.withLock { close($0.descriptor) } }

    public func spend(_ fingerprint: String) throws(Failure) {
        let line = "\(time.now().milliseconds) \(fingerprint)\n"
        let failed: CInt? = state.withLock { state in
            guard !state.written.contains(fingerprint) else { return nil }
            guard write(state.descriptor, line, line.utf8.count) == line.utf8.count, fdatasync(state.descriptor) == 0
            else { return errno }
            state.written.insert(fingerprint)
            return nil
        }
        if let failed { throw Failure(path, FileError(code: failed).description) }
    }

    private static func contents(_ descriptor: CInt, _ path: String) throws(Failure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        var all: [UInt8] = []
        while true {
            let count = read(descriptor, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure(path, FileError(code: errno).description) }
            guard count > 0 else { return all }
            all += bytes.prefix(count)
            guard all.count <= longest else { throw Failure(path, "it is longer than \(longest) bytes") }
        }
    }

    /// The whole lines. What was cut off by a crash was never answered.
    private static func lines(_ bytes: [UInt8]) -> [(moment: Int64, fingerprint: String)] {
        bytes.split(separator: 0x0A).compactMap { line in
            let parts = String(decoding: line, as: UTF8.self).split(separator: " ")
            guard parts.count == 2, let moment = Int64(parts[0]), parts[1].utf8.count == 64 else { return nil }
            return (moment, String(parts[1]))
        }
    }
}

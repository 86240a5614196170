import FoundationEssentials
import Glibc
import Money

/// A ledger on disk: one JSON entry per line, in a file that several programs can share.
///
/// To add an entry, a program locks the file and first reads entries added by others. The entry is flushed before its
/// message is answered, so it survives the end of the program and a power failure. A program killed while writing, and
/// a power failure, leave an incomplete last line: that entry was never made and no answer was sent, so the next writer
/// cuts the line off, and readers pass over it.
final class IssuerLedgerFile {
    private let path: String
    private let isMade: Bool
    private let flush: LedgerFlush
    /// Whether this object has flushed the folder, so that the name of the file survives a power failure.
    private var isNamed = false
    private let descriptor: Int32
    /// The number of bytes read, always up to the end of a line.
    private var position: off_t = 0
    private var lineCount = 0
    private let encoder: JSONEncoder
    private let decoder = JSONDecoder()

    /// Opens the file: to add entries, created for this user only, if `isMade`; otherwise to read it.
    init(path: String, isMade: Bool = true, flush: LedgerFlush = .system) throws(IssuerLedgerError) {
        (self.path, self.isMade, self.flush) = (path, isMade, flush)
        descriptor = open(path, (isMade ? O_RDWR | O_CREAT : O_RDONLY) | O_CLOEXEC, S_IRUSR | S_IWUSR)
        encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard descriptor >= 0 else { throw .system(call: "open", path: path, errno: errno) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Locks the file and adds its new entries to `ledger`.
    func lock(updating ledger: inout IssuerLedger) throws(IssuerLedgerError) {
        try takeLock()
        do throws(IssuerLedgerError) {
            try readNewEntries(into: &ledger)
        } catch {
            unlock()
            throw error
        }
    }

    func unlock() { _ = flock(descriptor, LOCK_UN) }

    /// Appends an entry and flushes it. Call it with the lock held. If it fails, the file is unchanged.
    func append(_ entry: IssuerLedgerEntry) throws(IssuerLedgerError) {
        guard var line = try? [UInt8](encoder.encode(entry)) else {
            throw .system(call: "encode", path: path, errno: EINVAL)
        }
        line.append(UInt8(ascii: "\n"))
        var written = 0
        while written < line.count {
            let count = line.withUnsafeBytes { bytes in
                pwrite(
                    descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written, position + off_t(written)
                )
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw takingBack("write", errno) }
            written += count
        }
        guard flush.file(descriptor) == 0 else { throw takingBack("flush", errno) }
        if !isNamed {
            // Also when another program made the file: it may have been killed before it flushed the name.
            guard flush.folder(path) == 0 else { throw takingBack("flush the folder", errno) }
            isNamed = true
        }
        position += off_t(line.count)
        lineCount += 1
    }

    /// Cuts off the line of an entry that could not be written or flushed.
    private func takingBack(_ call: String, _ reason: Int32) -> IssuerLedgerError {
        _ = ftruncate(descriptor, position)
        return .system(call: call, path: path, errno: reason)
    }

    /// Waits at most five seconds for the lock. Another program holds it, so the wait uses real time even if payments
    /// run on a simulated clock.
    private func takeLock() throws(IssuerLedgerError) {
        for _ in 0..<5000 {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw .system(call: "lock", path: path, errno: errno)
            }
            _ = poll(nil, 0, 1)
        }
        throw .busy(path: path)
    }

    private func readNewEntries(into ledger: inout IssuerLedger) throws(IssuerLedgerError) {
        let unread = try readToEnd()
        let whole = Self.wholeLines(of: unread)
        var entries: [IssuerLedgerEntry] = []
        for line in unread[..<whole].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast() {
            guard let entry = try? decoder.decode(IssuerLedgerEntry.self, from: Data(line)),
                (0...Money.maximumMinorUnits).contains(entry.minorUnits)
            else { throw .malformedLine(lineCount + entries.count + 1, path: path) }
            entries.append(entry)
        }
        if whole < unread.count, isMade {
            // An incomplete line: no program is writing now, as this one holds the lock.
            guard ftruncate(descriptor, position + off_t(whole)) == 0 else {
                throw .system(call: "truncate", path: path, errno: errno)
            }
        }
        for entry in entries { ledger.append(entry) }
        position += off_t(whole)
        lineCount += entries.count
    }

    /// Returns the number of bytes up to the end of the last line that was written as a whole. The bytes of a line may
    /// reach the disk in any order; those that did not are zeros, which no line has.
    private static func wholeLines(of bytes: [UInt8]) -> Int {
        let lineBreak = UInt8(ascii: "\n")
        guard let end = bytes.lastIndex(of: lineBreak) else { return 0 }
        let start = bytes[..<end].lastIndex(of: lineBreak).map { $0 + 1 } ?? 0
        return bytes[start..<end].contains(0) ? start : end + 1
    }

    private func readToEnd() throws(IssuerLedgerError) -> [UInt8] {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(call: "stat", path: path, errno: errno) }
        // The file shrank, so it is not the ledger that was read: append nothing.
        guard status.st_size >= position else { throw .system(call: "read", path: path, errno: ESTALE) }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size - position))
        var filled = 0
        while filled < bytes.count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                pread(
                    descriptor, buffer.baseAddress.map { $0 + filled }, buffer.count - filled, position + off_t(filled))
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system(call: "read", path: path, errno: errno) }
            guard count > 0 else { break }
            filled += count
        }
        return Array(bytes.prefix(filled))
    }
}

/// How a ledger reaches the disk: each call returns 0, or -1 with `errno`.
struct LedgerFlush: Sendable {
    /// Flushes the bytes and the length of an open file.
    var file: @Sendable (_ descriptor: Int32) -> Int32
    /// Flushes the folder of the file at a path, which has its name.
    var folder: @Sendable (_ path: String) -> Int32

    /// The disk itself (fdatasync(2), and fsync(2) of the folder).
    static let system = LedgerFlush(
        file: { fdatasync($0) },
        folder: { path in
            let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
            let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else { return -1 }
            let result = fsync(descriptor)
            let reason = errno
            close(descriptor)
            errno = reason
            return result
        })
}

extension IssuerLedger {
    /// Reads a ledger file. A missing file is an empty ledger and is not created.
    ///
    /// - Throws: ``IssuerLedgerError``
    public init(path: String) throws(IssuerLedgerError) {
        self.init()
        let file: IssuerLedgerFile
        do throws(IssuerLedgerError) {
            file = try IssuerLedgerFile(path: path, isMade: false)
        } catch {
            if case .system(call: "open", path: _, errno: ENOENT) = error { return }
            throw error
        }
        try file.lock(updating: &self)
        file.unlock()
    }
}

/// An error using the issuer's ledger file.
public enum IssuerLedgerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A system call failed.
    case system(call: String, path: String, errno: Int32)
    /// Another program holds the lock for longer than an entry takes.
    case busy(path: String)
    /// A complete line is not an entry, because something else wrote to the file. The first line is 1.
    case malformedLine(Int, path: String)

    public var description: String {
        switch self {
        case .system(let call, let path, let errno):
            "issuer ledger \(path): \(call): \(String(cString: strerror(errno)))"
        case .busy(let path): "issuer ledger \(path): another program has locked it; close that program and retry"
        case .malformedLine(let line, let path):
            "issuer ledger \(path), line \(line): not an entry; fix the line, or delete the file to start a new ledger"
        }
    }
}

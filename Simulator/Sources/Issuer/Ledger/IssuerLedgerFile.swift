internal import Amounts
internal import FoundationEssentials
internal import Glibc

/// A ledger on disk: one entry a line as JSON, in a file that several programs may share.
///
/// Whoever adds an entry holds the file's lock and has read what others added before. A program that is
/// killed while it writes leaves a last line without an end: the entry was never made, no answer went
/// out for it, and the next writer cuts it off. Entries outlive the program, not a power cut.
final class IssuerLedgerFile {
    private let path: String
    private let descriptor: Int32
    /// How much of the file has been read, always to the end of a line.
    private var position: off_t = 0
    private var lineCount = 0
    private let encoder: JSONEncoder
    private let decoder = JSONDecoder()

    /// Opens the file; one that is missing is made for this user alone, if it is to be made.
    init(path: String, isMade: Bool = true) throws(IssuerLedgerError) {
        self.path = path
        descriptor = open(path, O_RDWR | (isMade ? O_CREAT : 0) | O_CLOEXEC, S_IRUSR | S_IWUSR)
        encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard descriptor >= 0 else { throw .system(call: "open", path: path, errno: errno) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Takes the lock and adds to `ledger` what the file has more.
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

    /// Writes an entry behind the last one. Call it with the lock held. When it fails, the file is as
    /// it was.
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
            guard count > 0 else {
                let reason = errno
                _ = ftruncate(descriptor, position)
                throw .system(call: "write", path: path, errno: reason)
            }
            written += count
        }
        position += off_t(line.count)
        lineCount += 1
    }

    /// Waits at most five seconds. Another program is on the other side, so the wait is a real one
    /// also when the payments run on a simulated clock.
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
        let whole = unread.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        var entries: [IssuerLedgerEntry] = []
        for line in unread[..<whole].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast() {
            guard let entry = try? decoder.decode(IssuerLedgerEntry.self, from: Data(line)),
                (0...Money.maximumMinorUnits).contains(entry.minorUnits)
            else { throw .malformedLine(lineCount + entries.count + 1, path: path) }
            entries.append(entry)
        }
        if whole < unread.count {
            // A torn line: no program writes now, as this one holds the lock.
            guard ftruncate(descriptor, position + off_t(whole)) == 0 else {
                throw .system(call: "truncate", path: path, errno: errno)
            }
        }
        for entry in entries { ledger.append(entry) }
        position += off_t(whole)
        lineCount += entries.count
    }

    private func readToEnd() throws(IssuerLedgerError) -> [UInt8] {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(call: "stat", path: path, errno: errno) }
        // A file that has shrunk is not the book that was read: nothing may be written behind its end.
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

extension IssuerLedger {
    /// Reads the book in a file. One that is missing is an empty book, and stays missing.
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

import Connections
import Files
import FoundationEssentials
import Glibc

/// Where the ledger of a simulated acquirer is that listens on this machine: a file in the data directory, named after
/// its address, so that `issuer reconcile` finds the ledger by the address.
///
/// It is a line with the absolute path of the ledger, or an empty line for a ledger in memory. The acquirer has a lock
/// on it (fcntl(2)) as long as it lives. A note without a lock is what a killed acquirer left, and says nothing.
struct AcquirerNote {
    private let path: String

    /// Leaves a note. Without a data directory that can be written there is none, and the acquirer works all the same.
    ///
    /// - Parameters:
    ///   - address: where the acquirer listens.
    ///   - ledger: the file of its ledger; nil for one in memory.
    init?(of address: TCPAddress, ledger: String?) {
        guard let path = Self.path(address), (try? Files.createFolders(above: path)) != nil else { return nil }
        // Open until the process ends, and locked as long.
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return nil }
        var lock = Self.wholeFile
        let line = Array("\(ledger.map(Self.absolute) ?? "")\n".utf8)
        guard fcntl(descriptor, F_SETLK, &lock) == 0, ftruncate(descriptor, 0) == 0,
            line.withUnsafeBytes({ write(descriptor, $0.baseAddress, $0.count) }) == line.count
        else {
            close(descriptor)
            return nil
        }
        self.path = path
    }

    /// Takes the note away, before another acquirer can listen at the address.
    func remove() { unlink(path) }

    /// Returns the ledger that `issuer reconcile --acquirer` names: a file, or the one of the acquirer at an address.
    ///
    /// - Throws: `CommandFailure` when no acquirer at that address has a ledger in a file.
    static func ledger(_ text: String) throws(CommandFailure) -> String {
        guard access(text, F_OK) != 0, !text.contains("/"), let address = TCPAddress(text) else { return text }
        var found: String?
        for place in places(address) where found == nil { found = path(place).flatMap(read) }
        guard let found else {
            throw CommandFailure(
                .noInput, code: "acquirer_ledger",
                message: "no acquirer of this user listens at '\(address)' on this machine",
                fix: "start 'cardpresent simulate acquirer --ledger FILE' there, or give the path of its ledger")
        }
        guard !found.isEmpty else {
            throw CommandFailure(
                .noInput, code: "acquirer_ledger",
                message: "the acquirer at '\(address)' has its ledger in memory only",
                fix: "start it with --ledger FILE")
        }
        return found
    }

    /// The addresses at which an acquirer may listen that clients reach at this one.
    private static func places(_ address: TCPAddress) -> [TCPAddress] {
        guard address.isLoopback else { return [address] }
        let numbers = address.host == "localhost" ? ["127.0.0.1", "::1"] : ["localhost"]
        return ([address.host] + numbers + ["0.0.0.0", "::"]).map { TCPAddress(host: $0, port: address.port) }
    }

    private static func path(_ address: TCPAddress) -> String? {
        DatabaseOptions.directory(environment: ProcessInfo.processInfo.environment).map {
            "\($0)/cardpresent/simulated-acquirers/\(address)"
        }
    }

    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }

    /// Returns the path in a note; nil without a note that an acquirer has locked.
    private static func read(_ note: String) -> String? {
        let descriptor = open(note, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var lock = wholeFile
        guard fcntl(descriptor, F_GETLK, &lock) == 0, lock.l_type != Int16(F_UNLCK),
            let bytes = try? Files.contents(note, atMost: Int(PATH_MAX) + 1), bytes.last == 0x0A
        else { return nil }
        return String(validating: bytes.dropLast(), as: UTF8.self)
    }

    private static var wholeFile: flock {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        return lock
    }
}

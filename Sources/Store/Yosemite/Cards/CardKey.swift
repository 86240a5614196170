import CardSecrets
import Cryptography
public import Determinism
import Glibc
public import Storage
import Text

/// Computes the fingerprints of cards: AES-CMAC over the PAN with a 256-bit key, a keyed cryptographic hash of the
/// whole PAN in the sense of PCI DSS 3.5.1.1. Without the key, a search through all card numbers finds nothing.
public final class CardKey: Sendable {
    private let key: SensitiveBytes

    private init(_ file: consuming CardKeyFile) { key = file.key }

    /// Opens the key of a database, from the file `<database>.card-key` beside it. The key is created on first use,
    /// readable by its owner only. It is never created again while the database has fingerprints that were made with
    /// it.
    ///
    /// - Parameters:
    ///   - register: The records of the fingerprints.
    ///   - random: The source of a new key. It must be cryptographically secure.
    /// - Returns: The key.
    /// - Throws: ``CardKeyError``
    public static func open(for register: CardRegister, random: any RandomSource) throws(CardKeyError) -> CardKey {
        guard let database = register.path else { return CardKey(CardKeyFile(drawnFrom: random)) }
        let path = CardKeyFile.path(besides: database)
        do {
            if let name = try register.keyName(), let file = try CardKeyFile(readFrom: path), file.name == name {
                return CardKey(file)
            }
            var kept: CardKey?
            try register.chooseKey { name, isInUse in
                let file: CardKeyFile
                if let found = try CardKeyFile(readFrom: path) {
                    guard name == nil || name == found.name || !isInUse else {
                        throw CardKeyError.anotherKey(path: path)
                    }
                    file = found
                } else {
                    guard !isInUse else { throw CardKeyError.missing(path: path) }
                    file = CardKeyFile(drawnFrom: random)
                    try file.write(to: path)
                }
                let used = file.name
                kept = CardKey(file)
                return used
            }
            if let kept { return kept }
            throw CardKeyError.missing(path: path)
        } catch let error as CardKeyError {
            throw error
        } catch let error as StorageError {
            throw .storage(error)
        } catch {
            throw .system(path: path, reason: "\(error)")
        }
    }

    /// Returns the fingerprint of a PAN; nil when libcrypto fails.
    func fingerprint(_ pan: borrowing PrimaryAccountNumber) -> CardFingerprint? {
        var digits = pan.withDigits { Array($0) }
        defer { digits.wipe() }
        return (try? AESCMAC.mac(digits, key: key)).flatMap(CardFingerprint.init)
    }
}

/// Why card fingerprints cannot be computed. Payments are refused until this is fixed: a terminal must not ignore its
/// exception file unnoticed.
public enum CardKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The key's file is missing, and there are fingerprints that were made with it.
    case missing(path: String)
    /// The file contains the key of another database.
    case anotherKey(path: String)
    /// The file does not contain a key.
    case malformed(path: String)
    /// Users other than the file's owner can read it.
    case readableByOthers(path: String)
    /// The operating system does not allow reading or writing the file.
    case system(path: String, reason: String)
    case storage(StorageError)

    private static let wayOut =
        "restore it from the backup of the database, or clear the exception file with 'cardpresent exceptions "
        + "remove --all'"

    public var description: String {
        switch self {
        case .missing(let path):
            "the key of the exception file is missing ('\(path)'), and cards cannot be checked: \(Self.wayOut)"
        case .anotherKey(let path): "'\(path)' is the key of another database: \(Self.wayOut)"
        case .malformed(let path): "'\(path)' is not a key of an exception file: \(Self.wayOut)"
        case .readableByOthers(let path):
            "other users can read the key '\(path)': restrict it with 'chmod 600'"
        case .system(let path, let reason):
            "cannot use the key of the exception file '\(path)': \(reason); make the file readable for this user"
        case .storage(let error): error.description
        }
    }
}

/// The file with the key of a database's card fingerprints: one line of words, with name and key in hexadecimal digits.
struct CardKeyFile: ~Copyable {
    /// 16 hexadecimal digits, which the database contains as well.
    let name: String
    /// 32 bytes
    let key: SensitiveBytes

    private static let mark = Array("cardpresent card key 1 ".utf8)
    private static let nameLength = 16
    private static let keyLength = 32
    private static let length = mark.count + nameLength + 1 + 2 * keyLength + 1

    static func path(besides database: String) -> String { database + ".card-key" }

    init(drawnFrom random: any RandomSource) {
        name = random.bytes(Self.nameLength / 2).lowercaseHexadecimal
        var bytes = random.bytes(Self.keyLength)
        key = SensitiveBytes(wiping: &bytes)
    }

    /// Reads the file; nil when there is none.
    ///
    /// - Throws: ``CardKeyError``
    init?(readFrom path: String) throws(CardKeyError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .system(path: path, reason: String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .malformed(path: path)
        }
        guard status.st_mode & 0o077 == 0 else { throw .readableByOthers(path: path) }
        var text = [UInt8](repeating: 0, count: Self.length + 1)
        defer { text.wipe() }
        let count = Glibc.read(descriptor, &text, text.count)
        guard count >= 0 else { throw .system(path: path, reason: String(cString: strerror(errno))) }
        let fields = text.prefix(count).dropFirst(Self.mark.count)
        let (name, rest) = (fields.prefix(Self.nameLength), fields.dropFirst(Self.nameLength))
        let digits = rest.dropFirst().dropLast()
        guard count == Self.length, text.starts(with: Self.mark), name.allSatisfy(Self.isDigit),
            rest.first == 0x20, rest.last == 0x0A, digits.allSatisfy(Self.isDigit),
            var bytes = [UInt8](hexadecimalDigits: digits)
        else { throw .malformed(path: path) }
        self.name = String(decoding: name, as: UTF8.self)
        self.key = SensitiveBytes(wiping: &bytes)
    }

    /// Writes the whole file or nothing. No other process may do so at the same time.
    ///
    /// - Throws: ``CardKeyError``
    borrowing func write(to path: String) throws(CardKeyError) {
        var text = Self.mark + Array(name.utf8) + [0x20]
        var digits = key.withUnsafeBytes { $0.lowercaseHexadecimalDigits }
        text += digits + [0x0A]
        defer {
            text.wipe()
            digits.wipe()
        }
        func failure() -> CardKeyError { .system(path: path, reason: String(cString: strerror(errno))) }
        let temporary = path + ".new"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure() }
        defer { close(descriptor) }
        guard Glibc.write(descriptor, text, text.count) == text.count, fsync(descriptor) == 0,
            rename(temporary, path) == 0
        else {
            let failure = failure()
            unlink(temporary)
            throw failure
        }
        // The directory entry must survive a power failure, as the database does.
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw failure() }
        defer { close(directory) }
        guard fsync(directory) == 0 else { throw failure() }
    }

    private static func isDigit(_ character: UInt8) -> Bool {
        (0x30...0x39).contains(character) || (0x61...0x66).contains(character)
    }
}

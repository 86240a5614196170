internal import CardSecrets
internal import Cryptography
internal import Determinism
internal import Glibc

/// The file that holds the key of a database's card fingerprints: one line of words, name and key in hexadecimal digits.
struct CardKeyFile: ~Copyable {
    /// 16 hexadecimal digits, which stand in the database as well.
    let name: String
    /// 32 bytes
    let key: SensitiveBytes

    private static let mark = Array("cardpresent card key 1 ".utf8)
    private static let nameLength = 16
    private static let keyLength = 32
    private static let length = mark.count + nameLength + 1 + 2 * keyLength + 1

    static func path(besides database: String) -> String { database + ".card-key" }

    init(drawnFrom random: any RandomSource) {
        name = String(decoding: Self.digits(random.bytes(Self.nameLength / 2)), as: UTF8.self)
        var bytes = random.bytes(Self.keyLength)
        key = SensitiveBytes(wiping: &bytes)
    }

    /// Reads a file; nil when there is none.
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
        var key = rest.dropFirst().dropLast().compactMap(Self.value)
        defer { key.wipe() }
        guard count == Self.length, text.starts(with: Self.mark), name.allSatisfy({ Self.value($0) != nil }),
            rest.first == 0x20, rest.last == 0x0A, key.count == 2 * Self.keyLength
        else { throw .malformed(path: path) }
        self.name = String(decoding: name, as: UTF8.self)
        var bytes = stride(from: 0, to: key.count, by: 2).map { key[$0] << 4 | key[$0 + 1] }
        self.key = SensitiveBytes(wiping: &bytes)
    }

    /// Makes the file, whole or not at all. Call it when nobody else does.
    ///
    /// - Throws: ``CardKeyError``
    borrowing func write(to path: String) throws(CardKeyError) {
        var text = Self.mark + Array(name.utf8) + [0x20]
        var digits = key.withUnsafeBytes { Self.digits($0) }
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
        // The name in its folder must outlive a power cut as well, because the database will.
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw failure() }
        defer { close(directory) }
        guard fsync(directory) == 0 else { throw failure() }
    }

    private static func digits(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let alphabet = Array("0123456789abcdef".utf8)
        return bytes.flatMap { byte in [alphabet[Int(byte >> 4)], alphabet[Int(byte & 0x0F)]] }
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }
}

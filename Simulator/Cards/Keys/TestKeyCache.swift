import CardSecrets
import Cryptography
import Glibc
import Text

/// Stores RSA test keys on disk, one file per seed and key, so that later runs of the program need not compute them
/// again. An invalid file or folder counts as empty.
///
/// Test keys are computed from a seed that the user types and protect nothing: do not store other keys here.
public struct TestKeyCache: Hashable, Sendable {
    /// The path of the folder, created when the first key is stored.
    public let directory: String

    /// Names the folder, which need not exist until a key is stored.
    public init(directory: String) { self.directory = directory }

    /// Returns the folder `cardpresent` in the user's cache folder: `$XDG_CACHE_HOME`, or `~/.cache` (XDG Base
    /// Directory Specification); nil if there is neither.
    public static func user(environment: (String) -> String?) -> TestKeyCache? {
        // Relative paths are ignored.
        func folder(_ name: String) -> String? { environment(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
        guard let base = folder("XDG_CACHE_HOME") ?? folder("HOME").map({ $0 + "/.cache" }) else { return nil }
        return TestKeyCache(directory: base + "/cardpresent")
    }

    func path(_ name: TestRSAKey, seed: UInt64) -> String { "\(directory)/rsa-key-\(seed)-\(name).txt" }

    /// Returns the stored key; nil if there is no file or it is invalid.
    func load(_ name: TestRSAKey, seed: UInt64) -> RSAPrivateKey? {
        guard let text = Self.read(path(name, seed: seed)), let file = try? TestKeyFile(text),
            let stored = try? file.bytes("checksum"), let key = try? file.rsaKey(name),
            let computed = try? Self.checksum(key, name, seed: seed), stored == computed,
            key.length * 8 == name.bits
        else { return nil }
        return key
    }

    /// Writes the file atomically, readable by this user only. A folder that cannot be written is no error.
    ///
    /// - Throws: a failure of libcrypto.
    func store(_ key: RSAPrivateKey, _ name: TestRSAKey, seed: UInt64) throws(CryptographyError) {
        let lines = [
            "# A TEST KEY, computed from the seed \(seed). It protects nothing. This file can be deleted.",
            "\(name).first-prime \(Self.hexadecimal(try key.firstPrime()))",
            "\(name).second-prime \(Self.hexadecimal(try key.secondPrime()))",
            "checksum \(Self.hexadecimal(SensitiveBytes(try Self.checksum(key, name, seed: seed))))",
        ]
        let text = Array((lines.joined(separator: "\n") + "\n").utf8)
        Self.makeDirectories(directory)
        var temporary = Array("\(directory)/.rsa-key-XXXXXX".utf8CString)
        // Creates a file with mode 0600 and a unique name.
        let descriptor = mkstemp(&temporary)
        guard descriptor >= 0 else { return }
        let isWritten = text.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } == text.count
        let isClosed = close(descriptor) == 0
        if !isWritten || !isClosed || rename(temporary, path(name, seed: seed)) != 0 { unlink(temporary) }
    }

    /// Computes the checksum over the content and the name of the file.
    private static func checksum(
        _ key: RSAPrivateKey, _ name: TestRSAKey, seed: UInt64
    ) throws(CryptographyError) -> [UInt8] {
        try SHA256.hash(
            SensitiveBytes(
                joining: SensitiveBytes(Array("\(seed) \(name) ".utf8)),
                SensitiveBytes(joining: try key.firstPrime(), try key.secondPrime())))
    }

    private static func read(_ path: String) -> [UInt8]? {
        // Without O_NONBLOCK, opening a named pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            (1...4096).contains(status.st_size)
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let count = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
        return count == bytes.count ? bytes : nil
    }

    private static func makeDirectories(_ path: String) {
        var partial = ""
        for name in path.split(separator: "/") {
            partial += "/" + name
            mkdir(partial, 0o700)
        }
    }

    private static func hexadecimal(_ bytes: borrowing SensitiveBytes) -> String {
        bytes.withUnsafeBytes { $0.hexadecimal }
    }
}

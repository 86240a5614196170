internal import CardSecrets
internal import Cryptography
internal import Glibc

/// Keeps RSA test keys on disk, a file for each seed and key, so that a second run of the program need not compute
/// them again. What is wrong with a file, or with the folder, is the same as having nothing.
///
/// Test keys are computed from a number that the user types, and protect nothing: this is no place for other keys.
public struct TestKeyCache: Hashable, Sendable {
    /// The folder, which is made when the first key is stored.
    public let directory: String

    public init(directory: String) { self.directory = directory }

    /// `cardpresent` in the user's folder for such files: `$XDG_CACHE_HOME`, else `~/.cache` (XDG Base Directory
    /// Specification); nil when there is neither.
    public static func user(environment: (String) -> String?) -> TestKeyCache? {
        // A relative path is to be ignored.
        func folder(_ name: String) -> String? { environment(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
        guard let base = folder("XDG_CACHE_HOME") ?? folder("HOME").map({ $0 + "/.cache" }) else { return nil }
        return TestKeyCache(directory: base + "/cardpresent")
    }

    func path(_ name: TestRSAKey, seed: UInt64) -> String { "\(directory)/rsa-key-\(seed)-\(name).txt" }

    /// nil when there is no file, or it is not as it was written.
    func load(_ name: TestRSAKey, seed: UInt64) -> RSAPrivateKey? {
        guard let text = Self.read(path(name, seed: seed)), let file = try? TestKeyFile(text),
            let stored = try? file.bytes("checksum"), let key = try? file.rsaKey(name),
            let computed = try? Self.checksum(key, name, seed: seed), stored == computed,
            key.length * 8 == name.bits
        else { return nil }
        return key
    }

    /// Writes the file as a whole or not at all, for this user only. A folder that cannot be written is no error.
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
        // It makes a file of mode 0600 under a name that nobody else has.
        let descriptor = mkstemp(&temporary)
        guard descriptor >= 0 else { return }
        let isWritten = text.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } == text.count
        let isClosed = close(descriptor) == 0
        if !isWritten || !isClosed || rename(temporary, path(name, seed: seed)) != 0 { unlink(temporary) }
    }

    /// Over everything that the file says and everything in its name.
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
        bytes.withUnsafeBytes { bytes in
            bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
        }
    }
}

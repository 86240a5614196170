import Determinism
import FoundationEssentials
import Glibc
import Text

/// The file with the password, the token, or the consumer key of a simulated store. Created with a new secret and mode
/// 0600 if it does not exist.
struct StoreSecretFile {
    /// An absolute path, which another program can use as it is.
    let path: String
    let secret: String

    /// In bytes.
    private static let longest = 1024
    private static let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789")

    /// - Parameters:
    ///   - given: The named file; nil for the default file.
    ///   - name: The name of the default file.
    ///   - form: The form of the secret.
    ///   - random: The source of a new secret.
    /// - Throws: `CommandFailure`
    init(
        _ given: String?, named name: String, form: Form = .word, random: any RandomSource
    ) throws(CommandFailure) {
        let path = try Self.place(given, name)
        self.path = path
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor < 0 else {
            defer { close(descriptor) }
            secret = form.secret(random)
            let bytes = Array("\(secret)\n".utf8)
            guard bytes.withUnsafeBytes({ write(descriptor, $0.baseAddress, $0.count) }) == bytes.count else {
                unlink(path)
                throw Self.failure(path, "cannot be written", errno)
            }
            return
        }
        guard errno == EEXIST else { throw Self.failure(path, "cannot be created", errno) }
        secret = try Self.read(path)
        guard form.fits(secret) else {
            throw CommandFailure(
                .badData, code: "no_secret", message: "'\(path)' does not contain a consumer key and its secret",
                fix: "write ck_…:cs_… into it, or name a file that does not exist yet")
        }
    }

    /// The form of a secret.
    enum Form {
        /// Letters and digits.
        case word
        /// The key and the secret of WooCommerce's REST API: `ck_…:cs_…`.
        case consumerKey

        fileprivate func secret(_ random: any RandomSource) -> String {
            func letter() -> Character {
                StoreSecretFile.alphabet[Int(random.number(in: 0...UInt32(StoreSecretFile.alphabet.count - 1)))]
            }
            return switch self {
            case .word: String((0..<24).map { _ in letter() })
            case .consumerKey:
                "ck_\(random.bytes(20).hexadecimal.lowercased()):cs_\(random.bytes(20).hexadecimal.lowercased())"
            }
        }

        fileprivate func fits(_ secret: String) -> Bool {
            switch self {
            case .word: true
            case .consumerKey: secret.hasPrefix("ck_") && secret.split(separator: ":").count == 2
            }
        }
    }

    private static func place(_ given: String?, _ name: String) throws(CommandFailure) -> String {
        if let given, !given.isEmpty {
            return given.hasPrefix("/") ? given : FileManager.default.currentDirectoryPath + "/" + given
        }
        guard given == nil, let home = DatabaseOptions.directory(environment: ProcessInfo.processInfo.environment)
        else {
            throw CommandFailure(
                .configuration, code: "no_directory", message: "no directory for the store's \(name)",
                fix: "give the files of all secrets with options, or set HOME")
        }
        let folder = home + "/cardpresent/simulated-store"
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandFailure(
                .configuration, code: "no_directory", message: "cannot create the folder '\(folder)'")
        }
        return folder + "/" + name
    }

    private static func read(_ path: String) throws(CommandFailure) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure(path, "cannot be read", errno) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: longest + 1)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { throw failure(path, "cannot be read", errno) }
        var line = bytes.prefix(count)
        if line.last == 0x0A { line.removeLast() }
        if line.last == 0x0D { line.removeLast() }
        guard (1...longest).contains(line.count), let text = String(validating: line, as: UTF8.self),
            !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F })
        else {
            throw CommandFailure(
                .badData, code: "no_secret", message: "'\(path)' does not contain one line with a secret",
                fix: "write a secret into it, or name a file that does not exist yet")
        }
        return text
    }

    private static func failure(_ path: String, _ problem: String, _ code: Int32) -> CommandFailure {
        CommandFailure(
            .configuration, code: "no_secret_file", message: "'\(path)' \(problem): \(String(cString: strerror(code)))")
    }
}

internal import Determinism
internal import FoundationEssentials
internal import Glibc

/// The file with the password or token of a simulated store. Created with a new secret and mode 0600 if it does not
/// exist.
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
    ///   - random: The source of a new secret.
    /// - Throws: `CommandFailure`
    init(_ given: String?, named name: String, random: any RandomSource) throws(CommandFailure) {
        let path = try Self.place(given, name)
        self.path = path
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor < 0 else {
            defer { close(descriptor) }
            secret = String((0..<24).map { _ in Self.letter(random) })
            let bytes = Array("\(secret)\n".utf8)
            guard bytes.withUnsafeBytes({ write(descriptor, $0.baseAddress, $0.count) }) == bytes.count else {
                unlink(path)
                throw Self.failure(path, "cannot be written", errno)
            }
            return
        }
        guard errno == EEXIST else { throw Self.failure(path, "cannot be created", errno) }
        secret = try Self.read(path)
    }

    private static func letter(_ random: any RandomSource) -> Character {
        alphabet[Int(random.number(in: 0...UInt32(alphabet.count - 1)))]
    }

    private static func place(_ given: String?, _ name: String) throws(CommandFailure) -> String {
        if let given, !given.isEmpty {
            return given.hasPrefix("/") ? given : FileManager.default.currentDirectoryPath + "/" + given
        }
        guard given == nil, let home = DatabaseOptions.directory(environment: ProcessInfo.processInfo.environment)
        else {
            throw CommandFailure(
                .configuration, code: "no_directory", message: "no directory for the store's \(name)",
                fix: "give --password-file and --token-file, or set HOME")
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

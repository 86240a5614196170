internal import Determinism
internal import FoundationEssentials
internal import Glibc

/// The file with the password or the token of a simulated store: made when it is not there, with a new secret that its
/// owner alone can read.
struct StoreSecretFile {
    /// Absolute, so that it can be given to another program as it is.
    let path: String
    let secret: String

    /// In bytes.
    private static let longest = 1024
    private static let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789")

    /// - Parameters:
    ///   - given: the file that was named; nil for the usual one.
    ///   - name: of the usual one.
    ///   - random: what a new secret is made of.
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
        guard errno == EEXIST else { throw Self.failure(path, "cannot be made", errno) }
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
                .configuration, code: "no_directory", message: "no place is known for the store's \(name)",
                fix: "give --password-file and --token-file, or set HOME")
        }
        let folder = home + "/cardpresent/simulated-store"
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandFailure(
                .configuration, code: "no_directory", message: "the folder '\(folder)' cannot be made")
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
                .badData, code: "no_secret", message: "'\(path)' does not hold one line with a password",
                fix: "write one into it, or give the name of a file that is not there yet")
        }
        return text
    }

    private static func failure(_ path: String, _ problem: String, _ code: Int32) -> CommandFailure {
        CommandFailure(
            .configuration, code: "no_secret_file", message: "'\(path)' \(problem): \(String(cString: strerror(code)))")
    }
}

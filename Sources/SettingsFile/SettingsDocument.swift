internal import Glibc

/// One YAML file of settings, read into values that know where they stand.
///
/// Only plain YAML is taken: one document, no anchors, no aliases, keys that are text and unique. Numbers
/// and words stay as they are written until a reader asks for them, so `0010` is never turned into 8.
public struct SettingsDocument: Sendable {
    /// The outermost value.
    public let root: SettingsNode

    /// How much is read before a file is refused.
    public struct Limits: Hashable, Sendable {
        /// Bytes of the whole text.
        public var bytes: Int
        /// Lists and mappings in each other.
        public var depth: Int
        /// Values in the whole document.
        public var values: Int

        public init(bytes: Int = 262_144, depth: Int = 32, values: Int = 20_000) {
            (self.bytes, self.depth, self.values) = (bytes, depth, values)
        }
    }

    /// Reads a YAML text.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - file: the name that errors give.
    ///   - limits: how much is read.
    /// - Throws: ``SettingsError``
    public init(text: String, file: String, limits: Limits = Limits()) throws(SettingsError) {
        var reader = YAMLReader(file: file, limits: limits)
        root = try reader.read(text)
    }

    /// Reads a regular file.
    ///
    /// - Throws: ``SettingsError``, with line 1 when the file itself cannot be read.
    public init(path: String, limits: Limits = Limits()) throws(SettingsError) {
        try self.init(text: try Self.contents(of: path, limit: limits.bytes), file: path, limits: limits)
    }

    static func contents(of path: String, limit: Int) throws(SettingsError) -> String {
        func failure(_ problem: SettingsProblem) -> SettingsError {
            SettingsError(location: SettingsLocation(file: path, line: 1, column: 1), keyPath: "", problem: problem)
        }
        func systemFailure() -> SettingsError { failure(.unreadableFile(reason: String(cString: strerror(errno)))) }

        // Without O_NONBLOCK, opening a named pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw systemFailure() }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw systemFailure() }
        guard status.st_mode & S_IFMT == S_IFREG else { throw failure(.unreadableFile(reason: "not a regular file")) }

        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = chunk.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw systemFailure() }
            guard count > 0 else { break }
            bytes += chunk.prefix(count)
            guard bytes.count <= limit else { throw failure(.tooLarge(limit: limit)) }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw failure(.notText) }
        return text
    }
}

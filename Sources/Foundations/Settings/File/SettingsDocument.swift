import Glibc

/// A YAML file of settings, read into values with their locations.
///
/// Only plain YAML is accepted: one document, no anchors, no aliases, unique text keys. Numbers and words stay as
/// written until a reader asks for them, so `0010` never becomes 8.
public struct SettingsDocument: Sendable {
    /// The outermost value.
    public let root: SettingsNode

    /// The largest accepted document.
    public struct Limits: Hashable, Sendable {
        /// Bytes of the whole text.
        public var bytes: Int
        /// Levels of nested lists and mappings.
        public var depth: Int
        /// Values in the whole document.
        public var values: Int

        /// Limits the bytes of the text, the levels of nesting, and the number of values.
        public init(bytes: Int = 262_144, depth: Int = 32, values: Int = 20_000) {
            (self.bytes, self.depth, self.values) = (bytes, depth, values)
        }
    }

    /// Reads a YAML text.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - file: the file name for errors.
    ///   - limits: the largest accepted document.
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

extension SettingsDocument {
    /// Reads a regular file with a list, either in YAML or as JSON Lines. In the latter, blank lines and lines that
    /// begin with `#` are ignored.
    ///
    /// - Throws: ``SettingsError``, with line 1 when the file itself cannot be read.
    public static func list(path: String, limits: Limits = Limits()) throws(SettingsError) -> [SettingsNode] {
        try list(text: try contents(of: path, limit: limits.bytes), file: path, limits: limits)
    }

    /// Reads a text with a list; `file` is the file name for errors.
    ///
    /// - Throws: ``SettingsError``
    public static func list(
        text: String, file: String, limits: Limits = Limits()
    ) throws(SettingsError) -> [SettingsNode] {
        var text = text
        if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        guard let first = lines.first(where: hasContent), first.first(where: { !$0.isWhitespace }) == "{" else {
            return try SettingsDocument(text: text, file: file, limits: limits).root.list()
        }
        var nodes: [SettingsNode] = []
        for (index, line) in lines.enumerated() where hasContent(line) {
            let node = try value(String(line), file, index + 1, limits)
            guard nodes.count < limits.values else { throw node.failure(.tooManyValues(limit: limits.values)) }
            nodes.append(node)
        }
        return nodes
    }

    private static func value(
        _ text: String, _ file: String, _ line: Int, _ limits: Limits
    ) throws(SettingsError) -> SettingsNode {
        do throws(SettingsError) {
            var reader = YAMLReader(file: file, limits: limits, firstLine: line)
            return try reader.read(text)
        } catch {
            // The parser reports an incomplete line at the beginning of the next one.
            let location = SettingsLocation(file: file, line: line, column: error.location.column)
            throw SettingsError(location: location, keyPath: error.keyPath, problem: error.problem)
        }
    }

    private static func hasContent(_ line: Substring) -> Bool {
        line.first { !$0.isWhitespace }.map { $0 != "#" } ?? false
    }
}

internal import Glibc

/// A file that somebody names on the command line, or standard input.
enum InputFile {
    /// Reads all of it, byte for byte. The array has room for everything from the start, so that nothing of a secret is
    /// left behind in a smaller one.
    ///
    /// - Parameters:
    ///   - name: a path, or `-` for standard input.
    ///   - limit: the most bytes that there may be.
    /// - Returns: its bytes.
    /// - Throws: `CommandFailure`
    static func read(_ name: String, atMost limit: Int) throws(CommandFailure) -> [UInt8] {
        guard name != "-" else { return try read(STDIN_FILENO, name: "standard input", limit) }
        let descriptor = open(name, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable("'\(name)'", errno) }
        defer { close(descriptor) }
        return try read(descriptor, name: "'\(name)'", limit)
    }

    private static func read(_ descriptor: Int32, name: String, _ limit: Int) throws(CommandFailure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var length = 0
        while length < bytes.count {
            let count = bytes[length...].withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(name, errno) }
            guard count > 0 else {
                bytes.removeLast(bytes.count - length)
                return bytes
            }
            length += count
        }
        throw CommandFailure(.badData, code: "too_much_data", message: "\(name) has more than \(limit) bytes")
    }

    private static func unreadable(_ name: String, _ code: Int32) -> CommandFailure {
        CommandFailure(
            .badData, code: "unreadable_file", message: "\(name) cannot be read: \(String(cString: strerror(code)))")
    }
}

import EMV
import Glibc

/// Reads a file named on the command line, or standard input.
enum InputFile {
    /// Reads all bytes. Allocates the whole array first, so that no part of a secret is left in a smaller one.
    ///
    /// - Parameters:
    ///   - name: A path, or `-` for standard input.
    ///   - limit: The maximum number of bytes.
    /// - Returns: The bytes.
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
            .badData, code: "unreadable_file", message: "cannot read \(name): \(String(cString: strerror(code)))",
            fix: "give a file that exists and that you can read, or - for standard input")
    }
}

/// Bytes from the command line, a file, or standard input. Error messages never contain them, because they may be
/// card data.
enum BinaryInput {
    /// Accepts spaces, line breaks, colons, and hyphens between digits, and the prefix `0x`.
    ///
    /// - Throws: `CommandFailure` when the words are neither digits nor a file, or the data is empty or too long.
    static func bytes(of words: [String]) throws(CommandFailure) -> [UInt8] {
        let text = Array(words.joined(separator: " ").utf8)
        if words == ["-"] { return try bytes(inContent: try read(STDIN_FILENO)) }
        guard let wrong = firstWrongCharacter(in: text) else { return try bytes(fromDigits: text) }
        let none = CommandFailure(
            .badData, code: "not_hexadecimal",
            message: "the data is neither a file nor hexadecimal: invalid character \(wrong + 1)",
            fix: "use an even number of hexadecimal digits, a file, or '-'")
        guard words.count == 1, let path = words.first else { throw none }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENAMETOOLONG { throw none }
            throw unreadable(errno)
        }
        defer { close(descriptor) }
        return try bytes(inContent: try read(descriptor))
    }

    /// Decodes hexadecimal text, or returns binary data unchanged.
    private static func bytes(inContent content: [UInt8]) throws(CommandFailure) -> [UInt8] {
        guard let wrong = firstWrongCharacter(in: content) else { return try bytes(fromDigits: content) }
        let isText = content.allSatisfy { (0x20...0x7E).contains($0) || (0x09...0x0D).contains($0) }
        guard isText else { return try checked(content) }
        throw CommandFailure(
            .badData, code: "not_hexadecimal",
            message: "the text is not hexadecimal: invalid character \(wrong + 1)",
            fix: "remove everything except digits, spaces, line breaks, colons, and hyphens")
    }

    private static func firstWrongCharacter(in text: [UInt8]) -> Int? {
        text.indices.dropFirst(prefixLength(of: text)).first { digit(text[$0]) == nil && !isSeparator(text[$0]) }
    }

    private static func bytes(fromDigits text: [UInt8]) throws(CommandFailure) -> [UInt8] {
        let digits = text.dropFirst(prefixLength(of: text)).compactMap(digit)
        guard digits.count.isMultiple(of: 2) else {
            throw CommandFailure(
                .badData, code: "odd_digits",
                message: "\(digits.count) hexadecimal digits: the number of digits is odd",
                fix: "give two digits for each byte")
        }
        return try checked(stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
    }

    private static func checked(_ bytes: [UInt8]) throws(CommandFailure) -> [UInt8] {
        guard !bytes.isEmpty else { throw CommandFailure(.badData, code: "no_data", message: "no data") }
        guard bytes.count <= EMVDecoder.maximumLength else { throw tooLong }
        return bytes
    }

    private static func prefixLength(of text: [UInt8]) -> Int {
        text.count >= 2 && text[0] == UInt8(ascii: "0") && text[1] | 0x20 == UInt8(ascii: "x") ? 2 : 0
    }

    private static func isSeparator(_ character: UInt8) -> Bool {
        switch character {
        case 0x20, 0x09...0x0D, UInt8(ascii: ":"), UInt8(ascii: "-"): true
        default: false
        }
    }

    private static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case 0x30...0x39: character - 0x30
        case 0x41...0x46: character - 0x41 + 10
        case 0x61...0x66: character - 0x61 + 10
        default: nil
        }
    }

    private static func read(_ descriptor: Int32) throws(CommandFailure) -> [UInt8] {
        // Allows two digits and two separators for each byte.
        let limit = EMVDecoder.maximumLength * 4
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while content.count <= limit {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0 {
                guard errno != EINTR else { continue }
                throw unreadable(errno)
            }
            if count == 0 { return content }
            content += buffer.prefix(count)
        }
        throw tooLong
    }

    private static var tooLong: CommandFailure {
        CommandFailure(
            .badData, code: "too_much_data", message: "more than \(EMVDecoder.maximumLength) bytes of data",
            fix: "decode the data in parts")
    }

    private static func unreadable(_ code: Int32) -> CommandFailure {
        CommandFailure(
            .badData, code: "unreadable_file", message: "cannot read the file: \(String(cString: strerror(code)))")
    }
}

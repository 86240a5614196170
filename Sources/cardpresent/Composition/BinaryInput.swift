internal import EMV
internal import Glibc

/// Bytes that a user gives: as hexadecimal digits, in a file, or on standard input. No message repeats them, for
/// they may be card data.
enum BinaryInput {
    /// Digits may have blanks, line breaks, colons and hyphens between them, and `0x` before them.
    ///
    /// - Throws: `CommandFailure` when the words are neither digits nor a file, or when there are no or too many bytes.
    static func bytes(of words: [String]) throws(CommandFailure) -> [UInt8] {
        let text = Array(words.joined(separator: " ").utf8)
        if words == ["-"] { return try bytes(inContent: try read(STDIN_FILENO)) }
        guard let wrong = firstWrongCharacter(in: text) else { return try bytes(fromDigits: text) }
        let none = CommandFailure(
            .badData, code: "not_hexadecimal",
            message: "the data are neither a file nor hexadecimal digits: character \(wrong + 1) is none",
            fix: "give an even number of digits 0-9 and A-F, a file, or '-'")
        guard words.count == 1, let path = words.first else { throw none }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENAMETOOLONG { throw none }
            throw unreadable(errno)
        }
        defer { close(descriptor) }
        return try bytes(inContent: try read(descriptor))
    }

    /// A text of digits, or else the bytes themselves.
    private static func bytes(inContent content: [UInt8]) throws(CommandFailure) -> [UInt8] {
        guard let wrong = firstWrongCharacter(in: content) else { return try bytes(fromDigits: content) }
        let isText = content.allSatisfy { (0x20...0x7E).contains($0) || (0x09...0x0D).contains($0) }
        guard isText else { return try checked(content) }
        throw CommandFailure(
            .badData, code: "not_hexadecimal",
            message: "the text is no hexadecimal digits: character \(wrong + 1) is none",
            fix: "take out everything but digits, blanks, line breaks, colons and hyphens")
    }

    private static func firstWrongCharacter(in text: [UInt8]) -> Int? {
        text.indices.dropFirst(prefixLength(of: text)).first { digit(text[$0]) == nil && !isSeparator(text[$0]) }
    }

    private static func bytes(fromDigits text: [UInt8]) throws(CommandFailure) -> [UInt8] {
        let digits = text.dropFirst(prefixLength(of: text)).compactMap(digit)
        guard digits.count.isMultiple(of: 2) else {
            throw CommandFailure(
                .badData, code: "odd_digits", message: "\(digits.count) hexadecimal digits are no whole bytes",
                fix: "give two digits for each byte")
        }
        return try checked(stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
    }

    private static func checked(_ bytes: [UInt8]) throws(CommandFailure) -> [UInt8] {
        guard !bytes.isEmpty else { throw CommandFailure(.badData, code: "no_data", message: "there are no data") }
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
        // Every byte as two digits and two separators.
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
            fix: "decode a part of them")
    }

    private static func unreadable(_ code: Int32) -> CommandFailure {
        CommandFailure(
            .badData, code: "unreadable_file", message: "the file cannot be read: \(String(cString: strerror(code)))")
    }
}

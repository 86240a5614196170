internal import CardSecrets
internal import Glibc

/// Card numbers from standard input, one a line, byte for byte, so that no `String` ever holds one.
///
/// At a terminal one number is asked for and not shown. From a file or a pipe come as many as there are; blank lines and
/// lines that begin with `#` are passed over.
enum CardNumberInput {
    private static let lineLimit = 200

    /// Gives every number to `body`.
    ///
    /// - Throws: `CommandFailure` that names the line of what is no card number, and not what stands there.
    static func forEach(
        _ body: (borrowing PrimaryAccountNumber) throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        let isTerminal = isatty(STDIN_FILENO) == 1
        let silence = isTerminal ? SilentTerminal() : nil
        if isTerminal { StandardError.write("Card number (not shown): ") }
        defer { silence?.end() }
        var (line, number, count) = ([UInt8](), 0, 0)
        line.reserveCapacity(lineLimit + 1)
        defer { line.wipe() }
        while try readLine(into: &line) {
            number += 1
            let isComment = line.first == 0x23 || line.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
            if !isComment {
                try body(try pan(line, number))
                count += 1
            }
            line.wipe()
            line.removeAll(keepingCapacity: true)
            if isTerminal { break }
        }
        guard count > 0 else {
            throw CommandFailure(
                .usage, code: "no_card_number", message: "there is no card number on standard input",
                fix: "type one when asked, or give a file of them: cardpresent exceptions add < FILE")
        }
    }

    /// Digits, with blanks and hyphens as they stand on cards.
    private static func pan(_ line: [UInt8], _ number: Int) throws(CommandFailure) -> PrimaryAccountNumber {
        func failure(_ reason: String) -> CommandFailure {
            CommandFailure(
                .badData, code: "invalid_card_number", message: "line \(number) is no card number: \(reason)",
                fix: "nothing was changed: mend the line and begin again")
        }
        var digits: [UInt8] = []
        digits.reserveCapacity(lineLimit)
        defer { digits.wipe() }
        for byte in line {
            switch byte {
            case 0x30...0x39: digits.append(byte - 0x30)
            case 0x20, 0x2D, 0x09, 0x0D: break
            default: throw failure("it has something other than digits")
            }
        }
        if !digits.count.isMultiple(of: 2) { digits.append(0x0F) }
        var packed = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        defer { packed.wipe() }
        let pan: PrimaryAccountNumber
        do throws(PrimaryAccountNumberError) { pan = try PrimaryAccountNumber(compressedNumeric: packed) } catch {
            throw failure("8 to 19 digits are wanted")
        }
        guard pan.hasValidCheckDigit else { throw failure("its check digit is wrong, so a digit is mistyped") }
        return pan
    }

    /// - Returns: false at the end of the input.
    private static func readLine(into line: inout [UInt8]) throws(CommandFailure) -> Bool {
        var (byte, isAnything) = (UInt8(0), false)
        while true {
            let count = read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR {
                throw CommandFailure(.cancelled, code: "cancelled", message: "cancelled: nothing was changed")
            }
            guard count == 1 else { return isAnything }
            isAnything = true
            if byte == 0x0A { return true }
            // What is too long is no number, however it goes on.
            if line.count <= lineLimit { line.append(byte) }
        }
    }
}

internal import Glibc
internal import Simulator

/// The PIN that was given on the command line, or comes from standard input.
enum PINOption {
    /// - Returns: one digit a byte; nil when no PIN was given.
    /// - Throws: `CommandFailure` when it is not 4 to 12 digits. The message does not repeat it.
    static func digits(_ option: String?) throws(CommandFailure) -> SealedBytes? {
        guard let option else { return nil }
        var characters = option == "-" ? readLine() : Array(option.utf8)
        defer { for index in characters.indices { characters[index] = 0 } }
        guard (4...12).contains(characters.count), characters.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw CommandFailure(.usage, code: "invalid_pin", message: "a PIN has 4 to 12 digits")
        }
        for index in characters.indices { characters[index] -= 0x30 }
        return SealedBytes(characters)
    }

    /// One line of standard input, byte for byte, so that no `String` ever holds it.
    private static func readLine() -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(16)
        var byte: UInt8 = 0
        while line.count < 16, read(0, &byte, 1) == 1, byte != 0x0A { line.append(byte) }
        return line
    }
}

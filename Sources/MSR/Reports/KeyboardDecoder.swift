internal import CardSecrets

/// Turns a keyboard's reports into the characters that were typed, as on a keyboard of the United States: no other
/// layout can be seen from the host.
struct KeyboardDecoder: Sendable {
    /// What Enter gives.
    static let enter: UInt8 = 0x0A

    private static let shift: UInt8 = 0x22
    private static let layout = [
        0x2D: "-_", 0x2E: "=+", 0x2F: "[{", 0x30: "]}", 0x31: "\\|", 0x33: ";:", 0x34: "'\"", 0x35: "`~", 0x36: ",<",
        0x37: ".>", 0x38: "/?", 0x1E: "1!", 0x1F: "2@", 0x20: "3#", 0x21: "4$", 0x22: "5%", 0x23: "6^", 0x24: "7&",
        0x25: "8*", 0x26: "9(", 0x27: "0)", 0x2C: "  ", 0x54: "//", 0x55: "**", 0x56: "--", 0x57: "++", 0x59: "11",
        0x5A: "22", 0x5B: "33", 0x5C: "44", 0x5D: "55", 0x5E: "66", 0x5F: "77", 0x60: "88", 0x61: "99", 0x62: "00",
        0x63: "..", 0x67: "==",
    ].mapValues { Array($0.utf8) }

    private let keyboard: KeyboardLayout
    private var down: [UInt8] = []

    init(_ keyboard: KeyboardLayout) { self.keyboard = keyboard }

    /// Takes a report.
    ///
    /// - Returns: the characters of the keys that went down with it, in its order.
    mutating func take(_ report: [UInt8]) -> [UInt8] {
        guard keyboard.reportID == 0 || report.first == keyboard.reportID, keyboard.modifiers < report.count else {
            return []
        }
        // 1 to 3 say that too many keys are down, or that something failed.
        let keys = report.dropFirst(keyboard.keys.lowerBound).prefix(keyboard.keys.count).filter { $0 > 3 }
        let isShifted = report[keyboard.modifiers] & Self.shift != 0
        defer {
            down.wipe()
            down = keys
        }
        return keys.filter { !down.contains($0) }.compactMap { Self.character($0, isShifted: isShifted) }
    }

    private static func character(_ key: UInt8, isShifted: Bool) -> UInt8? {
        switch key {
        // A stripe has no small letters; whether the reader shifts depends on the caps lock of a keyboard beside it.
        case 0x04...0x1D: UInt8(ascii: "A") + (key - 0x04)
        case 0x28, 0x58: enter
        default: layout[Int(key)].map { $0[isShifted ? 1 : 0] }
        }
    }
}

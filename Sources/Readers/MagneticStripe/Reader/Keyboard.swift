import CardSecrets

/// Decodes a keyboard's reports into the typed characters, with the US layout: the host cannot detect any other.
struct KeyboardDecoder: Sendable {
    /// The character of the Enter key.
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
    /// - Returns: the characters of the newly pressed keys, in the order of the report.
    mutating func take(_ report: [UInt8]) -> [UInt8] {
        guard keyboard.reportID == 0 || report.first == keyboard.reportID, keyboard.modifiers < report.count else {
            return []
        }
        // 1 to 3 stand for too many pressed keys, or for an error.
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
        // A stripe has no lowercase letters; whether the reader shifts depends on the caps lock of another keyboard.
        case 0x04...0x1D: UInt8(ascii: "A") + (key - 0x04)
        case 0x28, 0x58: enter
        default: layout[Int(key)].map { $0[isShifted ? 1 : 0] }
        }
    }
}

/// The layout of a keyboard's report (HID 1.11 appendix B.1 and C).
struct KeyboardLayout: Hashable, Sendable {
    /// The letter A on the keyboard page (HID usage tables §10).
    static let firstKey = HIDUsage(page: 0x07, id: 0x04)
    /// The left control key, the first of eight modifiers.
    private static let firstModifier = HIDUsage(page: 0x07, id: 0xE0)

    /// The report ID; 0 when reports have none.
    let reportID: UInt8
    /// The byte of the modifiers.
    let modifiers: Int
    /// The bytes of the pressed keys.
    let keys: Range<Int>

    /// The boot layout.
    static let boot = KeyboardLayout(reportID: 0, modifiers: 0, keys: 2..<8)

    private init(reportID: UInt8, modifiers: Int, keys: Range<Int>) {
        (self.reportID, self.modifiers, self.keys) = (reportID, modifiers, keys)
    }

    /// - Throws: ``MagneticStripeReaderError/notSupported(_:)`` when it is not a keyboard with its keys in bytes.
    init(_ descriptor: HIDReportDescriptor) throws(MagneticStripeReaderError) {
        guard let (keys, keyBits) = descriptor.input(Self.firstKey), !keys.isVariable, keys.elementSize == 8,
            keyBits.lowerBound.isMultiple(of: 8),
            let (modifiers, modifierBits) = descriptor.input(Self.firstModifier), modifiers.isVariable,
            modifiers.elementSize == 1, modifierBits.lowerBound.isMultiple(of: 8), modifiers.reportID == keys.reportID
        else { throw .notSupported("its reports are not those of a keyboard") }
        self.init(
            reportID: keys.reportID, modifiers: modifierBits.lowerBound / 8,
            keys: (keyBits.lowerBound / 8)..<(keyBits.upperBound / 8))
    }
}

internal import HID

/// Where the keys stand in a keyboard's report (HID 1.11 appendix B.1 and C).
struct KeyboardLayout: Hashable, Sendable {
    /// The letter A on the keyboard page (HID usage tables §10).
    static let firstKey = HIDUsage(page: 0x07, id: 0x04)
    /// The left control key, the first of eight modifiers.
    private static let firstModifier = HIDUsage(page: 0x07, id: 0xE0)

    /// The number of the report; 0 when reports have none.
    let reportID: UInt8
    /// The byte of the modifiers.
    let modifiers: Int
    /// The bytes that name the keys that are down.
    let keys: Range<Int>

    /// The layout that keyboards have before an operating system runs.
    static let boot = KeyboardLayout(reportID: 0, modifiers: 0, keys: 2..<8)

    private init(reportID: UInt8, modifiers: Int, keys: Range<Int>) {
        (self.reportID, self.modifiers, self.keys) = (reportID, modifiers, keys)
    }

    /// - Throws: ``MSRError/notSupported(_:)`` when it is no keyboard that names its keys in bytes.
    init(_ descriptor: HIDReportDescriptor) throws(MSRError) {
        guard let (keys, keyBits) = descriptor.input(Self.firstKey), !keys.isVariable, keys.elementSize == 8,
            keyBits.lowerBound.isMultiple(of: 8),
            let (modifiers, modifierBits) = descriptor.input(Self.firstModifier), modifiers.isVariable,
            modifiers.elementSize == 1, modifierBits.lowerBound.isMultiple(of: 8), modifiers.reportID == keys.reportID
        else { throw .notSupported("its reports are no keyboard's") }
        self.init(
            reportID: keys.reportID, modifiers: modifierBits.lowerBound / 8,
            keys: (keyBits.lowerBound / 8)..<(keyBits.upperBound / 8))
    }
}

import SmartCard

extension CommandAPDU {
    /// A command that every card answers, if only by saying that it does not know it: GET DATA of the PIN tries.
    static let anything = CommandAPDU(0x00, 0xCA, 0x9F, 0x17, le: 0)

    /// SELECT by name.
    static func select(_ name: [UInt8]) throws -> CommandAPDU {
        try CommandAPDU(cla: 0x00, ins: 0xA4, p1: 0x04, p2: 0x00, data: name, expectedLength: 256)
    }
}

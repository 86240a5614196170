/// One rule of a CVM list: two bytes (EMV Book 3 annex C3).
struct CVMRule: Hashable, Sendable {
    let methodByte: UInt8
    let conditionByte: UInt8

    /// nil for a method that is not recognised.
    var method: CVMethod? { CVMethod(code: methodByte & 0x3F) }
    /// nil for a condition that is not understood.
    var condition: CVMCondition? { CVMCondition(rawValue: conditionByte) }
    /// Whether the next rule is tried when this one fails (b7).
    var continuesOnFailure: Bool { methodByte & 0x40 != 0 }
}

/// The card's list of cardholder verification methods (tag 8E, EMV Book 3 §10.5).
struct CVMList: Hashable, Sendable {
    /// In minor units of the application currency.
    let amountX: UInt32
    let amountY: UInt32
    let rules: [CVMRule]

    /// - Returns: nil when the bytes are not two amounts of four bytes and rules of two.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 8, bytes.count.isMultiple(of: 2) else { return nil }
        amountX = bytes[0..<4].reduce(0) { $0 << 8 | UInt32($1) }
        amountY = bytes[4..<8].reduce(0) { $0 << 8 | UInt32($1) }
        var rules: [CVMRule] = []
        var rest = bytes[8...]
        while let method = rest.popFirst(), let condition = rest.popFirst() {
            rules.append(CVMRule(methodByte: method, conditionByte: condition))
        }
        self.rules = rules
    }
}

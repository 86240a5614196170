/// Whose application it is, by its registered application provider identifier (RID), the first five
/// bytes of every AID (ISO/IEC 7816-5).
public enum CardBrand: String, Hashable, Sendable, CaseIterable {
    case visa, mastercard, americanExpress, jcb, discover, unionPay, interac, usCommonDebit, dna, cartesBancaires
    case girocard, eftposAustralia, ruPay, mir, pagoBancomat, link

    /// - Returns: nil when the RID is none that the table knows.
    public init?(aid: [UInt8]) {
        let rid = Array(aid.prefix(5))
        guard let brand = Self.allCases.first(where: { $0.rids.contains(rid) }) else { return nil }
        self = brand
    }

    /// The RIDs of the brand, five bytes each.
    public var rids: [[UInt8]] {
        switch self {
        case .visa: [[0xA0, 0, 0, 0, 0x03]]
        case .mastercard: [[0xA0, 0, 0, 0, 0x04]]
        case .americanExpress: [[0xA0, 0, 0, 0, 0x25]]
        case .jcb: [[0xA0, 0, 0, 0, 0x65]]
        case .discover: [[0xA0, 0, 0, 0x01, 0x52], [0xA0, 0, 0, 0x03, 0x24]]
        case .unionPay: [[0xA0, 0, 0, 0x03, 0x33]]
        case .interac: [[0xA0, 0, 0, 0x02, 0x77]]
        case .usCommonDebit: [[0xA0, 0, 0, 0, 0x98]]
        case .dna: [[0xA0, 0, 0, 0x06, 0x20]]
        case .cartesBancaires: [[0xA0, 0, 0, 0, 0x42]]
        case .girocard: [[0xA0, 0, 0, 0x03, 0x59]]
        case .eftposAustralia: [[0xA0, 0, 0, 0x03, 0x84]]
        case .ruPay: [[0xA0, 0, 0, 0x05, 0x24]]
        case .mir: [[0xA0, 0, 0, 0x06, 0x58]]
        case .pagoBancomat: [[0xA0, 0, 0, 0x01, 0x41]]
        case .link: [[0xA0, 0, 0, 0, 0x29]]
        }
    }

    /// The brand as people write it.
    public var displayName: String {
        switch self {
        case .visa: "Visa"
        case .mastercard: "Mastercard"
        case .americanExpress: "American Express"
        case .jcb: "JCB"
        case .discover: "Discover"
        case .unionPay: "UnionPay"
        case .interac: "Interac"
        case .usCommonDebit: "US Debit"
        case .dna: "DNA"
        case .cartesBancaires: "CB"
        case .girocard: "girocard"
        case .eftposAustralia: "eftpos"
        case .ruPay: "RuPay"
        case .mir: "Mir"
        case .pagoBancomat: "PagoBANCOMAT"
        case .link: "LINK"
        }
    }
}

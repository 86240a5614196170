public import CardSecrets

/// A card brand, identified by the registered application provider identifier (RID), the first five bytes of an AID
/// (ISO/IEC 7816-5).
public enum CardBrand: String, Hashable, Sendable, CaseIterable {
    case visa, mastercard, americanExpress, jcb, discover, unionPay, interac, usCommonDebit, dna, cartesBancaires
    case girocard, eftposAustralia, ruPay, mir, pagoBancomat, link

    /// - Returns: nil for an unknown RID.
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

    /// The brand name for display.
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

extension CardBrand {
    /// Finds the brand by the issuer identification number at the start of the PAN (ISO/IEC 7812; the ranges are those
    /// published by the payment systems). nil for an unknown number.
    public init?(_ pan: borrowing PrimaryAccountNumber) {
        let prefix = pan.withDigits { digits in digits.prefix(6).reduce(0) { $0 * 10 + Int($1) } }
        guard let brand = Self.ranges.first(where: { $0.prefixes.contains(prefix) })?.brand else { return nil }
        self = brand
    }

    /// The ranges of the first six digits.
    private static let ranges: [(prefixes: ClosedRange<Int>, brand: CardBrand)] = [
        (220_000...220_499, .mir),
        (222_100...272_099, .mastercard), (510_000...559_999, .mastercard),
        (340_000...349_999, .americanExpress), (370_000...379_999, .americanExpress),
        (352_800...358_999, .jcb),
        (300_000...305_999, .discover), (309_500...309_599, .discover), (360_000...369_999, .discover),
        (380_000...399_999, .discover), (601_100...601_199, .discover), (644_000...659_999, .discover),
        (620_000...629_999, .unionPay), (810_000...817_199, .unionPay),
        (400_000...499_999, .visa),
        // Maestro
        (500_000...509_999, .mastercard), (560_000...589_999, .mastercard), (639_000...639_099, .mastercard),
        (670_000...679_999, .mastercard),
    ]
}

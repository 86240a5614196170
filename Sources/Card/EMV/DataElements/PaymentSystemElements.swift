public import SmartCard

extension DataElement {
    /// The tags that EMV leaves to the payment systems: their names, formats, sources, and lengths depend on the RID
    /// of the application (EMV Book 3 annex B).
    static func belongsToPaymentSystem(_ tag: BERTag) -> Bool { (0x9F50...0x9F7F).contains(tag.rawValue) }

    /// Returns the data element with `tag` on a card of `brand`.
    ///
    /// - Returns: nil if the tag is not publicly known, or if `brand` is known to define its own tags but not this one.
    ///   Without a brand, the name lists the uses of all payment systems.
    public static func described(_ tag: BERTag, brand: CardBrand?) -> DataElement? {
        guard belongsToPaymentSystem(tag), let table = brand.flatMap({ PaymentSystemElements.tables[$0] }) else {
            return described(tag)
        }
        return table[tag] ?? (tag == EMVTag.issuerScriptResults ? DataElement[tag] : nil)
    }
}

/// The tags 9F50 to 9F7F of each payment system: EMV Contactless Books C-2 to C-7 annex A, and the public lists of the
/// payment systems' contact applications.
enum PaymentSystemElements {
    /// By brand and tag. A brand without a table has no public definitions.
    static let tables: [CardBrand: [BERTag: DataElement]] = [
        .visa: index(visa), .usCommonDebit: index(visa), .mastercard: index(mastercard),
        .americanExpress: index(americanExpress), .unionPay: index(unionPay), .discover: index(discover),
        .jcb: index(jcb), .interac: index(interac),
    ]

    private static func index(_ table: [DataElement]) -> [BERTag: DataElement] {
        Dictionary(table.map { ($0.tag, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private static func element(
        _ tag: UInt32, _ name: String, _ format: DataElement.Format, _ shortest: Int, _ longest: Int,
        _ source: DataElement.Source = .card, secret: Bool = false
    ) -> DataElement {
        DataElement.element(tag, name, format, shortest, longest, source, secret: secret)
    }

    /// Offline limits and accumulators that Visa's and UnionPay's applications share.
    private static let limits: [DataElement] = [
        element(0x9F51, "application currency code", .n, 2, 2),
        element(0x9F52, "application default action", .b, 2, 6),
        element(0x9F53, "consecutive transaction international limit", .b, 1, 1),
        element(0x9F54, "cumulative total transaction amount limit", .n, 6, 6),
        element(0x9F55, "geographic indicator", .b, 1, 1),
        element(0x9F56, "issuer authentication indicator", .b, 1, 1),
        element(0x9F57, "issuer country code", .n, 2, 2),
        element(0x9F58, "lower consecutive offline limit", .b, 1, 1),
        element(0x9F59, "upper consecutive offline limit", .b, 1, 3),
        element(0x9F5C, "cumulative total transaction amount upper limit", .n, 6, 6),
        element(0x9F5D, "available offline spending amount", .n, 6, 6),
        element(0x9F66, "terminal transaction qualifiers", .b, 4, 4, .terminal),
        element(0x9F68, "card additional processes", .b, 4, 4),
        element(0x9F69, "card authentication related data", .b, 5, 16),
        element(0x9F6B, "card CVM limit", .n, 6, 6),
        element(0x9F6C, "card transaction qualifiers", .b, 2, 2),
        element(0x9F72, "consecutive transaction international country limit", .b, 1, 1),
    ]

    private static let visa: [DataElement] =
        limits + [
            element(0x9F5A, "application program identifier", .b, 1, 16),
            element(0x9F5E, "consecutive transaction international upper limit", .b, 1, 1),
            element(0x9F6D, "VLP reset threshold", .n, 6, 6),
            element(0x9F6E, "form factor indicator", .b, 4, 32),
            element(0x9F73, "currency conversion parameters", .b, 5, 20),
            element(0x9F77, "VLP funds limit", .n, 6, 6),
            element(0x9F78, "VLP single transaction limit", .n, 6, 6),
            element(0x9F79, "VLP available funds", .n, 6, 6),
            element(0x9F7A, "VLP terminal support indicator", .n, 1, 1, .terminal),
            element(0x9F7B, "VLP terminal transaction limit", .n, 6, 6, .terminal),
            element(0x9F7C, "customer exclusive data", .b, 0, 32),
        ]

    private static let unionPay: [DataElement] =
        limits + [
            element(0x9F61, "number of the identity document", .ans, 1, 40, secret: true),
            element(0x9F62, "type of the identity document", .b, 1, 1),
            element(0x9F63, "product identification", .b, 16, 16),
            element(0x9F6D, "electronic cash reset threshold", .n, 6, 6),
            element(0x9F74, "electronic cash issuer authorization code", .an, 6, 6),
            element(0x9F75, "cumulative total transaction amount limit, dual currency", .n, 6, 6),
            element(0x9F76, "secondary application currency code", .n, 2, 2),
            element(0x9F77, "electronic cash balance limit", .n, 6, 6),
            element(0x9F78, "electronic cash single transaction limit", .n, 6, 6),
            element(0x9F79, "electronic cash balance", .n, 6, 6),
            element(0x9F7A, "electronic cash terminal support indicator", .n, 1, 1, .terminal),
            element(0x9F7B, "electronic cash terminal transaction limit", .n, 6, 6, .terminal),
            element(0x9F7C, "partner proprietary data", .b, 0, 32),
        ]

    private static let mastercard: [DataElement] =
        [
            element(0x9F50, "offline accumulator balance", .n, 6, 6),
            element(0x9F51, "DRDOL", .b, 0, 250),
            element(0x9F53, "transaction category code", .an, 1, 1, .terminal),
            element(0x9F54, "DS ODS card", .b, 0, 160),
            element(0x9F5C, "DS requested operator ID", .b, 8, 8, .terminal),
            element(0x9F5D, "application capabilities information", .b, 3, 3),
            element(0x9F5E, "DS identifier", .n, 8, 11),
            element(0x9F5F, "DS slot availability", .b, 1, 1),
            element(0x9F60, "CVC3, track 1", .b, 2, 2),
            element(0x9F61, "CVC3, track 2", .b, 2, 2),
            element(0x9F62, "PCVC3, track 1: positions of CVC3", .b, 6, 6),
            element(0x9F63, "PUNATC, track 1: positions of UN and ATC", .b, 6, 6),
            element(0x9F64, "NATC, track 1: number of ATC digits", .b, 1, 1),
            element(0x9F65, "PCVC3, track 2: positions of CVC3", .b, 2, 2),
            element(0x9F66, "PUNATC, track 2: positions of UN and ATC", .b, 2, 2),
            element(0x9F67, "NATC, track 2: number of ATC digits", .b, 1, 1),
            element(0x9F69, "UDOL", .b, 0, 250),
            element(0x9F6A, "unpredictable number, numeric", .n, 4, 4, .terminal),
            element(0x9F6B, "track 2 data", .b, 0, 19, secret: true),
            element(0x9F6C, "magnetic stripe version of the card", .b, 2, 2),
            element(0x9F6D, "magnetic stripe version of the reader", .b, 2, 2, .terminal),
            element(0x9F6E, "third party data", .b, 5, 32),
            element(0x9F6F, "DS slot management control", .b, 1, 1),
            element(0x9F7C, "merchant custom data", .b, 20, 20, .terminal),
            element(0x9F7D, "DS summary 1", .b, 8, 16),
            element(0x9F7E, "mobile support indicator", .b, 1, 1, .terminal),
            element(0x9F7F, "DS unpredictable number", .b, 4, 4),
        ]
        + (1...5).map { element(0x9F6F + $0, "protected data envelope \($0)", .b, 0, 192) }
        + (1...5).map { element(0x9F74 + $0, "unprotected data envelope \($0)", .b, 0, 192) }

    private static let americanExpress: [DataElement] = [
        element(0x9F5A, "membership product identifier", .b, 1, 16),
        element(0x9F5B, "product membership number", .ans, 0, 252),
        element(0x9F67, "form factor", .b, 1, 32),
        element(0x9F6D, "contactless reader capabilities", .b, 1, 1, .terminal),
        element(0x9F6E, "enhanced contactless reader capabilities", .b, 4, 4, .terminal),
        element(0x9F70, "card interface and payment capabilities", .b, 1, 8),
        element(0x9F71, "mobile CVM results", .b, 3, 3),
    ]

    private static let discover: [DataElement] = [
        element(0x9F66, "terminal transaction qualifiers", .b, 4, 4, .terminal),
        element(0x9F69, "card authentication related data", .b, 5, 16),
        element(0x9F6C, "card transaction qualifiers", .b, 2, 2),
        element(0x9F71, "card processing requirements", .b, 2, 2),
    ]

    private static let jcb: [DataElement] = [
        element(0x9F50, "cardholder verification status", .b, 1, 1),
        element(0x9F52, "terminal compatibility indicator", .b, 1, 1, .terminal),
        element(0x9F53, "terminal interchange profile", .b, 3, 3, .terminal),
        element(0x9F60, "issuer update parameter", .b, 1, 1, .issuer),
        element(0x9F7C, "partner discretionary data", .b, 0, 32),
    ]

    private static let interac: [DataElement] = [
        element(0x9F58, "merchant type indicator", .b, 1, 1, .terminal),
        element(0x9F59, "terminal transaction information", .b, 3, 3, .terminal),
        element(0x9F5A, "terminal transaction type", .b, 1, 1, .terminal),
        element(0x9F5D, "contactless receipt required limit", .n, 6, 6, .terminal),
        element(0x9F5E, "terminal option status", .b, 2, 2, .terminal),
        element(0x9F5F, "contactless floor limit", .n, 6, 6, .terminal),
    ]
}

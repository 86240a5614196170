/// The copy of a receipt.
public enum ReceiptCopy: String, Hashable, Sendable, Codable, CaseIterable {
    case merchant
    case customer
}

/// The machine-readable form of the payment's name on a receipt.
public enum ReceiptCode: String, Hashable, Sendable, Codable, CaseIterable {
    case none
    /// A QR code (ISO/IEC 18004).
    case qr
    /// A Code 128 barcode (ISO/IEC 15417).
    case barcode
}

/// The languages of receipts, by ISO 639-1 code.
public enum ReceiptLanguage: String, Hashable, Sendable, Codable, CaseIterable {
    case english = "en"
    case spanish = "es"
    case french = "fr"
    case german = "de"
    case italian = "it"
    case portuguese = "pt"
    case japanese = "ja"
    case arabic = "ar"

    /// Chooses the language for a cardholder: the first one that the card prefers among the configured ones (EMV Book 4
    /// §11.1).
    ///
    /// - Parameters:
    ///   - preferred: ISO 639-1 codes from the card (5F2D).
    ///   - configured: the languages of the till; without any, there is no choice.
    /// - Returns: nil if no preferred language is configured.
    public static func chosen(by preferred: [String], among configured: [ReceiptLanguage]) -> ReceiptLanguage? {
        preferred.lazy.compactMap { code in configured.first { $0.rawValue == code } }.first
    }
}

/// The region of a till, for the rules of its receipts.
public enum ReceiptRegion: String, Hashable, Sendable, Codable, CaseIterable {
    case unitedStates = "us"
    case canada = "ca"
    case europeanUnion = "eu"
    case unitedKingdom = "uk"
    case australia = "au"
    case brazil = "br"
    case japan = "jp"
    case other

    /// The region of a country.
    ///
    /// - Parameter country: ISO 3166-1, numeric.
    public init(country: UInt16) {
        self =
            switch country {
            case 840: .unitedStates
            case 124: .canada
            case 826: .unitedKingdom
            case 36: .australia
            case 76: .brazil
            case 392: .japan
            case 40, 56, 100, 191, 196, 203, 208, 233, 246, 250, 276, 300, 348, 372, 380, 428, 440, 442, 470, 528, 616,
                620, 642, 703, 705, 724, 752:
                .europeanUnion
            default: .other
            }
    }
}

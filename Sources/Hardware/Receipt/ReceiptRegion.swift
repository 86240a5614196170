/// Where a till stands, as far as receipts differ by it.
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

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
}

public import Amounts
internal import CardSecrets
internal import SettingsFile

/// The magnetic stripe of a card, as a profile describes it.
public struct StripeProfile: Sendable {
    /// The digits of the PAN, one a byte: a test number.
    public var pan: SealedBytes
    public var expiry: CardDate
    /// Three digits; of a card with a chip the first one is 2 or 6.
    public var serviceCode: UInt16
    /// Track 1 has it, 2...26 characters.
    public var cardholderName: String
    /// ISO 3166 numeric: where the card may be used when its service code says that it is national.
    public var issuerCountry: UInt16
    public var currency: Currency
    /// Which of tracks 1 to 3 are written.
    public var tracks: Set<Int>
    public var fault: StripeFault?

    private static let keys = [
        "pan", "expiry", "serviceCode", "cardholderName", "issuerCountry", "currency", "tracks", "fault",
    ]

    /// Whatever the section leaves out is as in `application`. Without a section the stripe is that of the application,
    /// and a card without one has no stripe.
    ///
    /// - Returns: nil for a card without a stripe.
    /// - Throws: `SettingsError` with line and key.
    init?(_ node: SettingsNode?, application: ApplicationProfile?) throws(SettingsError) {
        guard let node else {
            guard let application else { return nil }
            self.init(application)
            return
        }
        if (try? node.text()) == "none" { return nil }
        try node.mapping(allowedKeys: Self.keys)
        if let application {
            self.init(application)
        } else {
            self.init(
                pan: try TestPAN.read(try node.required("pan")), expiry: try CardDate(try node.required("expiry")),
                issuerCountry: UInt16(try node.required("issuerCountry").int(in: 1...999)),
                currency: try node.required("currency").currency())
        }
        if let node = try node.optional("pan") { pan = try TestPAN.read(node) }
        if let node = try node.optional("expiry") { expiry = try CardDate(node) }
        if let node = try node.optional("issuerCountry") { issuerCountry = UInt16(try node.int(in: 1...999)) }
        if let node = try node.optional("currency") { currency = try node.currency() }
        if let node = try node.optional("serviceCode") { serviceCode = UInt16(try node.int(in: 0...999)) }
        if let node = try node.optional("cardholderName") { cardholderName = try Self.name(node) }
        if let node = try node.optional("tracks") {
            tracks = []
            for element in try node.list(count: 0...3) { tracks.insert(try element.int(in: 1...3)) }
        }
        fault = try node.optional("fault")?.choice(StripeFault.self)
    }

    private init(_ application: ApplicationProfile) {
        (pan, expiry, serviceCode) = (application.pan, application.expiry, application.serviceCode)
        (issuerCountry, currency) = (application.issuerCountry, application.currency)
        let name = application.cardholderName.map { $0.uppercased() }
        cardholderName = name.flatMap { Self.isOnStripes($0) ? $0 : nil } ?? Self.nobody
        (tracks, fault) = ([1, 2], nil)
    }

    /// The stripe of a card without a chip.
    private init(pan: SealedBytes, expiry: CardDate, issuerCountry: UInt16, currency: Currency) {
        (self.pan, self.expiry, self.issuerCountry, self.currency) = (pan, expiry, issuerCountry, currency)
        (serviceCode, cardholderName, tracks, fault) = (101, Self.nobody, [1, 2], nil)
    }

    private static let nobody = "CARDHOLDER/TEST"

    private static func name(_ node: SettingsNode) throws(SettingsError) -> String {
        let name = try node.text(length: 2...26)
        guard isOnStripes(name) else {
            throw node.error("a stripe has capital letters, digits and signs, without % ^ ? in a name")
        }
        return name
    }

    private static func isOnStripes(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x20...0x5F).contains($0) && ![0x25, 0x3F, 0x5E].contains($0) }
    }
}

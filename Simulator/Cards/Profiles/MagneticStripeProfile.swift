import CardSecrets
public import Money
import Settings
import Text

/// The magnetic stripe of a card profile.
public struct MagneticStripeProfile: Sendable {
    /// The digits of a test PAN, one per byte.
    public var pan: SealedBytes
    public var expiry: CardDate
    /// Three digits; the first is 2 or 6 for a card with a chip.
    public var serviceCode: UInt16
    /// The name on track 1, 2...26 characters.
    public var cardholderName: String
    /// An ISO 3166 numeric code: where a card with a national service code can be used.
    public var issuerCountry: UInt16
    public var currency: Currency
    /// The tracks that are written, of 1 to 3.
    public var tracks: Set<Int>
    public var fault: MagneticStripeFault?

    private static let keys = [
        "pan", "expiry", "serviceCode", "cardholderName", "issuerCountry", "currency", "tracks", "fault",
    ]

    /// Decodes the `stripe` section. Omitted values come from `application`. Without a section the stripe is that of
    /// the application, and a card without an application has no stripe.
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
        fault = try node.optional("fault")?.choice(MagneticStripeFault.self)
    }

    private init(_ application: ApplicationProfile) {
        (pan, expiry, serviceCode) = (application.pan, application.expiry, application.serviceCode)
        (issuerCountry, currency) = (application.issuerCountry, application.currency)
        let name = application.cardholderName.map { $0.uppercased() }
        cardholderName = name.flatMap { Self.isOnStripes($0) ? $0 : nil } ?? Self.defaultName
        (tracks, fault) = ([1, 2], nil)
    }

    /// Creates the stripe of a card without a chip.
    private init(pan: SealedBytes, expiry: CardDate, issuerCountry: UInt16, currency: Currency) {
        (self.pan, self.expiry, self.issuerCountry, self.currency) = (pan, expiry, issuerCountry, currency)
        (serviceCode, cardholderName, tracks, fault) = (101, Self.defaultName, [1, 2], nil)
    }

    private static let defaultName = "CARDHOLDER/TEST"

    private static func name(_ node: SettingsNode) throws(SettingsError) -> String {
        let name = try node.text(length: 2...26)
        guard isOnStripes(name) else {
            throw node.error("use only uppercase letters, digits, and signs, and no % ^ ? in a name")
        }
        return name
    }

    private static func isOnStripes(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x20...0x5F).contains($0) && ![0x25, 0x3F, 0x5E].contains($0) }
    }
}

/// A fault of a magnetic stripe.
public enum MagneticStripeFault: String, Hashable, Sendable, CaseIterable {
    /// The LRC is wrong.
    case redundancy
    /// One bit in the middle of every track is wrong, as after a scratch.
    case scratched
    /// The card verification value is wrong, as on a counterfeit stripe.
    case wrongVerificationValue

    /// Damages encoded characters.
    func damage(_ characters: inout [UInt8]) {
        switch self {
        case .redundancy:
            // Two bits change, so that the parity of the character stays correct.
            if let last = characters.last { characters[characters.count - 1] = last ^ 0x03 }
        case .scratched: if !characters.isEmpty { characters[characters.count / 2] ^= 0x01 }
        case .wrongVerificationValue: break
        }
    }
}

/// The secret data of a test card as plain text, for tests that search a program's output for leaks.
public struct CardSecretForms: Sendable {
    /// The digits of the PAN.
    public let accountNumber: String
    /// The expiry date in the forms that programs write: tag 5F24 in hexadecimal digits, and human-readable forms.
    /// Empty if the date is so near that it could mean something else.
    public let expiryForms: [String]

    init(pan: SealedBytes, expiry: CardDate) {
        accountNumber = pan.copy().map { String($0) }.joined()
        guard expiry.year >= 2030 else {
            expiryForms = []
            return
        }
        let month = (expiry.month < 10 ? "0" : "") + String(expiry.month)
        let digits = expiry.encoded.lowercaseHexadecimal
        expiryForms = ["5F2403\(digits)", "\(expiry.year)-\(month)", "\(month)/\(expiry.year)"]
    }
}

extension CardProfile {
    /// The secret data of each application and of the stripe.
    public var secrets: [CardSecretForms] {
        applications.map { CardSecretForms(pan: $0.pan, expiry: $0.expiry) }
            + (stripe.map { [CardSecretForms(pan: $0.pan, expiry: $0.expiry)] } ?? [])
    }
}

/// What is known of the card, the cardholder and the host's answer, as far as it may be kept.
///
/// There is no place here for a card number, a track, a PIN or a key. Every value is text as it is
/// printed on a receipt; card and host data are upper-case hexadecimal.
public struct PaymentDetails: Hashable, Sendable {
    /// The card scheme, for example `visa`.
    public var brand: String?
    /// The last four digits of the card number, exactly four.
    public var last4: String?
    /// How the card was read, for example `chip`.
    public var entryMode: String?
    /// How the cardholder was verified.
    public var cvm: String?
    /// The authorisation code (DE 38), up to six characters.
    public var authCode: String?
    /// The application's identifier (tag 4F), 5...16 bytes.
    public var aid: String?
    /// The name of the application (tag 9F12 or 50).
    public var applicationName: String?
    /// Terminal verification results (tag 95), 5 bytes.
    public var tvr: String?
    /// Transaction status information (tag 9B), 2 bytes.
    public var tsi: String?
    /// The application cryptogram (tag 9F26), 8 bytes.
    public var cryptogram: String?
    /// The kind of the cryptogram: `TC`, `ARQC` or `AAC`.
    public var cryptogramType: String?
    /// The method of offline data authentication, or that none was performed.
    public var odaMethod: String?
    /// What offline data authentication found.
    public var odaResult: String?
    /// Why offline data authentication failed, in words.
    public var odaReason: String?
    /// The authorisation response code (tag 8A, DE 39), two characters.
    public var arc: String?
    /// The host's own reference (DE 37), 12 characters.
    public var hostReference: String?
    /// The application transaction counter (tag 9F36), 2 bytes.
    public var atc: String?
    /// Why the payment was declined.
    public var declineReason: String?
    /// The code of the error that ended the payment.
    public var errorCode: String?
    /// The error in words. Runs of digits as long as a card number are masked when it is stored.
    public var errorMessage: String?

    public init() {}

    /// These details with everything that `newer` knows written over them.
    public func merging(_ newer: PaymentDetails) -> PaymentDetails {
        var merged = self
        for (_, field) in Self.columns {
            if let value = newer[keyPath: field] { merged[keyPath: field] = value }
        }
        return merged
    }

    // One table for reading, writing and merging, so that no field can be forgotten in one of them.
    static let columns: [(name: String, field: any WritableKeyPath<PaymentDetails, String?> & Sendable)] = [
        ("brand", \.brand), ("last4", \.last4), ("entryMode", \.entryMode), ("cvm", \.cvm),
        ("authCode", \.authCode), ("aid", \.aid), ("applicationName", \.applicationName), ("tvr", \.tvr),
        ("tsi", \.tsi), ("cryptogram", \.cryptogram), ("cryptogramType", \.cryptogramType),
        ("odaMethod", \.odaMethod), ("odaResult", \.odaResult), ("odaReason", \.odaReason), ("arc", \.arc),
        ("hostReference", \.hostReference), ("atc", \.atc), ("declineReason", \.declineReason),
        ("errorCode", \.errorCode), ("errorMessage", \.errorMessage),
    ]
}

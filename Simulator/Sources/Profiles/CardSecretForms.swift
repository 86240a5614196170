/// What must not be told of a test card, in the open, for whoever looks for it in what a program has written.
public struct CardSecretForms: Sendable {
    /// The digits of the PAN.
    public let accountNumber: String
    /// The expiry date as programs write it: the data object of tag 5F24 in hexadecimal digits, and what people read.
    /// Empty for a date so near that it may stand for something else.
    public let expiryForms: [String]

    init(pan: SealedBytes, expiry: CardDate) {
        accountNumber = pan.copy().map { String($0) }.joined()
        guard expiry.year >= 2030 else {
            expiryForms = []
            return
        }
        let month = (expiry.month < 10 ? "0" : "") + String(expiry.month)
        let digits = expiry.encoded.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        expiryForms = ["5F2403\(digits)", "\(expiry.year)-\(month)", "\(month)/\(expiry.year)"]
    }
}

extension CardProfile {
    /// What must not be told of the card, for each of its applications and its stripe.
    public var secrets: [CardSecretForms] {
        applications.map { CardSecretForms(pan: $0.pan, expiry: $0.expiry) }
            + (stripe.map { [CardSecretForms(pan: $0.pan, expiry: $0.expiry)] } ?? [])
    }
}

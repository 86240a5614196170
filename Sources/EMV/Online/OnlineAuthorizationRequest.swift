public import CardSecrets
public import SmartCard

/// What goes to the issuer: card data under one owner, and the ICC data of DE 55.
public struct OnlineAuthorizationRequest: ~Copyable, Sendable {
    /// Tag 5A
    public let pan: PrimaryAccountNumber
    /// Tag 57 as the card gave it; nil when the card has none.
    public let trackTwo: SensitiveBytes?
    /// Tag 5F34
    public let panSequenceNumber: UInt8?
    /// Tag 5F24, YYMM in BCD, two bytes: DE 14.
    public let expiry: [UInt8]
    /// The ICC data of DE 55 as data objects: cryptogram and everything that went into it. Never 5A or 57.
    public let iccData: [BERTLV]
    /// The cardholder's PIN as an enciphered block, when the CVM is online PIN.
    public let pinBlock: EncipheredPINBlock?

    public init(
        pan: consuming PrimaryAccountNumber, trackTwo: consuming SensitiveBytes?, panSequenceNumber: UInt8?,
        expiry: [UInt8], iccData: [BERTLV], pinBlock: EncipheredPINBlock?
    ) {
        self.pan = pan
        self.trackTwo = trackTwo
        self.panSequenceNumber = panSequenceNumber
        self.expiry = expiry
        self.iccData = iccData
        self.pinBlock = pinBlock
    }
}

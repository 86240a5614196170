/// The card's answer to GENERATE AC (EMV Book 3 §6.5.5).
public struct CardCryptogram: Hashable, Sendable {
    /// TC, ARQC or AAC
    public let type: CryptogramType
    /// Tag 9F27
    public let information: CryptogramInformationData
    /// Tag 9F36: application transaction counter.
    public let counter: UInt16
    /// Tag 9F26: 8 bytes.
    public let value: [UInt8]
    /// Tag 9F10: 0...32 bytes.
    public let issuerApplicationData: [UInt8]
}

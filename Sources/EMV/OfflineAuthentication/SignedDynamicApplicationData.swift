/// The card's own signature (tag 9F4B): over data of the terminal (DDA, EMV Book 2 §6.5.2), or also over its
/// cryptogram (CDA, EMV Book 2 §6.6.2).
public struct SignedDynamicApplicationData: Hashable, Sendable {
    /// What a card signs in CDA.
    public struct Combined: Hashable, Sendable {
        /// Must be the tag 9F27 of the answer.
        public let information: CryptogramInformationData
        /// Tag 9F26: 8 bytes.
        public let cryptogram: [UInt8]
        /// SHA-1 over what the terminal sent in this transaction and the card's answer, 20 bytes.
        public let transactionDataHash: [UInt8]
    }

    /// ICC dynamic number (9F4C), 2...8 bytes.
    public let dynamicNumber: [UInt8]
    /// The part that CDA adds; nil when there is none.
    public let combined: Combined?

    /// Opens the signature and checks everything but what it says of the cryptogram.
    ///
    /// - Parameters:
    ///   - encoded: tag 9F4B, as long as the card's modulus.
    ///   - key: the card's recovered key.
    ///   - terminalData: what the card was to sign: in DDA the filled DDOL, in CDA the unpredictable number (9F37).
    /// - Throws: ``SignedApplicationDataError``
    public init(
        opening encoded: [UInt8], key: ICCPublicKey, terminalData: [UInt8]
    ) throws(SignedApplicationDataError) {
        let signed = try SignedRecoverableData(opening: encoded, .dynamic, key: key.key, rest: terminalData)
        let content = signed.content.dropFirst(2)
        let malformed = SignedApplicationDataError(.dynamic, .dynamicData)
        guard let length = content.first, content.count > length else { throw malformed }
        let data = content.dropFirst().prefix(Int(length))
        guard let count = data.first, (2...8).contains(count), data.count > count else { throw malformed }
        dynamicNumber = Array(data.dropFirst().prefix(Int(count)))
        let rest = data.dropFirst(1 + Int(count))
        combined =
            if let information = rest.first, rest.count >= 29 {
                Combined(
                    information: CryptogramInformationData(rawValue: information),
                    cryptogram: Array(rest.dropFirst().prefix(8)),
                    transactionDataHash: Array(rest.dropFirst(9).prefix(20)))
            } else {
                nil
            }
    }
}

/// The issuer's signature over the card's static data (tag 93; EMV Book 2 §5.4).
public struct SignedStaticApplicationData: Hashable, Sendable {
    /// Data authentication code (9F45), 2 bytes.
    public let dataAuthenticationCode: [UInt8]

    /// Opens the signature and makes every check of EMV Book 2 §5.4.
    ///
    /// - Parameters:
    ///   - encoded: tag 93, as long as the issuer's modulus.
    ///   - issuer: the issuer's recovered key.
    ///   - staticData: the static data to be authenticated (EMV Book 3 §10.3).
    /// - Throws: ``SignedApplicationDataError``
    public init(
        opening encoded: [UInt8], issuer: IssuerPublicKey, staticData: [UInt8]
    ) throws(SignedApplicationDataError) {
        let signed = try SignedRecoverableData(opening: encoded, .static, key: issuer.key, rest: staticData)
        dataAuthenticationCode = Array(signed.content.dropFirst(2).prefix(2))
    }
}

/// How the attempt to go online ended.
public enum OnlineAuthorizationResult: Hashable, Sendable {
    /// The issuer answered.
    case answered(IssuerAnswer)
    /// No answer came, or nothing could be sent (EMV Book 3 §10.9: "unable to go online").
    case unableToGoOnline
}

/// The issuer's answer (DE 39, DE 38 and the ICC data of DE 55).
public struct IssuerAnswer: Hashable, Sendable {
    /// Tag 8A, two ASCII characters: `00`, `10`, `11` approve; `01`, `02` refer; others decline.
    public var authorisationResponseCode: [UInt8]
    /// DE 38, up to six characters; nil when declined.
    public var authorisationCode: String?
    /// Tag 91, 8...16 bytes: issuer authentication data.
    public var issuerAuthenticationData: [UInt8]?
    /// The value fields of the issuer script templates 71, in the order in which they came.
    public var scriptsBeforeFinal: [[UInt8]]
    /// The value fields of the issuer script templates 72.
    public var scriptsAfterFinal: [[UInt8]]

    public init(
        authorisationResponseCode: [UInt8], authorisationCode: String? = nil, issuerAuthenticationData: [UInt8]? = nil,
        scriptsBeforeFinal: [[UInt8]] = [], scriptsAfterFinal: [[UInt8]] = []
    ) {
        (self.authorisationResponseCode, self.authorisationCode) = (authorisationResponseCode, authorisationCode)
        self.issuerAuthenticationData = issuerAuthenticationData
        (self.scriptsBeforeFinal, self.scriptsAfterFinal) = (scriptsBeforeFinal, scriptsAfterFinal)
    }
}

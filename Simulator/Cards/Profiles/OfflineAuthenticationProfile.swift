public import EMV
import Settings
import SmartCard

/// The card's offline data authentication (EMV Book 2 §5, §6, and §12).
public struct OfflineAuthenticationProfile: Hashable, Sendable {
    /// A method of offline data authentication that the card supports.
    public enum Method: String, Hashable, Sendable, CaseIterable {
        /// Static data authentication: the issuer's signature over static data, tag 93.
        case sda
        /// Dynamic data authentication: the card's signature by INTERNAL AUTHENTICATE.
        case dda
        /// Combined data authentication: the card's signature with an application cryptogram.
        case cda
        /// Extended data authentication: the card's signature on an elliptic curve with an application cryptogram. It
        /// goes with no other method, because a card has certificates of one kind.
        case xda
    }

    /// The source of the ICC dynamic number (tag 9F4C), which makes each dynamic signature unique.
    public enum DynamicNumber: String, Hashable, Sendable, CaseIterable {
        /// Eight random bytes.
        case random
        /// The two bytes of the ATC.
        case counter
    }

    /// The one thing wrong with the card.
    public enum Fault: String, Hashable, Sendable, CaseIterable {
        /// The signature over static data (93) has a wrong hash.
        case staticSignature
        /// The static data differ from what the issuer signed.
        case staticData
        /// The card's signatures (9F4B) have a wrong hash.
        case dynamicSignature
        /// The card's key is certified for another PAN.
        case otherAccount
        /// The issuer's key is certified for another issuer.
        case otherIssuer
        /// The card refers to a certification authority public key (index 8F) that no terminal has.
        case unknownAuthority
        /// The remainder of the last certified key is missing (9F48; 92 for a card without a key).
        case missingRemainder
        /// The issuer's certificate uses an unknown hash algorithm.
        case hashAlgorithm
        /// The card does not sign although the terminal asked for a signature.
        case unsigned
        /// No point of the curve has the x of the card's certified key.
        case pointNotOnCurve
        /// The private key of the card's certified key is one, so everybody knows it.
        case knownPrivateKey
    }

    /// Empty if the keys are for PINs only.
    public var methods: Set<Method>
    /// The curve of authority and issuer for XDA. The card signs on P-256.
    public var certificates: CertificateSuite
    public var keySizes: CardKeySizes
    /// The expiry month of the issuer's certificate.
    public var issuerExpiry: CardMonth
    /// The expiry month of the card's certificates.
    public var iccExpiry: CardMonth
    /// Whether the issuer's certificate is on the payment system's revocation list.
    public var isRevoked: Bool
    /// Tag 9F49: the terminal data for INTERNAL AUTHENTICATE; empty if the card has none.
    public var ddol: CardDataObjectList
    /// Tag 9F4A; nil if absent.
    public var staticDataTagList: [UInt8]?
    /// The data authentication code (tag 9F45), two bytes in the signature over static data.
    public var dataAuthenticationCode: [UInt8]
    public var dynamicNumber: DynamicNumber
    public var fault: Fault?

    /// Whether the card has its own RSA key for signatures.
    public var signsDynamically: Bool { methods.contains(.dda) || methods.contains(.cda) }

    private static let keys = [
        "methods", "certificates", "keys", "exponent", "issuerExpiry", "iccExpiry", "revoked", "ddol",
        "staticDataTagList",
        "dataAuthenticationCode", "dynamicNumber", "fault",
    ]

    init(_ node: SettingsNode) throws(SettingsError) {
        try node.mapping(allowedKeys: Self.keys)
        methods = []
        for method in try node.required("methods").list(count: 0...3) { methods.insert(try method.choice(Method.self)) }
        certificates = try node.optional("certificates")?.choice(of: ["p256": .p256, "p521": .p521]) ?? .p256
        keySizes = try CardKeySizes(try node.optional("keys"), exponent: try node.optional("exponent"))
        issuerExpiry = try CardMonth(try node.optional("issuerExpiry"))
        iccExpiry = try CardMonth(try node.optional("iccExpiry"))
        isRevoked = try node.optional("revoked")?.bool() ?? false
        ddol = try CardDataObjectList(try node.optional("ddol"))
        staticDataTagList = try node.optional("staticDataTagList")?.hex(length: 1...16)
        dataAuthenticationCode = try node.optional("dataAuthenticationCode")?.hex(length: 2) ?? [0xDA, 0xC0]
        dynamicNumber = try node.optional("dynamicNumber")?.choice(DynamicNumber.self) ?? .random
        fault = try node.optional("fault")?.choice(Fault.self)
        try check(node)
    }

    /// Checks rules that involve several values.
    private func check(_ node: SettingsNode) throws(SettingsError) {
        if methods.contains(.xda), methods.count > 1 {
            throw try node.required("methods").error(
                "a card has certificates of one kind, and 'xda' needs those on an elliptic curve",
                fix: "leave out the other methods")
        }
        let keyNode = try node.optional("keys") ?? node
        // Tag, length, and 247 bytes fill a record.
        if signsDynamically, keySizes.issuer > 1976 {
            throw keyNode.error(
                "a certificate by an issuer key of \(keySizes.issuer) bits is longer than a record",
                fix: "use an issuer key of at most 1976 bits, or only 'sda'")
        }
        // The answer also contains cryptogram information data, ATC, and up to 32 bytes of issuer application data.
        if methods.contains(.cda), keySizes.icc > 1640 {
            throw keyNode.error(
                "a signature of \(keySizes.icc) bits does not fit in the answer to GENERATE AC",
                fix: "use a card key of at most 1640 bits, or leave out 'cda'")
        }
        guard let fault, let faultNode = try node.optional("fault") else { return }
        let isPossible =
            switch fault {
            case .staticSignature: methods.contains(.sda)
            case .staticData, .otherIssuer, .unknownAuthority: !methods.isEmpty
            case .hashAlgorithm: !methods.isEmpty && !methods.contains(.xda)
            case .dynamicSignature: signsDynamically || methods.contains(.xda)
            case .unsigned, .pointNotOnCurve, .knownPrivateKey: methods.contains(.xda)
            case .otherAccount: signsDynamically
            case .missingRemainder:
                signsDynamically
                    ? keySizes.icc > keySizes.issuer - CardCertificates.iccOverhead * 8
                    : methods.contains(.sda)
                        && keySizes.issuer > keySizes.certificationAuthority - CardCertificates.issuerOverhead * 8
            }
        guard isPossible else {
            throw faultNode.error("'\(fault.rawValue)' has no effect with these methods and keys")
        }
    }
}

extension CardDataObjectList {
    /// Decodes a DDOL: only the unpredictable number by default.
    fileprivate init(_ node: SettingsNode?) throws(SettingsError) {
        if let node {
            try self.init(node)
        } else {
            self = .unpredictableNumber
        }
    }

    private static let unpredictableNumber = CardDataObjectList(
        entries: [Entry(tag: 0x9F37, length: 4)], encoded: [0x9F, 0x37, 0x04])
}

internal import SettingsFile
internal import SmartCard

/// How a card lets terminals authenticate it without its issuer (EMV Book 2 §5 and §6).
public struct OfflineAuthenticationProfile: Hashable, Sendable {
    public enum Method: String, Hashable, Sendable, CaseIterable {
        /// The issuer's signature over static data, tag 93.
        case sda
        /// The card's signature, by INTERNAL AUTHENTICATE.
        case dda
        /// The card's signature with an application cryptogram.
        case cda
    }

    /// Where the number comes from that makes each dynamic signature another one (tag 9F4C).
    public enum DynamicNumber: String, Hashable, Sendable, CaseIterable {
        /// Eight random bytes.
        case random
        /// The two bytes of the application transaction counter.
        case counter
    }

    /// What is wrong with a card that is otherwise right.
    public enum Fault: String, Hashable, Sendable, CaseIterable {
        /// The signature over static data (93) has another hash.
        case staticSignature
        /// Static data is not what the issuer signed.
        case staticData
        /// The card's own signatures (9F4B) have another hash.
        case dynamicSignature
        /// The card's key is certified for another account number.
        case otherAccount
        /// The issuer's key is certified for another issuer.
        case otherIssuer
        /// The card names a certification authority's key (8F) that no terminal has.
        case unknownAuthority
        /// The remainder of the last certified key (9F48; 92 when the card has none) is not on the card.
        case missingRemainder
        /// The issuer's certificate names an unknown hash algorithm.
        case hashAlgorithm
    }

    /// Empty when the keys are for PINs only.
    public var methods: Set<Method>
    public var keySizes: CardKeySizes
    /// The last month of the issuer's certificate.
    public var issuerExpiry: CardMonth
    /// The last month of the certificates of the card's keys.
    public var iccExpiry: CardMonth
    /// The issuer's certificate is on the payment system's revocation list.
    public var isRevoked: Bool
    /// Tag 9F49: what the terminal sends with INTERNAL AUTHENTICATE; empty when the card has none.
    public var ddol: CardDataObjectList
    /// Tag 9F4A; nil when there is none.
    public var staticDataTagList: [UInt8]?
    /// Data authentication code (tag 9F45), two bytes in the signature over static data.
    public var dataAuthenticationCode: [UInt8]
    public var dynamicNumber: DynamicNumber
    public var fault: Fault?

    /// The card has a key of its own to sign with.
    public var signsDynamically: Bool { methods.contains(.dda) || methods.contains(.cda) }

    private static let keys = [
        "methods", "keys", "exponent", "issuerExpiry", "iccExpiry", "revoked", "ddol", "staticDataTagList",
        "dataAuthenticationCode", "dynamicNumber", "fault",
    ]

    init(_ node: SettingsNode) throws(SettingsError) {
        try node.mapping(allowedKeys: Self.keys)
        methods = []
        for method in try node.required("methods").list(count: 0...3) { methods.insert(try method.choice(Method.self)) }
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

    /// What one value alone does not show.
    private func check(_ node: SettingsNode) throws(SettingsError) {
        let keyNode = try node.optional("keys") ?? node
        // Tag, length and 247 bytes fill a record.
        if signsDynamically, keySizes.issuer > 1976 {
            throw keyNode.error(
                "a certificate by an issuer's key of \(keySizes.issuer) bits fills more than a record",
                fix: "give the issuer at most 1976 bits, or the card 'sda' only")
        }
        // The answer also holds cryptogram information, counter and up to 32 bytes of issuer application data.
        if methods.contains(.cda), keySizes.icc > 1640 {
            throw keyNode.error(
                "a signature of \(keySizes.icc) bits does not fit in the answer to GENERATE AC",
                fix: "give the card at most 1640 bits, or leave 'cda' out")
        }
        guard let fault, let faultNode = try node.optional("fault") else { return }
        let isPossible =
            switch fault {
            case .staticSignature: methods.contains(.sda)
            case .staticData, .otherIssuer, .unknownAuthority, .hashAlgorithm: !methods.isEmpty
            case .dynamicSignature, .otherAccount: signsDynamically
            case .missingRemainder:
                signsDynamically
                    ? keySizes.icc > keySizes.issuer - CardCertificates.iccOverhead * 8
                    : methods.contains(.sda)
                        && keySizes.issuer > keySizes.certificationAuthority - CardCertificates.issuerOverhead * 8
            }
        guard isPossible else {
            throw faultNode.error("'\(fault.rawValue)' cannot be wrong with these methods and keys")
        }
    }
}

extension CardDataObjectList {
    /// A DDOL: the unpredictable number alone, unless the profile says otherwise.
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

import ContactlessKernel8
public import EMV
import Settings
public import SmartCard

/// The contactless side of a card profile: one application for kernel 8, with the account of the first application.
///
/// `docs/card-profiles.md` describes the section `contactless`.
public struct ContactlessProfile: Hashable, Sendable {
    /// The card's answer to GENERATE AC, never a higher one than the terminal asks for.
    public enum Decision: String, Hashable, Sendable, CaseIterable {
        /// ARQC.
        case online
        /// TC; the card is offline capable.
        case offline
        /// AAC.
        case decline
    }

    /// A verification of the cardholder above the terminal's limit.
    public enum Verification: String, Hashable, Sendable, CaseIterable {
        /// The device has verified its owner.
        case device
        case onlinePIN, signature

        /// The cardholder verification decision (tag 9F8102).
        var code: UInt8 {
            switch self {
            case .signature: 0x01
            case .onlinePIN: 0x02
            case .device: 0x03
            }
        }

        /// The bit of the terminal's capability (tag 9F1D byte 1).
        var capability: UInt8 {
            switch self {
            case .signature: 0x20
            case .onlinePIN: 0x40
            case .device: 0x04
            }
        }
    }

    /// The one thing wrong with the card.
    public enum Fault: String, Hashable, Sendable, CaseIterable {
        /// The issuer's certificate (90), or the card's (9F46), ended in 2020.
        case expiredIssuerCertificate, expiredCardCertificate
        /// 8F is FF, a key that no terminal has.
        case unknownAuthority
        /// 90 is for another issuer.
        case otherIssuer
        /// 9F46 has the hash of other data.
        case staticData
        /// The enciphered blinding factor is not that of the key.
        case blindingFactor
        /// No point of the curve has the blinded key.
        case blindedKey
        /// The key data (9F8103) have 63 bytes.
        case keyLength
        /// The records are enciphered with the number after the right one.
        case counter
        /// The EDA-MAC (9F8105) is wrong.
        case edaMAC
        /// The card answers with a TC whatever was asked.
        case higherCryptogram
        /// The restart indicator (9F8108) has one byte.
        case restartLength
        /// A record has 5F34 once more, with another value.
        case duplicateObject
        /// A record has 9F02, which is the terminal's.
        case terminalObject
        /// Track 2 equivalent data (57) are of another account than 5A.
        case otherTrack
        /// The MACs of READ DATA and WRITE DATA are wrong.
        case envelopeMAC
    }

    /// The times that the card names in relay resistance, in units of 100 µs, and the time that it takes.
    public struct RelayResistance: Hashable, Sendable {
        public var minimum: UInt16
        public var maximum: UInt16
        /// The time for the transmission of its answer.
        public var transmission: UInt16
        /// The time until the answer, in units of 100 µs.
        public var takes: UInt16
    }

    /// Tags 4F and 84, 5...16 bytes.
    public var aid: [UInt8]
    /// Tag 50.
    public var label: String
    /// Tag 5F2D; nil if absent.
    public var languages: String?
    public var decision: Decision
    /// The methods above the terminal's limit, the preferred one first; the first that the terminal has counts.
    public var verification: [Verification]
    /// Whether the owner of the device has to unlock it after a first tap.
    public var isLocked: Bool
    /// Whether the owner unlocks the device between two taps.
    public var isUnlockedByOwner: Bool
    /// Tag 9F8108, with a decline; nil if absent.
    public var restart: [UInt8]?
    /// AIP byte 1, 01; the card then has certificates.
    public var authenticatesLocally: Bool
    /// The curve of authority and issuer.
    public var certificates: CertificateSuite
    /// Whether records are in template DA, and not 70.
    public var enciphersRecords: Bool
    /// AIP byte 2, 01; nil without relay resistance.
    public var relayResistance: RelayResistance?
    /// The secure channels that the card offers (9F2C bytes 2 to 4), three bytes.
    public var suites: [UInt8]
    /// Data envelopes with a value, by tag (9F8111...9F811A).
    public var envelopes: [BERTag: [UInt8]]
    /// Tag 9F38.
    public var pdol: CardDataObjectList
    /// Tag 8C.
    public var cdol1: CardDataObjectList
    /// Tag 9F810A, a list of tags; nil if absent.
    public var extendedTags: [UInt8]?
    public var fault: Fault?
    /// The faults in the field; nil for those of the card's chip.
    public var faults: [CardFault]?

    /// The application interchange profile (tag 82). The IAD-MAC goes to the default offset of the kernel.
    public var interchangeProfile: [UInt8] {
        [
            authenticatesLocally ? 0x01 : 0x00,
            0x02 | (decision == .offline ? 0x08 : 0x00) | (relayResistance == nil ? 0x00 : 0x01),
        ]
    }

    /// The payment system of the application, 5 bytes.
    var rid: [UInt8] { Array(aid.prefix(5)) }

    private static let keys = [
        "aid", "label", "languages", "decision", "verification", "locked", "unlocks", "restart", "localAuthentication",
        "certificates", "enciphersRecords", "relayResistance", "suites", "envelopes", "pdol", "cdol1", "extendedTags",
        "fault", "faults",
    ]

    /// Decodes the section `contactless`.
    ///
    /// - Throws: `SettingsError` with line and key.
    init(_ node: SettingsNode, label defaultLabel: String) throws(SettingsError) {
        try node.mapping(allowedKeys: Self.keys)
        aid = try node.optional("aid")?.hex(length: 5...16) ?? [0xF0, 0x00, 0x00, 0x00, 0x08, 0x01, 0x01]
        label = try node.optional("label")?.printable(length: 1...16) ?? defaultLabel
        languages = try node.optional("languages")?.languageList()
        decision = try node.optional("decision")?.choice(Decision.self) ?? .online
        verification = []
        for method in try node.optional("verification")?.list(count: 0...3) ?? [] {
            verification.append(try method.choice(Verification.self))
        }
        isLocked = try node.optional("locked")?.bool() ?? false
        isUnlockedByOwner = try node.optional("unlocks")?.bool() ?? true
        restart = try node.optional("restart")?.hex(length: 2...5)
        authenticatesLocally = try node.optional("localAuthentication")?.bool() ?? true
        certificates = try node.optional("certificates")?.choice(of: ["p256": .p256, "p521": .p521]) ?? .p256
        enciphersRecords = try node.optional("enciphersRecords")?.bool() ?? true
        relayResistance = try node.optional("relayResistance").map { (node) throws(SettingsError) in
            try RelayResistance(node)
        }
        suites = try node.optional("suites")?.hex(length: 3) ?? [0x00, 0xFF, 0xFF]
        envelopes = try Self.envelopes(try node.optional("envelopes"))
        pdol =
            try node.optional("pdol").map { (node) throws(SettingsError) in try CardDataObjectList(node) }
            ?? Self.standardPDOL
        cdol1 =
            try node.optional("cdol1").map { (node) throws(SettingsError) in try CardDataObjectList(node) }
            ?? Self.standardCDOL1
        extendedTags = try node.optional("extendedTags").map { (node) throws(SettingsError) in try Self.tags(node) }
        fault = try node.optional("fault")?.choice(Fault.self)
        faults = try node.optional("faults").map { (node) throws(SettingsError) in
            var faults: [CardFault] = []
            for element in try node.list(count: 0...32) { faults.append(try CardFault(element)) }
            return faults
        }
        try check(node)
    }

    /// Reads tags: a list of them, or their digits one behind the other.
    private static func tags(_ node: SettingsNode) throws(SettingsError) -> [UInt8] {
        guard node.kind == .list else {
            let bytes = try node.hex(length: 1...longestTagList)
            try check(bytes, node)
            return bytes
        }
        var bytes: [UInt8] = []
        for element in try node.list(count: 1...longestTagList) {
            let tag = try element.hex(length: 1...4)
            guard try check(tag, element) == 1 else { throw element.error("not one tag") }
            bytes += tag
        }
        guard bytes.count <= longestTagList else { throw node.error("more than \(longestTagList) bytes of tags") }
        return bytes
    }

    /// The most bytes of an extended SDA tag list that a record of this card has room for.
    private static let longestTagList = 16

    /// Returns the number of tags.
    @discardableResult
    private static func check(_ bytes: [UInt8], _ node: SettingsNode) throws(SettingsError) -> Int {
        do throws(BERTLVError) { return try StaticDataHash.tags(in: bytes).count } catch {
            throw node.error("no list of tags: a tag is cut off or too long", fix: "write [50, 84]")
        }
    }

    /// Checks rules that involve several values.
    private func check(_ node: SettingsNode) throws(SettingsError) {
        guard pdol.entries.contains(where: { $0.tag == Kernel8Tag.kernelKeyData && $0.length == 64 }) else {
            throw (try node.optional("pdol") ?? node).error("the PDOL does not request 9E with 64 bytes")
        }
        for wanted in ApplicationCryptogram.Input.terminalDataObjects
        where !cdol1.entries.contains(where: { $0.tag == wanted.tag && $0.length == wanted.count }) {
            throw (try node.optional("cdol1") ?? node).error(
                "CDOL1 does not request \(wanted.tag) with \(wanted.count) bytes, which the cryptogram needs")
        }
        if isLocked, !verification.contains(.device) {
            throw (try node.optional("locked") ?? node).error(
                "only a device can be locked", fix: "name 'device' in 'verification'")
        }
        if fault == .restartLength, restart == nil {
            throw (try node.optional("fault") ?? node).error("there is no restart indicator", fix: "add 'restart'")
        }
    }

    private static func envelopes(_ node: SettingsNode?) throws(SettingsError) -> [BERTag: [UInt8]] {
        var envelopes: [BERTag: [UInt8]] = [:]
        for element in try node?.list(count: 1...10) ?? [] {
            try element.mapping(allowedKeys: ["tag", "value"])
            let tagNode = try element.required("tag")
            let tag = BERTag(rawValue: try tagNode.hex(length: 3).reduce(0) { $0 << 8 | UInt32($1) })
            guard DataEnvelope.tags.contains(tag) else {
                throw tagNode.error("no data envelope", fix: "use 9F8111 to 9F811A")
            }
            guard envelopes.updateValue(try element.required("value").hex(length: 0...243), forKey: tag) == nil else {
                throw tagNode.error("\(tag) is already defined")
            }
        }
        return envelopes
    }

    /// 9F2B, 9E, 9F02, 9F1A, 9F35.
    private static let standardPDOL = CardDataObjectList([
        (0x9F2B, 8), (0x9E, 64), (0x9F02, 6), (0x9F1A, 2), (0x9F35, 1),
    ])

    /// What the cryptogram covers, and the capabilities of the terminal (9F33, 9F1D).
    private static let standardCDOL1 = CardDataObjectList(
        ApplicationCryptogram.Input.terminalDataObjects.map { ($0.tag, $0.count) } + [(0x9F33, 3), (0x9F1D, 8)])
}

extension ContactlessProfile.RelayResistance {
    init(_ node: SettingsNode) throws(SettingsError) {
        try node.mapping(allowedKeys: ["minimum", "maximum", "transmission", "takes"])
        func time(_ key: String, _ standard: UInt16) throws(SettingsError) -> UInt16 {
            UInt16(try node.optional(key)?.int(in: 0...65_535) ?? Int(standard))
        }
        minimum = try time("minimum", 0)
        maximum = try time("maximum", 60)
        transmission = try time("transmission", 24)
        takes = try time("takes", 60)
    }
}

extension CardDataObjectList {
    fileprivate init(_ entries: [(tag: BERTag, length: Int)]) {
        self.init(
            entries: entries.map { Entry(tag: $0.tag, length: $0.length) },
            encoded: entries.flatMap { $0.tag.bytes + [UInt8(truncatingIfNeeded: $0.length)] })
    }
}

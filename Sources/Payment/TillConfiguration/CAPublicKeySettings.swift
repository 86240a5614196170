import Determinism
public import EMV
public import Settings
import Text

/// One public key of a payment system, from a configuration or a key file.
struct CAPublicKeySettings {
    let key: AuthorityKey

    /// Published lists use `sha1` and `expiry` for `checksum` and `expires`. They also contain the modulus length in
    /// `bits`, and whether the hash was correct at their source, which is checked here.
    private static let keys = [
        "rid", "index", "bits", "modulus", "exponent", "checksum", "sha1", "expires", "expiry", "hash_in_source_ok",
    ]

    /// The keys for the checksum.
    static let checksumKeys = ["checksum", "sha1"]

    /// Whether the source states a checksum, which then is correct.
    let hasChecksum: Bool

    /// - Parameters:
    ///   - node: the key.
    ///   - requiresChecksum: whether a key without a checksum is refused.
    /// - Throws: ``SettingsFile/SettingsError`` with the location of the error.
    init(_ node: SettingsNode, requiresChecksum: Bool) throws(SettingsError) {
        for mark in EllipticKeySettings.marks where try node.optional(mark) != nil {
            let settings = try EllipticKeySettings(node, requiresChecksum: requiresChecksum)
            (key, hasChecksum) = (.elliptic(settings.key), settings.isVerified)
            return
        }
        try node.mapping(allowedKeys: Self.keys + EllipticKeySettings.marks)
        let given = (
            rid: try node.optional("rid")?.hex(length: 5), index: try node.optional("index")?.hex(length: 1),
            modulus: try node.optional("modulus")?.hex(length: 64...248),
            exponent: try node.optional("exponent")?.hex(length: 1...3)
        )
        let checksumKey = try Self.name("checksum", or: "sha1", in: node)
        let checksum = try node.optional(checksumKey)?.hex(length: 20)
        hasChecksum = checksum != nil
        let expires = try node.optional(try Self.name("expires", or: "expiry", in: node))?.date()
        let rid = try node.required("rid", given.rid)
        let index = try node.required("index", given.index)
        let modulus = try node.required("modulus", given.modulus)
        let exponent = try node.required("exponent", given.exponent)
        if requiresChecksum { _ = try node.required(checksumKey, checksum) }
        if let bits = try node.optional("bits"), try bits.int(in: 512...1984) != modulus.count * 8 {
            throw bits.error("the modulus has \(modulus.count * 8) bits")
        }
        do throws(CAPublicKeyError) {
            key = .rsa(
                try CAPublicKey(
                    rid: rid, index: index.first ?? 0, modulus: modulus, exponent: exponent, checksum: checksum,
                    expiry: expires))
        } catch {
            let key =
                switch error {
                case .ridLength: "rid"
                case .modulusLength, .cryptography: "modulus"
                case .exponent: "exponent"
                case .checksumMismatch: checksumKey
                }
            throw (try node.required(key)).error(error.description)
        }
    }

    /// Returns which of two alternative keys is present; the first when neither is.
    static func name(
        _ first: String, or second: String, in node: SettingsNode
    ) throws(SettingsError) -> String {
        guard let value = try node.optional(second) else { return first }
        guard try node.optional(first) == nil else {
            throw value.error("'\(first)' has the same meaning", fix: "remove one of them")
        }
        return second
    }
}

/// The payment systems' public keys of a terminal, and where each of them was read (EMV Book 2 §11.2.1, Book 4 §10.2).
///
/// The checksum of every key that has one has been verified; a till accepts no key without one. A key may occur in
/// several files, but only with the same value.
public struct CAPublicKeyStore: Hashable, Sendable {
    /// A key and its location.
    public struct Entry: Hashable, Sendable {
        public let key: AuthorityKey
        /// The first location of the key.
        public let location: SettingsLocation
        /// Whether the source states a checksum.
        public let hasChecksum: Bool
    }

    /// The keys with their locations, in the order in which they were read.
    public let entries: [Entry]

    /// The RSA keys without their locations.
    public var keys: [CAPublicKey] {
        entries.compactMap { if case .rsa(let key) = $0.key { key } else { nil } }
    }

    /// The keys on elliptic curves without their locations.
    public var ellipticKeys: [ECCAuthorityKey] {
        entries.compactMap { if case .elliptic(let key) = $0.key { key } else { nil } }
    }

    /// Reads key files: YAML lists or JSON lines. A key may lack its checksum.
    ///
    /// - Throws: ``SettingsFile/SettingsError`` with the location of the error.
    public init(files: [String]) throws(SettingsError) { try self.init(CAPublicKeyInspection(files: files)) }

    /// Reads the keys of a till's configuration file, and of the files in its section `capks`.
    ///
    /// - Throws: ``SettingsFile/SettingsError`` with the location of the error.
    public init(configuration path: String) throws(SettingsError) {
        try self.init(section: try SettingsDocument(path: path).root.optional("capks"))
    }

    /// Reads the section `capks`.
    init(section: SettingsNode?) throws(SettingsError) {
        try self.init(CAPublicKeyInspection(values: try ListWithFiles.values(section)))
    }

    private init(_ inspection: CAPublicKeyInspection) throws(SettingsError) {
        if let mistake = inspection.mistakes.first { throw mistake }
        entries = inspection.entries.compactMap { entry in
            entry.key.map { Entry(key: $0, location: entry.location, hasChecksum: entry.isChecksumRight != nil) }
        }
    }
}

/// The section `revocations`: issuer certificates that a payment system has revoked (EMV Book 2 §5.1.2).
struct RevocationSettings {
    private(set) var revocations: [CertificateRevocation] = []

    /// The maximum number of entries. A terminal must support at least 30 for each payment system.
    private static let limit = 3000

    init(_ section: SettingsNode?) throws(SettingsError) {
        var known: Set<CertificateRevocation> = []
        for node in try ListWithFiles.values(section) {
            try node.mapping(allowedKeys: ["rid", "index", "serial"])
            let rid = try node.optional("rid")?.hex(length: 5)
            let index = try node.optional("index")?.hex(length: 1).first
            let serial = try node.optional("serial")?.hex(length: 3)
            let revocation = CertificateRevocation(
                rid: try node.required("rid", rid), index: try node.required("index", index),
                serialNumber: try node.required("serial", serial))
            // Lists of several sources may overlap.
            guard known.insert(revocation).inserted else { continue }
            guard revocations.count < Self.limit else { throw node.error("more than \(Self.limit) certificates") }
            revocations.append(revocation)
        }
    }
}

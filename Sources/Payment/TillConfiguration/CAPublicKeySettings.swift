internal import Determinism
public import EMV
public import Settings
internal import Text

/// One public key of a payment system, from a configuration or a key file.
struct CAPublicKeySettings {
    let key: CAPublicKey

    /// Published lists use `sha1` and `expiry` for `checksum` and `expires`. They also contain the modulus length in
    /// `bits`, and whether the hash was correct at their source, which is checked here.
    private static let keys = [
        "rid", "index", "bits", "modulus", "exponent", "checksum", "sha1", "expires", "expiry", "hash_in_source_ok",
    ]

    /// Whether the source states a checksum, which then is correct.
    let hasChecksum: Bool

    /// - Parameters:
    ///   - node: the key.
    ///   - requiresChecksum: whether a key without a checksum is refused.
    /// - Throws: ``SettingsFile/SettingsError`` with the location of the error.
    init(_ node: SettingsNode, requiresChecksum: Bool) throws(SettingsError) {
        try node.mapping(allowedKeys: Self.keys)
        let rid = try node.required("rid").hex(length: 5)
        let index = try node.required("index").hex(length: 1)
        let modulus = try node.required("modulus").hex(length: 64...248)
        let exponent = try node.required("exponent").hex(length: 1...3)
        let checksumKey = try Self.name("checksum", or: "sha1", in: node)
        let stated = requiresChecksum ? try node.required(checksumKey) : try node.optional(checksumKey)
        let checksum = try stated?.hex(length: 20)
        hasChecksum = checksum != nil
        let expires = try node.optional(try Self.name("expires", or: "expiry", in: node))?.date()
        if let bits = try node.optional("bits"), try bits.int(in: 512...1984) != modulus.count * 8 {
            throw bits.error("the modulus has \(modulus.count * 8) bits")
        }
        do throws(CAPublicKeyError) {
            key = try CAPublicKey(
                rid: rid, index: index.first ?? 0, modulus: modulus, exponent: exponent, checksum: checksum,
                expiry: expires)
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
    private static func name(
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
/// The checksum of every key that has one has been verified; a till accepts no key without one. A key may occur in several
/// files, but only with the same value.
public struct CAPublicKeyStore: Hashable, Sendable {
    /// A key and its location.
    public struct Entry: Hashable, Sendable {
        public let key: CAPublicKey
        /// The first location of the key.
        public let location: SettingsLocation
        /// Whether the source states a checksum.
        public let hasChecksum: Bool
    }

    /// The keys with their locations, in the order in which they were read.
    public private(set) var entries: [Entry] = []

    /// The maximum number of keys of a terminal.
    static let limit = 150

    /// The keys without their locations.
    public var keys: [CAPublicKey] { entries.map(\.key) }

    /// Reads key files: YAML lists or JSON lines. A key may lack its checksum.
    ///
    /// - Throws: ``SettingsFile/SettingsError`` with the location of the error.
    public init(files: [String]) throws(SettingsError) {
        for file in files { try add(try SettingsDocument.list(path: file), requiresChecksum: false) }
    }

    /// Reads the keys of a till's configuration file, and of the files in its section `capks`.
    ///
    /// - Throws: ``SettingsFile/SettingsError`` with the location of the error.
    public init(configuration path: String) throws(SettingsError) {
        try self.init(section: try SettingsDocument(path: path).root.optional("capks"))
    }

    /// Reads the section `capks`.
    init(section: SettingsNode?) throws(SettingsError) {
        try add(try ListWithFiles.values(section), requiresChecksum: true)
    }

    private mutating func add(_ nodes: [SettingsNode], requiresChecksum: Bool) throws(SettingsError) {
        for node in nodes {
            let settings = try CAPublicKeySettings(node, requiresChecksum: requiresChecksum)
            let key = settings.key
            if let known = entries.first(where: { $0.key.rid == key.rid && $0.key.index == key.index }) {
                try check(key, node, against: known)
                continue
            }
            guard entries.count < Self.limit else { throw node.error("more than \(Self.limit) keys") }
            entries.append(Entry(key: key, location: node.location, hasChecksum: settings.hasChecksum))
        }
    }

    private func check(_ key: CAPublicKey, _ node: SettingsNode, against known: Entry) throws(SettingsError) {
        let name = "key \([key.index].hexadecimal) of \(key.rid.hexadecimal)"
        guard key.key == known.key.key else {
            throw node.error(
                "\(name) differs from the key in \(known.location)",
                fix: "ask the acquirer which key is correct, and remove the other one")
        }
        guard key.expiry == known.key.expiry else {
            throw node.error("\(name) has a different expiration date in \(known.location)", fix: "remove one of them")
        }
        guard node.location.file != known.location.file else {
            throw node.error("duplicate \(name), first in line \(known.location.line)", fix: "remove one of them")
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
            let revocation = CertificateRevocation(
                rid: try node.required("rid").hex(length: 5),
                index: try node.required("index").hex(length: 1).first ?? 0,
                serialNumber: try node.required("serial").hex(length: 3))
            // Lists of several sources may overlap.
            guard known.insert(revocation).inserted else { continue }
            guard revocations.count < Self.limit else { throw node.error("more than \(Self.limit) certificates") }
            revocations.append(revocation)
        }
    }
}

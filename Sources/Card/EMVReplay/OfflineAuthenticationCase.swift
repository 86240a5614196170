import CardSecrets
import Cryptography
import Determinism
public import EMV
public import Settings
import Text

/// A test case for offline data authentication: certificates and signatures of a card, and the expected result.
///
/// Parsed from YAML or JSON with these keys; bytes are hexadecimal digits:
///
/// - `date`: the day of the transaction, 2025-05-06.
/// - `authority`: `rid`, `index`, and `modulus` and `exponent` unless the given keys contain it; or a list of such
///   keys, of which `keyIndex` chooses one.
/// - `keyIndex`: tag 8F; required with several keys, or with an `authority` without `index`.
/// - `pan`: as in tag 5A.
/// - `issuer`, `icc`: `certificate`, `remainder` and `exponent` (90, 92, 9F32; 9F46, 9F48, 9F47).
/// - `staticData`: the static data that the signatures cover, including the AIP if 9F4A lists it.
/// - `tagList` and `interchangeProfile`: tags 9F4A and 82, to have the AIP added to `staticData` if 9F4A lists it, and
///   only it.
/// - `sda`: `signature` (93).
/// - `dda`: `signature` (9F4B) and `terminalData`, the filled DDOL.
/// - `cda`: `signature`, `unpredictableNumber`, `cryptogramInformation` (9F27) and `transactionData`: the filled PDOL,
///   CDOL1 and for the second signature CDOL2, then the response's data objects except the signature.
/// - `revoked`: a list of `rid`, `index` and `serial`.
/// - `expected`: `result`, `passed` or `failed`, and optionally `step`, `dataAuthenticationCode`, `dynamicNumber` and
///   `cryptogram`.
public struct OfflineAuthenticationCase: Sendable {
    /// The expected result of the case.
    public struct Expectation: Hashable, Sendable {
        public var passes = true
        /// The step that must fail; nil for any step.
        public var step: OfflineAuthenticationCheck.Step.Name?
        /// Tag 9F45
        public var dataAuthenticationCode: [UInt8]?
        /// Tag 9F4C
        public var dynamicNumber: [UInt8]?
        /// Tag 9F26 from a CDA signature.
        public var cryptogram: [UInt8]?
    }

    struct DDA: Hashable, Sendable {
        var signature: [UInt8]
        var terminalData: [UInt8]
    }

    struct CDA: Hashable, Sendable {
        var signature: [UInt8]
        var unpredictableNumber: [UInt8]
        var information: UInt8
        var transactionData: [UInt8]
    }

    public let expectation: Expectation
    let date: CivilDate
    let authority: CAPublicKey
    /// Tag 5A, which is never printed.
    let pan: ConcealedPAN
    let issuer: PublicKeyCertificate
    let icc: PublicKeyCertificate?
    let staticData: [UInt8]
    /// Why no static data can be authenticated; nil if it can.
    let staticDataDefect: StaticDataDefect?
    /// Tag 93
    let staticSignature: [UInt8]?
    let dda: DDA?
    let cda: CDA?
    let revoked: Set<CertificateRevocation>

    private static let keys = [
        "date", "authority", "keyIndex", "tagList", "interchangeProfile", "pan", "issuer", "icc", "staticData", "sda",
        "dda", "cda", "revoked", "expected", "source",
    ]

    /// - Parameters:
    ///   - text: YAML or JSON.
    ///   - file: the file name for error messages.
    ///   - keys: public keys for a case without its own CA public key.
    /// - Throws: `SettingsError` with line and key.
    public init(text: String, file: String, keys: [CAPublicKey] = []) throws(SettingsError) {
        try self.init(try SettingsDocument(text: text, file: file).root, keys: keys)
    }

    /// Reads a regular file.
    ///
    /// - Throws: `SettingsError`, also when the file cannot be read.
    public init(path: String, keys: [CAPublicKey] = []) throws(SettingsError) {
        try self.init(try SettingsDocument(path: path).root, keys: keys)
    }

    private init(_ root: SettingsNode, keys: [CAPublicKey]) throws(SettingsError) {
        try root.mapping(allowedKeys: Self.keys)
        date = try root.required("date").civilDate()
        authority = try Self.authority(root, keys: keys)
        pan = ConcealedPAN(try root.required("pan").concealed.hex(length: 1...10))
        issuer = try Self.certificate(try root.required("issuer"))
        icc = if let node = try root.optional("icc") { try Self.certificate(node) } else { nil }
        (staticData, staticDataDefect) = try Self.staticData(root)
        if let node = try root.optional("sda") {
            try node.mapping(allowedKeys: ["signature"])
            staticSignature = try node.required("signature").hex(length: 1...248)
        } else {
            staticSignature = nil
        }
        dda = if let node = try root.optional("dda") { try Self.dda(node) } else { nil }
        cda = if let node = try root.optional("cda") { try Self.cda(node) } else { nil }
        let signed = dda == nil ? "cda" : "dda"
        if icc == nil, let node = try root.optional(signed) {
            throw node.error("a signature of the card needs the card's key", fix: "give 'icc'")
        }
        var revoked: Set<CertificateRevocation> = []
        for node in try root.optional("revoked")?.list(count: 0...1000) ?? [] {
            try node.mapping(allowedKeys: ["rid", "index", "serial"])
            revoked.insert(
                CertificateRevocation(
                    rid: try node.required("rid").hex(length: 5),
                    index: try node.required("index").hex(length: 1).first ?? 0,
                    serialNumber: try node.required("serial").hex(length: 3)))
        }
        self.revoked = revoked
        expectation = try Self.expectation(try root.optional("expected"))
        _ = try root.optional("source")?.text(length: 1...1000)
    }

    /// The static data with the AIP if the tag list names it (EMV Book 3 §10.3).
    private static func staticData(_ root: SettingsNode) throws(SettingsError) -> ([UInt8], StaticDataDefect?) {
        let data = try root.optional("staticData")?.concealed.hex(length: 0...2048) ?? []
        guard let node = try root.optional("tagList") else {
            if let profile = try root.optional("interchangeProfile") {
                throw profile.error("without a tag list this has no effect", fix: "give 'tagList', tag 9F4A")
            }
            return (data, nil)
        }
        let profile = try root.required("interchangeProfile").hex(length: 2)
        return try node.hex(length: 0...252) == [0x82] ? (data + profile, nil) : (data, .tagList)
    }

    /// The key that tag 8F chooses among the keys of the case.
    private static func authority(
        _ root: SettingsNode, keys: [CAPublicKey]
    ) throws(SettingsError) -> CAPublicKey {
        let node = try root.required("authority")
        let chosen = try root.optional("keyIndex")
        let index = try chosen?.hex(length: 1).first
        guard node.kind == .list else {
            let own = try node.optional("index")?.hex(length: 1).first
            if let index, let own, index != own { throw node.error(missing(index)) }
            return try authority(node, index: index ?? own, keys: keys)
        }
        let several = try node.list(count: 1...150)
        guard let index else {
            throw node.error("which of these keys the card names is missing", fix: "give 'keyIndex', tag 8F")
        }
        for node in several where try node.required("index").hex(length: 1).first == index {
            return try authority(node, index: index, keys: keys)
        }
        throw (chosen ?? node).error(missing(index))
    }

    private static func missing(_ index: UInt8) -> String { "no public key \([index].hexadecimal) is given" }

    private static func authority(
        _ node: SettingsNode, index given: UInt8?, keys: [CAPublicKey]
    ) throws(SettingsError) -> CAPublicKey {
        try node.mapping(allowedKeys: ["rid", "index", "modulus", "exponent", "checksum"])
        let rid = try node.required("rid").hex(length: 5)
        guard let index = given else {
            throw node.error("missing 'index'", fix: "give the index of the key, or 'keyIndex', tag 8F")
        }
        guard let modulus = try node.optional("modulus") else {
            guard let key = keys.first(where: { $0.rid == rid && $0.index == index }) else {
                throw node.error(
                    "no public key \([index].hexadecimal) of \(rid.hexadecimal) is known",
                    fix: "give its modulus and exponent here, or a file of keys with --capks")
            }
            return key
        }
        let (bytes, exponent) = (try modulus.hex(length: 1...248), try node.required("exponent").hex(length: 1...3))
        let checksum = try node.optional("checksum")?.hex(length: 20)
        do throws(CAPublicKeyError) {
            return try CAPublicKey(rid: rid, index: index, modulus: bytes, exponent: exponent, checksum: checksum)
        } catch {
            throw node.error(error.description)
        }
    }

    private static func certificate(_ node: SettingsNode) throws(SettingsError) -> PublicKeyCertificate {
        try node.mapping(allowedKeys: ["certificate", "remainder", "exponent"])
        return PublicKeyCertificate(
            certificate: try node.required("certificate").concealed.hex(length: 1...248),
            remainder: try node.optional("remainder")?.hex(length: 0...248) ?? [],
            exponent: try node.required("exponent").hex(length: 1...3))
    }

    private static func dda(_ node: SettingsNode) throws(SettingsError) -> DDA {
        try node.mapping(allowedKeys: ["signature", "terminalData"])
        return DDA(
            signature: try node.required("signature").hex(length: 1...248),
            terminalData: try node.required("terminalData").hex(length: 0...252))
    }

    private static func cda(_ node: SettingsNode) throws(SettingsError) -> CDA {
        try node.mapping(allowedKeys: ["signature", "unpredictableNumber", "cryptogramInformation", "transactionData"])
        return CDA(
            signature: try node.required("signature").hex(length: 1...248),
            unpredictableNumber: try node.required("unpredictableNumber").hex(length: 4),
            information: try node.required("cryptogramInformation").hex(length: 1).first ?? 0,
            transactionData: try node.required("transactionData").concealed.hex(length: 0...2048))
    }

    private static func expectation(_ node: SettingsNode?) throws(SettingsError) -> Expectation {
        var expectation = Expectation()
        guard let node else { return expectation }
        try node.mapping(allowedKeys: ["result", "step", "dataAuthenticationCode", "dynamicNumber", "cryptogram"])
        expectation.passes = try node.required("result").choice(of: ["passed": true, "failed": false])
        expectation.step = try node.optional("step")?.choice(OfflineAuthenticationCheck.Step.Name.self)
        expectation.dataAuthenticationCode = try node.optional("dataAuthenticationCode")?.hex(length: 2)
        expectation.dynamicNumber = try node.optional("dynamicNumber")?.hex(length: 2...8)
        expectation.cryptogram = try node.optional("cryptogram")?.hex(length: 8)
        return expectation
    }
}

extension SettingsNode {
    /// Parses a calendar date such as 2025-05-06, from 2000 to 2049.
    func civilDate() throws(SettingsError) -> CivilDate {
        let parts = try numbers("-", [4, 2, 2])
        guard let parts, (2000...2049).contains(parts[0]), (1...12).contains(parts[1]), (1...31).contains(parts[2])
        else { throw error("not a date from 2000 to 2049", fix: "write it as 2025-05-06") }
        return CivilDate(year: parts[0], month: parts[1], day: parts[2])
    }

    /// Parses a time such as 12:30:00 on the day of `date`.
    func time(on date: CivilDate) throws(SettingsError) -> CivilDate {
        let parts = try numbers(":", [2, 2, 2])
        guard let parts, parts[0] < 24, parts[1] < 60, parts[2] < 60 else {
            throw error("not a time of day", fix: "write it as 12:30:00")
        }
        return CivilDate(
            year: date.year, month: date.month, day: date.day, hour: parts[0], minute: parts[1], second: parts[2])
    }

    /// Parses numbers of fixed width with a separator; nil for any other text.
    private func numbers(_ separator: Character, _ widths: [Int]) throws(SettingsError) -> [Int]? {
        let parts = try text(length: 1...40).split(separator: separator, omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in UInt16(part).map(Int.init) }
        return parts.map(\.utf8.count) == widths && numbers.count == widths.count ? numbers : nil
    }
}

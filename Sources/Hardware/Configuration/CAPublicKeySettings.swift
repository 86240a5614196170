internal import Determinism
internal import EMV
internal import SettingsFile

/// One public key of a payment system, as a configuration or a file of keys has it.
struct CAPublicKeySettings {
    let key: CAPublicKey

    /// `sha1` and `expiry` are what published lists call `checksum` and `expires`; they say as well how many `bits`
    /// the modulus has, and whether the hash was right in their own source, which is found out here.
    private static let keys = [
        "rid", "index", "bits", "modulus", "exponent", "checksum", "sha1", "expires", "expiry", "hash_in_source_ok",
    ]

    init(_ node: SettingsNode) throws(SettingsError) {
        try node.mapping(allowedKeys: Self.keys)
        let rid = try node.required("rid").hex(length: 5)
        let index = try node.required("index").hex(length: 1)
        let modulus = try node.required("modulus").hex(length: 64...248)
        let exponent = try node.required("exponent").hex(length: 1...3)
        let checksumKey = try Self.name("checksum", or: "sha1", in: node)
        let checksum = try node.required(checksumKey).hex(length: 20)
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

    /// Which of two names for the same thing is there; the first when neither is.
    private static func name(
        _ first: String, or second: String, in node: SettingsNode
    ) throws(SettingsError) -> String {
        guard let value = try node.optional(second) else { return first }
        guard try node.optional(first) == nil else {
            throw value.error("'\(first)' says the same", fix: "remove one of them")
        }
        return second
    }
}

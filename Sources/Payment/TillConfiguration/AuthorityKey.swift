public import Determinism
public import EMV

/// A payment system's public key of either kind. Within a payment system no two keys have the same index (EMV Book 2
/// §11.2.2).
public enum AuthorityKey: Hashable, Sendable {
    case rsa(CAPublicKey)
    case elliptic(ECCAuthorityKey)

    /// The payment system, 5 bytes.
    public var rid: [UInt8] {
        switch self {
        case .rsa(let key): key.rid
        case .elliptic(let key): key.rid
        }
    }

    public var index: UInt8 {
        switch self {
        case .rsa(let key): key.index
        case .elliptic(let key): key.index
        }
    }

    /// The last day on which certificates under the key are accepted; nil when there is no limit.
    public var expiry: CivilDate? {
        switch self {
        case .rsa(let key): key.expiry
        case .elliptic(let key): key.expiry
        }
    }

    /// 20 bytes of an RSA key, 32 or 64 of one on an elliptic curve.
    public var checksum: [UInt8] {
        switch self {
        case .rsa(let key): key.checksum
        case .elliptic(let key): key.checksum
        }
    }

    /// Whether another key, found under the same index, is the same one.
    func isSameKey(as other: AuthorityKey) -> Bool {
        switch (self, other) {
        case (.rsa(let own), .rsa(let other)): own.key == other.key
        case (.elliptic(let own), .elliptic(let other)): own.suite == other.suite && own.key == other.key
        case (.rsa, _), (.elliptic, _): false
        }
    }
}

internal import CKeyring
internal import Files
internal import Glibc
public import Networking

/// Keeps the secrets in the kernel's keyring of the user (keyrings(7)): on no disk, and gone when the user's last process
/// is, or the machine restarts.
public struct KeyringVault: Vault {
    private let description: String

    /// - Parameter name: tells this program's key from others, for example by the database that it belongs to.
    public init(name: String) { description = "cardpresent:" + name }

    public var place: String { "the kernel's keyring" }

    /// Its possessor and its owner may do everything, nobody else anything: a process that began in another login session
    /// possesses nothing of this user's and is still the owner.
    private static let permissions: UInt32 = 0x3F3F_0000

    public func load() throws(VaultError) -> SignIn? {
        guard let key = try find() else { return nil }
        var bytes = [UInt8](repeating: 0, count: SignInRecord.longest)
        defer { for index in bytes.indices { bytes[index] = 0 } }
        let count = bytes.withUnsafeMutableBytes { ckeyring_read(key, $0.baseAddress, $0.count) }
        guard count >= 0 else { throw Self.failure(count) }
        guard count <= bytes.count else { throw .malformed(place: place, reason: "they are too long") }
        return try SignInRecord.signIn(Array(bytes.prefix(count)), from: place)
    }

    public func save(_ signIn: SignIn) throws(VaultError) {
        var bytes = SignInRecord.bytes(signIn)
        defer { for index in bytes.indices { bytes[index] = 0 } }
        let key = bytes.withUnsafeBytes {
            ckeyring_add(description, $0.baseAddress, $0.count, KEY_SPEC_USER_KEYRING)
        }
        guard key >= 0 else { throw Self.failure(key) }
        let result = ckeyring_set_permissions(key, Self.permissions)
        guard result >= 0 else {
            _ = ckeyring_unlink(key, KEY_SPEC_USER_KEYRING)
            throw Self.failure(result)
        }
    }

    public func clear() throws(VaultError) {
        guard let key = try find() else { return }
        let result = ckeyring_unlink(key, KEY_SPEC_USER_KEYRING)
        guard result >= 0 else { throw Self.failure(result) }
    }

    /// The number of the key; nil when there is none any more.
    private func find() throws(VaultError) -> Int? {
        let key = ckeyring_search(KEY_SPEC_USER_KEYRING, description)
        switch CInt(truncatingIfNeeded: -key) {
        case ENOKEY, EKEYREVOKED, EKEYEXPIRED: return nil
        default: break
        }
        guard key >= 0 else { throw Self.failure(key) }
        return key
    }

    private static func failure(_ result: Int) -> VaultError {
        .keyring(FileError(code: CInt(truncatingIfNeeded: -result)))
    }
}

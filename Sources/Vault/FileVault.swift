internal import Files
public import Networking

/// Keeps the secrets in a file that its owner alone can read. A file that others can, that is a link, or that another
/// user made is refused.
public struct FileVault: Vault {
    private let path: String
    private let storage = FileStorage(trust: .ownerAlone, limit: SignInRecord.longest)

    public init(path: String) { self.path = path }

    public var place: String { "'\(path)'" }

    public func load() throws(VaultError) -> SignIn? {
        var bytes: [UInt8]
        do throws(FileStorageError) {
            guard let contents = try storage.contents(of: path) else { return nil }
            bytes = contents
        } catch {
            throw .file(error)
        }
        defer { for index in bytes.indices { bytes[index] = 0 } }
        return try SignInRecord.signIn(bytes, from: place)
    }

    public func save(_ signIn: SignIn) throws(VaultError) {
        var bytes = SignInRecord.bytes(signIn)
        defer { for index in bytes.indices { bytes[index] = 0 } }
        do throws(FileStorageError) { try storage.replace(path, with: bytes) } catch { throw .file(error) }
    }

    public func clear() throws(VaultError) {
        do throws(FileStorageError) { try storage.delete(path) } catch { throw .file(error) }
    }
}

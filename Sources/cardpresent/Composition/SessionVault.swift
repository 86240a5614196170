internal import Files
internal import Hardware
internal import Networking
internal import Vault
internal import Yosemite

/// Keeps the session of one database where the configuration says.
struct SessionVault: SignInKeeping {
    private let vault: any Vault

    /// - Parameters:
    ///   - database: the file of the records.
    ///   - settings: say where credentials are kept.
    init(besides database: String, _ settings: StoreSettings) {
        vault =
            switch settings.credentials {
            case .file: FileVault(path: database + ".credentials")
            case .keyring: KeyringVault(name: database)
            }
    }

    func load() throws(SignInKeepingError) -> SignIn? {
        do throws(VaultError) { return try vault.load() } catch { throw SignInKeepingError(error.description) }
    }

    func save(_ signIn: SignIn) throws(SignInKeepingError) {
        do throws(VaultError) { try vault.save(signIn) } catch { throw SignInKeepingError(error.description) }
    }

    func forget() throws(SignInKeepingError) {
        do throws(VaultError) { try vault.clear() } catch { throw SignInKeepingError(error.description) }
    }
}

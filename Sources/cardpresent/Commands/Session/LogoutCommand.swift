internal import ArgumentParser
internal import Networking
internal import Yosemite

/// `logout`
struct LogoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "Signs out of the store, and deletes what was kept of it.",
        discussion: """
            The application password that 'cardpresent login' had the site make is taken back. Orders, customers and \
            everything else that came from the store is deleted here; payments and receipts stay.
            """)

    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let door = try ShopDoor(data: data, settings: try configurationOptions.load())
            let composition: StoreComposition
            do throws(CommandFailure) {
                composition = try door.composition()
            } catch {
                // Credentials that cannot be read are thrown away too.
                guard error.code == "credentials" else { throw error }
                do throws(SignInKeepingError) { try door.vault.forget() } catch { throw CommandFailure(error) }
                composition = try door.composition()
            }
            let signIn = composition.session.signIn
            let isRevoked = await revoke(signIn, composition)
            let manager = try composition.stores()
            do throws(SessionError) { try await manager.deauthenticate() } catch { throw CommandFailure(error) }
            guard !output.json else {
                return try StandardOutput.write(
                    json: LogoutView(
                        username: Nullable(wrappedValue: signIn?.credentials.username),
                        passwordRevoked: Nullable(wrappedValue: isRevoked)))
            }
            try StandardOutput.write(signIn.map { "signed out: \($0)\n" } ?? "nobody was signed in\n")
        }
    }

    /// Takes back the password that was made for this program.
    ///
    /// - Returns: whether it was; nil when there is none of ours. Signing out goes on whatever happens.
    private func revoke(_ signIn: SignIn?, _ composition: StoreComposition) async -> Bool? {
        guard let signIn, case .applicationPassword(let password, let site) = signIn.credentials,
            let uuid = password.uuid
        else { return nil }
        do throws(NetworkError) {
            try await ApplicationPasswordRemote(composition.client(signIn)).revoke(uuid: uuid)
            return true
        } catch {
            StandardError.write(
                "cardpresent: \(site) did not take its password back (\(error)): revoke it in the profile of "
                    + "\(password.username) there\n")
            return false
        }
    }
}

/// The result of `logout`.
struct LogoutView: Encodable, Sendable {
    /// null when nobody was signed in.
    @Nullable var username: String?
    /// null when there was no password that the program had made.
    @Nullable var passwordRevoked: Bool?

    init(username: Nullable<String>, passwordRevoked: Nullable<Bool>) {
        (_username, _passwordRevoked) = (username, passwordRevoked)
    }
}

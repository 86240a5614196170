internal import ArgumentParser
internal import Networking
internal import Yosemite

/// `logout`
struct LogoutCommand: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "Sign out of the store and delete its local data.",
        discussion: """
            Revokes the application password that 'cardpresent login' created. Deletes orders, customers, and all \
            other data of the store from this machine. Payments and receipts are kept.
            """)

    @OptionGroup var options: CommonOptions

    func execute() async throws {
        let door = try options.till.storeEnvironment()
        let composition: StoreComposition
        do throws(CommandFailure) {
            composition = try door.composition()
        } catch {
            // Delete unreadable credentials as well.
            guard error.code == "credentials" else { throw error }
            do throws(SignInStorageError) { try door.vault.forget() } catch { throw CommandFailure(error) }
            composition = try door.composition()
        }
        let signIn = composition.session.signIn
        let isRevoked = await revoke(signIn, composition)
        let manager = try composition.stores()
        do throws(SessionError) { try await manager.deauthenticate() } catch { throw CommandFailure(error) }
        // The revocation is null when this program had not created a password.
        let json: JSONObject = ["username": signIn?.credentials.username, "passwordRevoked": isRevoked]
        try output.write(json, text: signIn.map { "signed out: \($0)\n" } ?? "not signed in\n")
    }

    /// Revokes the application password of this program. A failure does not stop the sign-out.
    ///
    /// - Returns: Whether it was revoked; nil when this program did not create one.
    private func revoke(_ signIn: SignIn?, _ composition: StoreComposition) async -> Bool? {
        guard let signIn, case .applicationPassword(let password, let site) = signIn.credentials,
            let uuid = password.uuid
        else { return nil }
        do throws(NetworkError) {
            try await ApplicationPasswordRemote(composition.client(signIn)).revoke(uuid: uuid)
            return true
        } catch {
            StandardError.write(
                "cardpresent: could not revoke the application password at \(site): \(error)\n"
                    + "  revoke it there in the profile of \(password.username)\n")
            return false
        }
    }
}

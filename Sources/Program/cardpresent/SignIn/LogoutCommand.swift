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
            composition = try door.composition(for: Self.databaseUse)
        } catch {
            // Delete unreadable credentials as well.
            guard error.code == "credentials" else { throw error }
            do throws(SignInStorageError) { try door.vault.forget() } catch { throw CommandFailure(error) }
            composition = try door.composition(for: Self.databaseUse)
        }
        let signIn = composition.session.signIn
        // A failure to revoke does not stop the sign-out.
        let isRevoked = await PasswordRevocation(signIn, composition)?.carryOut()
        let manager = try composition.stores()
        do throws(SessionError) { try await manager.deauthenticate() } catch { throw CommandFailure(error) }
        // The revocation is null when this program had not created a password.
        let json: JSONObject = ["username": signIn?.credentials.username, "passwordRevoked": isRevoked]
        try output.write(json, text: signIn.map { "signed out: \($0)\n" } ?? "not signed in\n")
    }
}

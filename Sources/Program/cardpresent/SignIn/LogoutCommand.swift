import ArgumentParser
import Determinism
import Networking
import Storage
import Yosemite

/// `logout`
struct LogoutCommand: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "Sign out of the store and delete its local data.",
        discussion: """
            EXAMPLES:
              cardpresent logout

            Revokes the application password that 'cardpresent login' created. Deletes orders, customers, and all \
            other data of the store from this machine. Payments and receipts are kept.
            """)

    @OptionGroup var options: CommonOptions

    func execute() async throws {
        let environment = try options.till.storeEnvironment()
        let (session, isBroken) = try Self.session(environment)
        let composition = environment.composition(
            storage: try storage(orLeftOver: isBroken || session.signIn != nil), session: session)
        let signIn = composition.session.signIn
        // A failure to revoke does not stop the sign-out.
        let isRevoked = await PasswordRevocation(signIn, composition)?.carryOut()
        let manager = try composition.stores()
        do throws(SessionError) { try await manager.deauthenticate() } catch { throw CommandFailure(error) }
        // The revocation is null when this program had not created a password.
        let json: JSONObject = ["username": signIn?.credentials.username, "passwordRevoked": isRevoked]
        try output.write(json, text: signIn.map { "signed out: \($0)\n" } ?? "not signed in\n")
    }

    /// Loads the session. Credentials that can't be read are deleted at once.
    ///
    /// - Throws: `CommandFailure`
    private static func session(
        _ environment: StoreEnvironment
    ) throws(CommandFailure) -> (session: SessionManager, isBroken: Bool) {
        do throws(CommandFailure) {
            return (try environment.session(), false)
        } catch {
            guard error.code == "credentials" else { throw error }
            do throws(SignInStorageError) { try environment.vault.forget() } catch { throw CommandFailure(error) }
            return (try environment.session(), true)
        }
    }

    /// Opens the database. One in memory takes its place when it is missing, and credentials of it are left.
    ///
    /// - Throws: `CommandFailure`
    private func storage(orLeftOver isLeftOver: Bool) throws(CommandFailure) -> SQLiteStorageManager {
        do throws(CommandFailure) {
            return try Self.databaseUse.open(try options.till.data.path())
        } catch {
            guard error.code == CommandFailure.missingDatabase, isLeftOver else { throw error }
            do throws(StorageError) { return try SQLiteStorageManager(inMemoryWith: SystemRandomSource()) } catch {
                throw CommandFailure(error)
            }
        }
    }
}

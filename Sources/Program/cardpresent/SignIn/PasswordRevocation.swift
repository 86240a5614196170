import Networking
import Yosemite

/// The revocation of an application password that this till created.
struct PasswordRevocation {
    private let password: ApplicationPassword
    private let uuid: String
    private let site: WebAddress
    private let client: SiteClient

    /// Nil for credentials that this till did not create.
    ///
    /// - Parameters:
    ///   - signIn: The session of the password.
    ///   - session: The session that revokes it; nil for its own.
    ///   - composition: Sends the request.
    init?(_ signIn: SignIn?, by session: SignIn? = nil, _ composition: StoreComposition) {
        guard let signIn, case .applicationPassword(let password, let site) = signIn.credentials,
            let uuid = password.uuid
        else { return nil }
        (self.password, self.uuid, self.site) = (password, uuid, site)
        client = composition.client(session ?? signIn)
    }

    /// Revokes the password. A failure is reported on stderr.
    ///
    /// - Returns: Whether it was revoked.
    func carryOut() async -> Bool {
        do throws(NetworkError) {
            try await ApplicationPasswordRemote(client).revoke(uuid: uuid)
            return true
        } catch {
            StandardError.write(
                "cardpresent: could not revoke the application password at \(site): \(error)\n"
                    + "  revoke it there in the profile of \(password.username)\n")
            return false
        }
    }
}

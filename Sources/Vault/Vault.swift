public import Networking

/// Keeps who is signed in from one run of the program to the next, secrets and all.
public protocol Vault: Sendable {
    /// Where it is, for people.
    var place: String { get }

    /// What is kept; nil when there is nothing.
    ///
    /// - Throws: ``VaultError``
    func load() throws(VaultError) -> SignIn?

    /// Replaces what is kept, all of it or nothing.
    ///
    /// - Throws: ``VaultError``
    func save(_ signIn: SignIn) throws(VaultError)

    /// Keeps nothing any more. It does nothing when nothing is kept.
    ///
    /// - Throws: ``VaultError``
    func clear() throws(VaultError)
}

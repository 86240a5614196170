public import Networking

/// Where a session outlives the process, secrets and all.
public protocol SignInKeeping: Sendable {
    /// Who was signed in; nil when nobody was.
    ///
    /// - Throws: ``SignInKeepingError``
    func load() throws(SignInKeepingError) -> SignIn?

    /// Replaces what is kept, all of it or nothing.
    ///
    /// - Throws: ``SignInKeepingError``
    func save(_ signIn: SignIn) throws(SignInKeepingError)

    /// Keeps nothing any more. It does nothing when nothing is kept.
    ///
    /// - Throws: ``SignInKeepingError``
    func forget() throws(SignInKeepingError)
}

/// Why a session cannot be kept, or what is kept cannot be read: in the words of its keeper, without a secret.
public struct SignInKeepingError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}

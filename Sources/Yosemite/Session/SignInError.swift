public import Networking

/// Why somebody could not be signed in. Nothing is kept.
public enum SignInError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The site does not protect what is sent to it, and is not on this machine.
    case unprotected(WebAddress)
    /// The site takes neither this user nor this password, or WordPress.com not this token.
    case refused(String)
    /// The site answered with something that no WordPress answers.
    case notWordPress(WebAddress, NetworkError)
    case network(NetworkError)

    public var description: String {
        switch self {
        case .unprotected(let address):
            "\(address) is not encrypted, so everybody on the way could read the password"
        case .refused(let text): text
        case .notWordPress(let address, let error):
            "\(address) does not answer as a WordPress site does: \(error)"
        case .network(let error): error.description
        }
    }
}

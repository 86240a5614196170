/// What is wrong with the certificate that a server showed.
public enum CertificateProblem: Hashable, Sendable, CustomStringConvertible {
    case expired
    case notYetValid
    case selfSigned
    /// No authority that this machine trusts has signed it.
    case unknownIssuer
    case wrongHost
    case other(String)

    public var description: String {
        switch self {
        case .expired: "its certificate has expired (or this machine's clock is ahead)"
        case .notYetValid: "its certificate is not valid yet (or this machine's clock is behind)"
        case .selfSigned: "its certificate is signed by itself"
        case .unknownIssuer: "no authority that this machine trusts has signed its certificate"
        case .wrongHost: "its certificate belongs to another host"
        case .other(let text): text
        }
    }
}

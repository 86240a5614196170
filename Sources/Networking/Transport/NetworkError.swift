/// Why a request has no usable answer.
public enum NetworkError: Error, Hashable, Sendable {
    case invalidAddress(WebAddressError)
    /// libcurl cannot be used; the text says what is missing.
    case transportUnavailable(String)
    /// No connection, or none that could be encrypted: nothing was sent.
    case cannotConnect(host: String, reason: String)
    /// The server did not prove who it is: nothing was sent.
    case untrustedServer(host: String, CertificateProblem)
    /// Whether the request had been sent says if it may have been carried out.
    case timedOut(host: String, wasSent: Bool)
    /// The connection ended before the answer did. The request may have been carried out.
    case connectionLost(host: String, reason: String)
    case cancelled(wasSent: Bool)
    /// In bytes, unpacked.
    case responseTooLarge(limit: Int)
    /// The server sends us elsewhere, where this request must not go. `to` has no query.
    case redirectRefused(from: String, to: String)
    /// The server answered that it did not do it, or that it failed.
    case service(ServiceError)
    /// The answer is not JSON, or not whole.
    case unreadable(UnreadableContent)
    /// The answer is JSON and says something else than it should.
    case undecodable(DecodingFailure)
    /// The request needs credentials that the program does not have; the text says which.
    case missingCredentials(String)
    /// The sign-in at a site failed; the text says where.
    case signInFailed(String)
    /// The request was sent more than once. An earlier attempt may have been carried out, whatever became of the last.
    indirect case outcomeUnknown(earlier: NetworkError, last: NetworkError)

    /// Whether the server may have carried out the request. For money this matters more than what went wrong.
    public var mayHaveTakenEffect: Bool {
        switch self {
        case .invalidAddress, .transportUnavailable, .cannotConnect, .untrustedServer, .redirectRefused,
            .missingCredentials, .signInFailed:
            false
        case .timedOut(_, let wasSent), .cancelled(let wasSent): wasSent
        case .connectionLost, .responseTooLarge, .unreadable, .undecodable, .outcomeUnknown: true
        case .service(let error): error.mayHaveTakenEffect
        }
    }
}

extension NetworkError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidAddress(let error): error.description
        case .transportUnavailable(let text): "HTTP cannot be used: \(text)"
        case .cannotConnect(let host, let reason): "\(host) cannot be reached: \(reason)"
        case .untrustedServer(let host, let problem): "\(host) is not trusted: \(problem)"
        case .timedOut(let host, false): "\(host) did not accept the request in time; it was not sent"
        case .timedOut(let host, true): "\(host) did not answer in time; it may have carried out the request"
        case .connectionLost(let host, let reason):
            "the connection to \(host) was lost: \(reason); it may have carried out the request"
        case .cancelled(false): "cancelled before the request was sent"
        case .cancelled(true): "cancelled; the server may have carried out the request"
        case .responseTooLarge(let limit): "the answer is longer than \(limit) bytes"
        case .redirectRefused(let from, let to):
            "\(from) sends this request to \(to), where it is not followed: use the site's own address"
        case .service(let error): error.description
        case .unreadable(let content): content.description
        case .undecodable(let failure): failure.description
        case .missingCredentials(let text): text
        case .signInFailed(let text): text
        case .outcomeUnknown(let earlier, let last): "\(earlier); the next attempt: \(last)"
        }
    }
}

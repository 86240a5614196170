/// Sends one request to a server and returns the response.
///
/// It knows nothing of stores and credentials: it does not retry requests that must not be repeated, does not follow
/// redirects, and returns every status.
public protocol Network: Sendable {
    /// Returns within the request's timeout, or when the task is canceled.
    ///
    /// - Throws: ``NetworkError`` for failures below HTTP, and `responseTooLarge`.
    func response(for request: HTTPRequest) async throws(NetworkError) -> HTTPResponse
}

extension Network {
    /// Sends a message to a webhook, which has ten seconds to respond. The body of the response is not used.
    ///
    /// - Parameters:
    ///   - body: the bytes of the message.
    ///   - address: the address of the webhook, as its owner gave it.
    ///   - headers: the names and values of the header fields.
    /// - Returns: the status of the response; 0 without one, and for an address that is none.
    public func post(_ body: [UInt8], to address: String, headers: [(name: String, value: String)]) async -> Int {
        var fields = HTTPHeaders()
        for header in headers { fields.add(header.name, header.value) }
        do throws(WebAddressError) {
            let request = HTTPRequest(
                method: .post, address: try WebAddress(address), headers: fields, body: body, timeout: .seconds(10),
                sizeLimit: 1 << 20, isRepeatable: false)
            return (try? await response(for: request))?.status ?? 0
        } catch {
            return 0
        }
    }
}

/// A request without a usable response.
public enum NetworkError: Error, Hashable, Sendable {
    case invalidAddress(WebAddressError)
    /// libcurl cannot be used; the text names the reason.
    case transportUnavailable(String)
    /// No connection, or no encrypted connection. Nothing was sent.
    case cannotConnect(host: String, reason: String)
    /// The server's certificate is not valid. Nothing was sent.
    case untrustedServer(host: String, CertificateProblem)
    /// If the request was sent, the server may have processed it.
    case timedOut(host: String, wasSent: Bool)
    /// The connection ended before the response was complete. The server may have processed the request.
    case connectionLost(host: String, reason: String)
    case canceled(wasSent: Bool)
    /// `limit`: in bytes, after decompression.
    case responseTooLarge(limit: Int)
    /// The server redirects to an address where this request must not go. `to` has no query.
    case redirectRefused(from: String, to: String)
    /// The server returned an error.
    case service(ServiceError)
    /// The response is not JSON, or incomplete.
    case unreadable(UnreadableContent)
    /// The response is JSON but does not have the expected content.
    case undecodable(DecodingFailure)
    /// The request needs credentials that are not available; the text names them.
    case missingCredentials(String)
    /// The sign-in at a site failed; the text names the site.
    case signInFailed(String)
    /// The request was sent more than once. The server may have processed an earlier attempt, even if the last one
    /// failed.
    indirect case outcomeUnknown(earlier: NetworkError, last: NetworkError)

    /// Whether the server may have processed the request. For payments this matters more than the cause of the error.
    public var mayHaveTakenEffect: Bool {
        switch self {
        case .invalidAddress, .transportUnavailable, .cannotConnect, .untrustedServer, .redirectRefused,
            .missingCredentials, .signInFailed:
            false
        case .timedOut(_, let wasSent), .canceled(let wasSent): wasSent
        case .connectionLost, .responseTooLarge, .unreadable, .undecodable, .outcomeUnknown: true
        case .service(let error): error.mayHaveTakenEffect
        }
    }
}

extension NetworkError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidAddress(let error): error.description
        case .transportUnavailable(let text): "HTTP is not available: \(text)"
        case .cannotConnect(let host, let reason): "cannot reach \(host): \(reason)"
        case .untrustedServer(let host, let problem): "\(host) is not trusted: \(problem)"
        case .timedOut(let host, false): "\(host) did not accept the request in time; it was not sent"
        case .timedOut(let host, true): "\(host) did not respond in time; it may have processed the request"
        case .connectionLost(let host, let reason):
            "the connection to \(host) was lost: \(reason); it may have processed the request"
        case .canceled(false): "canceled before the request was sent"
        case .canceled(true): "canceled; the server may have processed the request"
        case .responseTooLarge(let limit): "the response is larger than \(limit) bytes"
        case .redirectRefused(let from, let to):
            "\(from) redirects this request to \(to), which is not allowed: use the site's own address"
        case .service(let error): error.description
        case .unreadable(let content): content.description
        case .undecodable(let failure): failure.description
        case .missingCredentials(let text): text
        case .signInFailed(let text): text
        case .outcomeUnknown(let earlier, let last): "\(earlier); the next attempt failed: \(last)"
        }
    }
}

/// The problem with a server's certificate.
public enum CertificateProblem: Hashable, Sendable, CustomStringConvertible {
    case expired
    case notYetValid
    case selfSigned
    /// It is not signed by an authority that this machine trusts.
    case unknownIssuer
    case wrongHost
    case other(String)

    public var description: String {
        switch self {
        case .expired: "its certificate has expired (or this machine's clock is ahead)"
        case .notYetValid: "its certificate is not valid yet (or this machine's clock is behind)"
        case .selfSigned: "its certificate is self-signed"
        case .unknownIssuer: "its certificate is not signed by an authority that this machine trusts"
        case .wrongHost: "its certificate belongs to another host"
        case .other(let text): text
        }
    }
}

/// The network of a program that is not signed in: every request fails at once and nothing is sent.
public struct NullNetwork: Network {
    /// Creates a network that needs nothing, and never sends.
    public init() {}

    public func response(for request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        throw .cannotConnect(host: request.address.origin.host, reason: "the program is offline")
    }
}

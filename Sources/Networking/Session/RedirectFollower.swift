/// Follows redirections (RFC 9110 §15.4) of what anybody may read. A request with credentials follows within its origin
/// only, and nothing but a GET is followed at all.
struct RedirectFollower {
    let network: any Network

    private static let limit = 5

    func response(for request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        var request = request
        for _ in 0...Self.limit {
            let response = try await network.response(for: request)
            guard [301, 302, 303, 307, 308].contains(response.status), let location = response.headers["Location"]
            else {
                return response
            }
            let target: WebAddress
            do throws(WebAddressError) { target = try request.address.resolving(location) } catch {
                throw .invalidAddress(error)
            }
            let isSameOrigin = target.origin == request.address.origin
            let isDowngraded = request.address.origin.scheme == .https && target.origin.scheme == .http
            guard request.method == .get, !isDowngraded, isSameOrigin || !request.isAuthenticated else {
                throw .redirectRefused(from: request.address.withoutQuery, to: target.withoutQuery)
            }
            request.address = target
        }
        throw .redirectRefused(from: request.address.withoutQuery, to: "one more address after \(Self.limit)")
    }
}

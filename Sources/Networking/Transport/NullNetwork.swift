/// The network of a program that is signed in nowhere: everything fails at once, and nothing leaves.
public struct NullNetwork: Network {
    public init() {}

    public func response(for request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        throw .cannotConnect(host: request.address.origin.host, reason: "the program is offline")
    }
}

internal import Networking
internal import Synchronization

/// A network that is opened with the first request: libcurl takes milliseconds to load, and most commands ask nothing.
final class OnDemandNetwork: Network {
    private let configuration: CurlConfiguration
    private let opened = Mutex<CurlNetwork?>(nil)

    init(_ configuration: CurlConfiguration) { self.configuration = configuration }

    func response(for request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        let result = opened.withLock { opened -> Result<CurlNetwork, NetworkError> in
            if let opened { return .success(opened) }
            do throws(NetworkError) {
                let network = try CurlNetwork(configuration: configuration)
                opened = network
                return .success(network)
            } catch {
                return .failure(error)
            }
        }
        return try await result.get().response(for: request)
    }
}

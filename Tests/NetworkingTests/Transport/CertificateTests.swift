import Networking
import Testing

@Suite(.enabled(if: TLSServer.isAvailable, "openssl is not installed"), .timeLimit(.minutes(1)))
struct CertificateTests {
    private func problem(_ server: borrowing TLSServer, trusted: Bool) async throws -> CertificateProblem? {
        let configuration = CurlConfiguration(authorities: trusted ? server.certificate : nil)
        let network = try CurlNetwork(configuration: configuration)
        let address = try WebAddress("https://localhost:\(server.port)/")
        let request = HTTPRequest(address: address, authorization: Secret("canary"))
        do throws(NetworkError) {
            _ = try await network.response(for: request)
            return nil
        } catch {
            guard case .untrustedServer(_, let problem) = error else { throw error }
            return problem
        }
    }

    @Test func `a certificate of a trusted authority is taken`() async throws {
        #expect(try await problem(TLSServer(), trusted: true) == nil)
    }

    @Test func `a certificate that signed itself is refused`() async throws {
        #expect(try await problem(TLSServer(), trusted: false) == .selfSigned)
    }

    @Test func `an expired certificate is refused`() async throws {
        #expect(try await problem(TLSServer(days: -1), trusted: true) == .expired)
    }

    @Test func `a certificate of another host is refused`() async throws {
        let problem = try await problem(TLSServer(host: "other.example"), trusted: true)
        #expect(problem == .wrongHost, "\(String(describing: problem))")
    }
}

import Determinism
import Foundation
import Testing

@testable import Connections

@Suite("A folder of certificates")
struct CertificateFolderTests {
    private let folder: Folder
    private let certificates: CertificateFolder
    private let clock = VirtualTimeSource()

    init() throws {
        folder = try Folder()
        certificates = CertificateFolder(path: folder.file("tls"))
    }

    private func prepare(_ names: [String] = ["localhost", "127.0.0.1"], commonName: String? = nil) throws -> [String] {
        let made = try certificates.prepare(
            names: names, commonName: commonName, time: clock, random: SystemRandomSource())
        return made.map { URL(filePath: $0).lastPathComponent }
    }

    private func connect() async throws -> (client: TLSConnection, server: TLSConnection) {
        let pair = MemoryConnection.pair(time: time)
        let client = try TLSClient(
            .init(
                authorities: .pinned(file: certificates.authority.certificate), identity: certificates.client),
            time: clock)
        let server = try TLSServer(
            .init(identity: certificates.server, clientAuthorities: certificates.authority.certificate), time: clock)
        async let clientEnd = client.secure(pair.first, host: "localhost", deadline: .never)
        let serverEnd = try await server.secure(pair.second, deadline: .never)
        return (try await clientEnd, serverEnd)
    }

    @Test func `everything is made once, and serves both sides`() async throws {
        #expect(try prepare() == ["ca.pem", "server.pem", "client.pem"])
        #expect(try prepare() == [])
        let ends = try await connect()
        #expect(ends.server.peer.security?.certificate?.subject == "client")
        #expect(ends.client.peer.security?.certificate?.subject == "localhost")
    }

    @Test func `programs that begin at once make one authority`() async throws {
        let made = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 1...8 { group.addTask { try prepare() } }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(made.sorted() == ["ca.pem", "client.pem", "server.pem"])
        _ = try await connect()
    }

    @Test func `a new name, a common name, and a certificate that expires soon are made anew`() async throws {
        _ = try prepare()
        #expect(try prepare(["localhost", "pay.example"]) == ["server.pem"])
        #expect(try prepare(["localhost"], commonName: "P400-1.test.terminal.adyen.com") == ["server.pem"])
        clock.advance(by: .seconds(86_400 * 391))
        #expect(try prepare() == ["server.pem", "client.pem"])
        _ = try await connect()
    }

    @Test func `a certificate without its authority is not overwritten`() throws {
        _ = try prepare()
        try FileManager.default.removeItem(atPath: certificates.authority.certificate)
        let error = CertificateError.noAuthority(
            path: certificates.authority.certificate, found: certificates.server.certificate)
        #expect(throws: error) { try prepare() }
    }
}

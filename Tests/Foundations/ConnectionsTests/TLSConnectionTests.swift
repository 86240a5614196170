import Determinism
import Testing

@testable import Connections

/// Both ends of TLS are this program's, over memory.
@Suite("A TLS connection")
struct TLSConnectionTests {
    private let certificates: TestCertificates

    init() throws { certificates = try TestCertificates() }

    private struct Ends: Sendable {
        let client: Result<TLSConnection, ConnectionFailure>
        let server: Result<TLSConnection, ConnectionFailure>
    }

    private func connect(
        _ client: TLSClient, _ server: TLSServer, host: String = "localhost"
    ) async -> Ends {
        let pair = MemoryConnection.pair(time: time)
        async let clientEnd = result { () throws(ConnectionFailure) in
            try await client.secure(pair.first, host: host, deadline: .soon)
        }
        async let serverEnd = result { () throws(ConnectionFailure) in
            try await server.secure(pair.second, deadline: .soon)
        }
        return await Ends(client: clientEnd, server: serverEnd)
    }

    private func result(
        _ body: () async throws(ConnectionFailure) -> TLSConnection
    ) async -> Result<TLSConnection, ConnectionFailure> {
        do throws(ConnectionFailure) { return .success(try await body()) } catch { return .failure(error) }
    }

    private func refusal(_ end: Result<TLSConnection, ConnectionFailure>) -> TLSFailure? {
        if case .failure(.tls(let failure)) = end { failure } else { nil }
    }

    // MARK: Bytes

    @Test(arguments: [CertificateRequest.Key.p256, .rsa2048], [TLSVersion.v1_2, .v1_3])
    func `bytes go both ways, and an end is an end`(_ key: CertificateRequest.Key, _ version: TLSVersion) async throws {
        let identity = try certificates.issue("other-server", key: key)
        let ends = await connect(
            try certificates.tlsClient(minimumVersion: version), try certificates.tlsServer(identity))
        let (client, server) = (try ends.client.get(), try ends.server.get())
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) }
        let write = Task { try await client.write(bytes, deadline: .soon) }
        #expect(try await server.read(exactly: bytes.count, deadline: .soon) == bytes)
        try await write.value
        try await server.write([4, 5], deadline: .soon)
        #expect(try await client.read(upTo: 1, deadline: .soon) == [4])
        server.close()
        #expect(try await client.read(upTo: 10, deadline: .soon) == [5])
        #expect(try await client.read(upTo: 10, deadline: .soon) == nil)
        let security = try #require(client.peer.security)
        #expect(security.version == "TLSv1.3")
        #expect(security.certificate?.subject == "other-server")
        #expect(security.certificate?.issuer == "Test CA")
        #expect(security.certificate?.names == ["localhost", "127.0.0.1"])
        #expect(client.peer.description.hasSuffix("(TLSv1.3, other-server)"))
        #expect(server.peer.security?.certificate == nil)
        #expect(await failure { _ = try await server.read(upTo: 1, deadline: .soon) } == .closed)
        await #expect(throws: WriteFailure.notSent(.closed)) { try await server.write([1], deadline: .soon) }
    }

    @Test func `an end without close_notify is told apart`() async throws {
        let pair = MemoryConnection.pair(time: time)
        let (tlsClient, tlsServer) = (try certificates.tlsClient(), try certificates.tlsServer())
        async let client = tlsClient.secure(pair.first, host: "localhost", deadline: .soon)
        let server = try await tlsServer.secure(pair.second, deadline: .soon)
        let opened = try await client
        try await server.write([1], deadline: .soon)
        pair.second.close()
        #expect(try await opened.read(upTo: 10, deadline: .soon) == [1])
        #expect(await failure { _ = try await opened.read(upTo: 10, deadline: .soon) } == .tls(.truncated))
    }

    @Test func `a damaged record ends the connection with an alert`() async throws {
        let (outer, inner) = (MemoryConnection.pair(time: time), MemoryConnection.pair(time: time))
        let (tlsClient, tlsServer) = (try certificates.tlsClient(), try certificates.tlsServer())
        let isDamaging = Shared(false)
        let forward = Task {
            while let bytes = try? await outer.second.read(upTo: 1 << 16, deadline: .soon) {
                let damaged = isDamaging.value ? bytes.dropLast() + [bytes[bytes.count - 1] ^ 1] : bytes
                try? await inner.first.write(damaged, deadline: .soon)
            }
        }
        let back = Task {
            while let bytes = try? await inner.first.read(upTo: 1 << 16, deadline: .soon) {
                try? await outer.second.write(bytes, deadline: .soon)
            }
        }
        async let client = tlsClient.secure(outer.first, host: "localhost", deadline: .soon)
        let server = try await tlsServer.secure(inner.second, deadline: .soon)
        let opened = try await client
        isDamaging.change { $0 = true }
        try await opened.write([1], deadline: .soon)
        let atServer = await failure { _ = try await server.read(upTo: 10, deadline: .soon) }
        guard case .tls(.failed) = atServer else {
            Issue.record("no failure: \(String(describing: atServer))")
            return
        }
        let atClient = await failure { _ = try await opened.read(upTo: 10, deadline: .soon) }
        #expect(atClient == .tls(.alert(TLSAlert(code: 20))))
        outer.second.close()
        inner.first.close()
        _ = await (forward.value, back.value)
    }

    @Test func `a canceled read takes nothing, and writes of many tasks stay whole`() async throws {
        let ends = await connect(try certificates.tlsClient(), try certificates.tlsServer())
        let (client, server) = (try ends.client.get(), try ends.server.get())
        for _ in 0..<20 {
            let read = Task { await failure { _ = try await server.read(upTo: 1, deadline: .soon) } }
            await Task.yield()
            read.cancel()
            #expect(await read.value == .canceled)
        }
        #expect(
            await failure { _ = try await server.read(upTo: 1, deadline: .after(milliseconds: 5)) } == .timedOut(.read))
        let writes = (0..<8).map { number in
            Task { try await client.write([UInt8](repeating: UInt8(number), count: 70_000), deadline: .soon) }
        }
        var seen: Set<UInt8> = []
        for _ in 0..<8 {
            let bytes = try #require(try await server.read(exactly: 70_000, deadline: .soon))
            #expect(Set(bytes).count == 1)
            seen.formUnion(bytes)
        }
        #expect(seen.count == 8)
        for write in writes { try await write.value }
    }

    @Test func `a write that the peer does not read closes the connection, and says whether anything left`()
        async throws
    {
        let ends = await connect(try certificates.tlsClient(), try certificates.tlsServer())
        let client = try ends.client.get()
        await #expect(throws: WriteFailure.notSent(.timedOut(.write))) {
            try await client.write([1], deadline: .after(milliseconds: -1))
        }
        let write = Task {
            do throws(WriteFailure) {
                try await client.write([UInt8](repeating: 0, count: 1 << 20), deadline: .soon)
                return nil as WriteFailure?
            } catch {
                return error
            }
        }
        let server = try ends.server.get()
        _ = try await server.read(upTo: 1, deadline: .soon)
        write.cancel()
        #expect(await write.value == .maybeSent(.canceled))
        await #expect(throws: WriteFailure.notSent(.closed)) { try await client.write([1], deadline: .soon) }
    }

    // MARK: Certificates

    @Test func `an expired certificate, and one of the future`() async throws {
        let old = await connect(
            try certificates.tlsClient(), try certificates.tlsServer(certificates.issue("old", days: -9 ... -3)))
        guard case .expired(let certificate) = refusal(old.client) else {
            Issue.record("no refusal")
            return
        }
        #expect(certificate.subject == "old")
        #expect(certificate.notAfter.milliseconds / 1000 == TestCertificates.now.milliseconds / 1000 - 3 * 86_400)
        #expect(refusal(old.server) == .alert(TLSAlert(code: 45)))
        let new = await connect(
            try certificates.tlsClient(), try certificates.tlsServer(certificates.issue("new", days: 3...9)))
        guard case .notYetValid = refusal(new.client) else {
            Issue.record("no refusal")
            return
        }
        // The given clock counts, not that of the machine.
        let clock = VirtualTimeSource(start: TestCertificates.now.advanced(by: .seconds(5 * 86_400)))
        let files = try certificates.issue("new", days: 3...9)
        let late = try CertificateAuthority(
            TestCertificates.request("Late CA", days: 3...9), random: SystemRandomSource())
        try late.write(to: certificates.folder.identity("late-ca"))
        try certificates.issue("new", days: 3...9, by: late)
        let later = await connect(
            try certificates.tlsClient(
                authorities: .pinned(file: certificates.folder.file("late-ca.pem")), at: clock),
            try certificates.tlsServer(files))
        #expect(throws: Never.self) { try later.client.get() }
    }

    @Test func `a certificate for other names lists them`() async throws {
        for (host, serverName) in [("localhost", "pay.example"), ("10.0.0.1", nil), ("localhost.", "10.9.9.9")] {
            let ends = await connect(
                try certificates.tlsClient(serverName: serverName), try certificates.tlsServer(), host: host)
            guard case .wrongName(let expected, let certificate) = refusal(ends.client) else {
                Issue.record("no refusal")
                return
            }
            #expect(expected == serverName ?? host)
            #expect(certificate.names == ["localhost", "127.0.0.1"])
            #expect(
                refusal(ends.client)?.description
                    == "the certificate is not for '\(expected)', but for 'localhost', '127.0.0.1'")
        }
        for host in ["127.0.0.1", "LOCALHOST", "localhost."] {
            let ends = await connect(try certificates.tlsClient(), try certificates.tlsServer(), host: host)
            #expect(throws: Never.self) { try ends.client.get() }
        }
    }

    @Test func `a certificate of an unknown authority, or signed by itself`() async throws {
        let files = try certificates.issue("foreign", by: certificates.stranger)
        for authorities in [nil, TLSAuthorities.system] {
            let ends = await connect(
                try certificates.tlsClient(authorities: authorities), try certificates.tlsServer(files))
            guard case .unknownAuthority(let certificate) = refusal(ends.client) else {
                Issue.record("no refusal")
                return
            }
            #expect(certificate.issuer == "Stranger CA")
            #expect(refusal(ends.server) == .alert(.unknownAuthority))
        }
        let own = await connect(
            try certificates.tlsClient(), try certificates.tlsServer(certificates.folder.identity("stranger-ca")))
        guard case .unknownAuthority(let certificate) = refusal(own.client) else {
            Issue.record("no refusal")
            return
        }
        #expect(certificate.isSelfSigned)
    }

    @Test func `a pinned certificate is trusted by itself`() async throws {
        let ends = await connect(
            try certificates.tlsClient(authorities: .pinned(file: certificates.server.certificate)),
            try certificates.tlsServer())
        #expect(throws: Never.self) { try ends.client.get() }
    }

    @Test func `a client's certificate does not serve`() async throws {
        let files = try certificates.issue("wrong", uses: [.client])
        let ends = await connect(try certificates.tlsClient(), try certificates.tlsServer(files))
        guard case .wrongUse = refusal(ends.client) else {
            Issue.record("no refusal: \(ends.client)")
            return
        }
    }

    // MARK: Certificates of clients

    @Test func `a server that demands certificates takes those of its authority`() async throws {
        let server = try certificates.tlsServer(clientAuthorities: certificates.authorityFile)
        let ends = await connect(try certificates.tlsClient(identity: certificates.client), server)
        let (client, accepted) = (try ends.client.get(), try ends.server.get())
        #expect(accepted.peer.security?.certificate?.subject == "client")
        try await accepted.write([1], deadline: .soon)
        #expect(try await client.read(upTo: 1, deadline: .soon) == [1])
    }

    @Test func `a client without a certificate, or with a wrong one, is refused and learns why`() async throws {
        let server = try certificates.tlsServer(clientAuthorities: certificates.authorityFile)
        let without = await connect(try certificates.tlsClient(), server)
        #expect(refusal(without.server) == .noCertificate)
        // With TLS 1.3, the client's side is complete before the server looks.
        let told = await failure { _ = try await without.client.get().read(upTo: 1, deadline: .soon) }
        #expect(told == .tls(.alert(.certificateRequired)))
        #expect(
            told?.description
                == "the peer ended TLS with certificate_required: it demands a certificate of this side")
        let foreign = try certificates.issue("foreign-client", uses: [.client], by: certificates.stranger)
        let wrong = await connect(try certificates.tlsClient(identity: foreign), server)
        guard case .unknownAuthority = refusal(wrong.server) else {
            Issue.record("no refusal")
            return
        }
        let reason = await failure { _ = try await wrong.client.get().read(upTo: 1, deadline: .soon) }
        #expect(reason == .tls(.alert(.unknownAuthority)))
        let serving = try certificates.issue("serving", uses: [.server])
        guard
            case .wrongUse = refusal(
                await connect(try certificates.tlsClient(identity: serving), server).server)
        else {
            Issue.record("no refusal")
            return
        }
    }
}

import Determinism
import Testing

@testable import Connections

/// Peers that do not speak TLS, or speak it badly.
@Suite("A peer that does not speak TLS well")
struct TLSRefusalTests {
    private let certificates: TestCertificates

    init() throws { certificates = try TestCertificates() }

    private func clientRefusal(of bytes: [UInt8], isEnd: Bool = false) async throws -> ConnectionFailure? {
        let pair = MemoryConnection.pair(time: time)
        try await pair.second.write(bytes, deadline: .soon)
        if isEnd { pair.second.close() }
        let client = try certificates.tlsClient()
        return await failure { _ = try await client.secure(pair.first, host: "localhost", deadline: .soon) }
    }

    private func serverRefusal(of bytes: [UInt8]) async throws -> ConnectionFailure? {
        let pair = MemoryConnection.pair(time: time)
        try await pair.second.write(bytes, deadline: .soon)
        let server = try certificates.tlsServer()
        let refusal = await failure { _ = try await server.secure(pair.first, deadline: .soon) }
        // The connection below is closed.
        while try await pair.second.read(upTo: 100, deadline: .soon) != nil {}
        return refusal
    }

    @Test(arguments: [
        ("HTTP/1.1 400 Bad Request", "HTTP/*.* *** Bad"), ("SSH-2.0-OpenSSH_9.2p1", "SSH-*.*-OpenSSH_"),
        ("0800822000000000000004", "****************"), ("\u{16}x", ".x"), ("\u{0}\u{1E}0800", "..****"),
    ])
    func `its first bytes are shown without digits`(_ text: String, _ shown: String) async throws {
        let bytes = Array(text.utf8)
        #expect(try await clientRefusal(of: bytes) == .tls(.notTLS(firstBytes: shown)))
        #expect(try await serverRefusal(of: bytes) == .tls(.notTLS(firstBytes: shown)))
    }

    @Test func `an alert has its name`() async throws {
        let alert: [UInt8] = [21, 3, 3, 0, 2, 2, 40]
        let refusal = try await clientRefusal(of: alert)
        #expect(refusal == .tls(.alert(TLSAlert(code: 40))))
        #expect(
            refusal?.description
                == "the peer ended TLS with handshake_failure: it accepts none of this side's parameters")
        #expect(try await clientRefusal(of: [21, 3, 3, 0, 2, 2, 70]) == .tls(.alert(.protocolVersion)))
        #expect(TLSAlert(code: 255).description == "alert 255")
    }

    @Test func `an end within the handshake is told`() async throws {
        #expect(try await clientRefusal(of: [], isEnd: true) == .tls(.closedInHandshake))
        #expect(try await clientRefusal(of: [22, 3], isEnd: true) == .tls(.closedInHandshake))
    }

    @Test func `a silent peer costs no more than the deadline`() async throws {
        let pair = MemoryConnection.pair(time: time)
        let client = try certificates.tlsClient()
        let refusal = await failure {
            _ = try await client.secure(pair.first, host: "localhost", deadline: .after(milliseconds: 20))
        }
        #expect(refusal == .timedOut(.handshake))
        let second = MemoryConnection.pair(time: time)
        let canceled = Task {
            await failure { _ = try await client.secure(second.first, host: "localhost", deadline: .never) }
        }
        _ = try await second.second.read(upTo: 1, deadline: .soon)
        canceled.cancel()
        #expect(await canceled.value == .canceled)
    }

    @Test func `a server that wants TLS 1.3 refuses a client of TLS 1.2`() async throws {
        // A ClientHello of TLS 1.2 as `openssl s_client -tls1_2` sends it, without extensions but the names of groups.
        var hello: [UInt8] = [3, 3] + [UInt8](repeating: 7, count: 32) + [0, 0, 2, 0xC0, 0x2F, 1, 0]
        let groups: [UInt8] = [0, 10, 0, 4, 0, 2, 0, 23]
        hello += [0, UInt8(groups.count)] + groups
        let message = [1, 0, 0, UInt8(hello.count)] + hello
        let record = [22, 3, 1, 0, UInt8(message.count)] + message
        let pair = MemoryConnection.pair(time: time)
        try await pair.second.write(record, deadline: .soon)
        let server = try certificates.tlsServer(minimumVersion: .v1_3)
        async let refusal = failure { _ = try await server.secure(pair.first, deadline: .soon) }
        #expect(try await pair.second.read(exactly: 7, deadline: .soon) == [21, 3, 3, 0, 2, 2, 70])
        pair.second.close()
        #expect(await refusal == .tls(.versionTooLow))
    }

    /// Every damage of a real handshake ends in an error or in a wait for more, on both sides.
    @Test func `damaged and random handshakes are errors`() async throws {
        let random = SeededRandomSource(seed: 20)
        let clock = VirtualTimeSource(start: TestCertificates.now)
        let hello = try await clientHello()
        for round in 0..<300 {
            var bytes = round % 3 == 0 ? [22, 3, 1] + random.bytes(Int(random.number(in: 0...300))) : hello
            for _ in 0..<random.number(in: 1...4) where !bytes.isEmpty {
                let index = Int(random.number(in: 3...UInt32(max(3, bytes.count - 1)))) % bytes.count
                bytes[index] = random.bytes(1)[0]
            }
            if round % 5 == 0 { bytes.removeLast(Int(random.number(in: 0...UInt32(bytes.count - 1)))) }
            for isServer in [true, false] {
                let pair = MemoryConnection.pair(time: clock)
                try await pair.second.write(bytes, deadline: Deadline(after: .seconds(1), on: clock))
                pair.second.close()
                let (client, server) = (
                    try certificates.tlsClient(at: clock), try certificates.tlsServer(at: clock)
                )
                let refusal = await failure {
                    let deadline = Deadline(after: .seconds(1), on: clock)
                    _ =
                        isServer
                        ? try await server.secure(pair.first, deadline: deadline)
                        : try await client.secure(pair.first, host: "localhost", deadline: deadline)
                }
                #expect(refusal != nil)
            }
        }
    }

    private func clientHello() async throws -> [UInt8] {
        let pair = MemoryConnection.pair(time: time)
        let client = try certificates.tlsClient()
        let open = Task { try? await client.secure(pair.first, host: "localhost", deadline: .soon) }
        let header = try #require(try await pair.second.read(exactly: 5, deadline: .soon))
        let length = Int(header[3]) << 8 | Int(header[4])
        let body = try #require(try await pair.second.read(exactly: length, deadline: .soon))
        pair.second.close()
        _ = await open.value
        return header + body
    }
}

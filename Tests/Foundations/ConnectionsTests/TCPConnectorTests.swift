import Determinism
import Files
import Glibc
import Testing

@testable import Connections

@Suite("A TCP connector")
struct TCPConnectorTests {
    private static func port(of text: String) -> UInt16 { TCPAddress(text)?.port ?? 0 }

    @Test func `a port where nobody listens refuses`() async throws {
        let refusing = try RefusingPort()
        let address = TCPAddress(host: "127.0.0.1", port: refusing.number)
        let failure = await failure {
            _ = try await TCPConnector(time: time).connect(to: address, deadline: .soon)
        }
        let attempt = ConnectionFailure.Attempt(address: address.description, reason: "Connection refused")
        #expect(failure == .notConnected(address, [attempt]))
        #expect(failure?.description == "cannot connect to \(address): Connection refused")
    }

    @Test func `the next address is tried when one refuses`() async throws {
        let listener = try await TCPListener.open(
            TCPAddress(host: "127.0.0.1", port: 0), deadline: .soon, time: time)
        let port = listener.address.port
        let lookUps = NameLookUps { (_, port) throws(SocketAddress.LookUpError) in
            try SocketAddress.addresses(of: "::1", port: port) + SocketAddress.addresses(of: "127.0.0.1", port: port)
        }
        let connector = TCPConnector(time: time, options: TCPOptions(), lookUps: lookUps)
        let client = try await connector.connect(to: TCPAddress(host: "two.test", port: port), deadline: .soon)
        #expect(client.peer.address == "127.0.0.1:\(port)")
        let refusing = try RefusingPort()
        let failure = await failure {
            _ = try await connector.connect(to: TCPAddress(host: "two.test", port: refusing.number), deadline: .soon)
        }
        #expect(
            failure?.description
                == "cannot connect to two.test:\(refusing.number): [::1]:\(refusing.number): Connection refused; "
                + "127.0.0.1:\(refusing.number): Connection refused")
    }

    // MARK: Peers that do not answer

    /// A port that drops every packet, as a firewall does.
    private final class BlackHole: Sendable {
        let address: SocketAddress
        private let file: Int32

        init() throws {
            let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            self.file = file
            let any = try #require(SocketAddress.lookUp("127.0.0.1", port: 0).first)
            try #require(any.withPointer { bind(file, $0, $1) } == 0)
            try #require(listen(file, 1) == 0)
            // One instruction that returns 0: it keeps nothing of a packet (SO_ATTACH_FILTER of socket(7)).
            var instruction = (UInt16(6), UInt8(0), UInt8(0), UInt32(0))
            let status = withUnsafeMutablePointer(to: &instruction) { instruction in
                var filter = (UInt64(1), UInt64(UInt(bitPattern: instruction)))
                return setsockopt(file, SOL_SOCKET, SO_ATTACH_FILTER, &filter, 16)
            }
            try #require(status == 0)
            var (name, size) = (sockaddr_storage(), socklen_t(MemoryLayout<sockaddr_storage>.size))
            let found = withUnsafeMutablePointer(to: &name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                    getsockname(file, name, &size) == 0 ? SocketAddress(name, length: Int(size)) : nil
                }
            }
            address = try #require(found)
        }

        deinit { close(file) }

        var tcp: TCPAddress { TCPAddress(host: "127.0.0.1", port: address.port) }
    }

    @Test func `a host that drops packets costs no more than the deadline`() async throws {
        let hole = try BlackHole()
        let failure = await failure {
            _ = try await TCPConnector(time: time).connect(to: hole.tcp, deadline: .after(milliseconds: 50))
        }
        #expect(failure == .timedOut(.connect))
    }

    /// Stands still: the first address costs its share of the time, and the deadline never passes.
    private struct StoppedClock: TimeSource {
        func now() -> Timestamp { VirtualTimeSource.standardStart }
        func offsetSeconds(at moment: Timestamp) -> Int { 0 }
        func sleep(for duration: Duration) async throws(CancellationError) { try await time.sleep(for: .seconds(60)) }
    }

    @Test func `an address that drops packets leaves time for the next one`() async throws {
        let hole = try BlackHole()
        let listener = try await TCPListener.open(
            TCPAddress(host: "127.0.0.1", port: 0), deadline: .soon, time: time)
        let lookUps = NameLookUps { (_, _) throws(SocketAddress.LookUpError) in
            try [hole.address] + SocketAddress.addresses(of: "127.0.0.1", port: listener.address.port)
        }
        let clock = StoppedClock()
        let connector = TCPConnector(time: clock, options: TCPOptions(), lookUps: lookUps)
        let client = try await connector.connect(
            to: TCPAddress(host: "two.test", port: 1), deadline: Deadline(after: .milliseconds(200), on: clock))
        #expect(client.peer.address == listener.address.description)
    }

    @Test func `canceling ends a connect at once`() async throws {
        let hole = try BlackHole()
        let connect = Task {
            await failure { _ = try await TCPConnector(time: time).connect(to: hole.tcp, deadline: .never) }
        }
        await Task.yield()
        connect.cancel()
        #expect(await connect.value == .canceled)
    }

    // MARK: Names

    @Test func `an unknown host is told apart from a name server that does not answer`() async throws {
        for (code, expected) in [
            (EAI_NONAME, ConnectionFailure.unknownHost("shop.test")),
            (
                EAI_AGAIN,
                ConnectionFailure.lookUpFailed(host: "shop.test", reason: "Temporary failure in name resolution")
            ),
        ] {
            let lookUps = NameLookUps { (_, _) throws(SocketAddress.LookUpError) in
                throw SocketAddress.LookUpError(code: code)
            }
            let connector = TCPConnector(time: time, options: TCPOptions(), lookUps: lookUps)
            let failure = await failure {
                _ = try await connector.connect(to: TCPAddress(host: "shop.test", port: 1), deadline: .soon)
            }
            #expect(failure == expected)
        }
    }

    /// A resolver that hangs until the test lets it go.
    private final class Hang: Sendable {
        let count = Shared(0)
        private let isOver = Shared(false)

        func wait() {
            count.change { $0 += 1 }
            while !isOver.value { usleep(1000) }
        }

        func end() { isOver.change { $0 = true } }
    }

    @Test func `a hanging resolver holds up no caller, and few threads`() async throws {
        let hang = Hang()
        defer { hang.end() }
        let lookUps = NameLookUps { (_, _) throws(SocketAddress.LookUpError) in
            hang.wait()
            throw SocketAddress.LookUpError(code: EAI_AGAIN)
        }
        let connector = TCPConnector(time: time, options: TCPOptions(), lookUps: lookUps)
        func look(_ number: Int, _ deadline: Deadline) async -> ConnectionFailure? {
            await failure {
                _ = try await connector.connect(to: TCPAddress(host: "host\(number).test", port: 1), deadline: deadline)
            }
        }
        // The same host, again and again: one thread.
        for _ in 0..<3 { #expect(await look(0, .after(milliseconds: 10)) == .timedOut(.lookUp)) }
        let canceled = Task { await look(0, .never) }
        await Task.yield()
        canceled.cancel()
        #expect(await canceled.value == .canceled)
        for number in 1..<16 { #expect(await look(number, .after(milliseconds: 2)) == .timedOut(.lookUp)) }
        guard case .lookUpFailed = await look(16, .soon) else {
            Issue.record("a lookup too many")
            return
        }
        #expect(hang.count.value <= 16)
        let joined = Task { await look(0, .soon) }
        hang.end()
        guard case .lookUpFailed(_, let reason) = await joined.value else {
            Issue.record("no answer after the hang")
            return
        }
        #expect(reason == "Temporary failure in name resolution")
    }

    @Test(
        arguments: [
            ("acq.example:8583", "acq.example", 8583), ("10.0.0.1:1", "10.0.0.1", 1), ("[::1]:65535", "::1", 65535),
            ("localhost:0", "localhost", 0),
        ] as [(String, String, UInt16)])
    func `an address is read and shown`(_ text: String, _ host: String, _ port: UInt16) {
        #expect(TCPAddress(text) == TCPAddress(host: host, port: port))
        #expect(TCPAddress(text)?.description == text)
    }

    @Test(arguments: [
        "", ":1", "host", "host:", "host:65536", "host:-1", "host:+1", "::1:80", "[::1]", "a b:1", "[]:1", "h\u{0}:1",
    ])
    func `other texts are no address`(_ text: String) { #expect(TCPAddress(text) == nil) }

    @Test(arguments: [
        ("localhost", true), ("127.3.2.1", true), ("::1", true), ("::ffff:127.0.0.1", true), ("10.0.0.1", false),
        ("localhost.evil.example", false), ("127.0.0.1.evil.example", false), ("::", false), ("0.0.0.0", false),
    ])
    func `only this machine's own names and numbers are loopback`(_ host: String, _ expected: Bool) {
        #expect(TCPAddress(host: host, port: 1).isLoopback == expected)
    }
}

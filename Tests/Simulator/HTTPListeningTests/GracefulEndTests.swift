import Determinism
import Foundation
import Glibc
import Testing

@testable import HTTPListening

@Suite(.timeLimit(.minutes(10))) struct GracefulEndTests {
    /// Answers `/wait` when the test says so, and everything else at once.
    private struct Responder: HTTPResponder {
        let arrivals: AsyncStream<Void>.Continuation
        let gate: AsyncStream<Void>

        var largestBody: Int { 1024 }

        func respond(to request: IncomingRequest) async throws -> OutgoingResponse {
            if request.target == "/wait" {
                arrivals.yield()
                for await _ in gate { break }
            }
            return OutgoingResponse(status: 200, body: .bytes(Array("done".utf8)))
        }

        func refuseLargeBody() -> OutgoingResponse { OutgoingResponse(status: 413, body: .bytes([])) }

        func refuseConnection() -> OutgoingResponse { OutgoingResponse(status: 503, body: .bytes([])) }
    }

    /// A connection of a client. What waits for the server waits on a thread of its own.
    private final class Client: Sendable {
        private let descriptor: Int32

        init(_ port: Int) throws {
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(port).bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let code = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .ECONNREFUSED) }
        }

        deinit { close(descriptor) }

        func ask(_ path: String) {
            let bytes = Array("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
            #expect(write(descriptor, bytes, bytes.count) == bytes.count)
        }

        /// Reads until the end of a response, or of the connection.
        func read() async -> String {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { [descriptor] in
                    var text = ""
                    var buffer = [UInt8](repeating: 0, count: 1024)
                    while !text.hasSuffix("done") {
                        let count = Glibc.read(descriptor, &buffer, buffer.count)
                        guard count > 0 else { break }
                        text += String(decoding: buffer.prefix(count), as: UTF8.self)
                    }
                    continuation.resume(returning: text)
                }
            }
        }
    }

    private func listener(
        _ time: any TimeSource
    ) async throws -> (HTTPListener, arrivals: AsyncStream<Void>, gate: AsyncStream<Void>.Continuation) {
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let listener = try await HTTPListener.start(
            Responder(arrivals: arrival, gate: gate), host: "127.0.0.1", port: 0, name: "Test", time: time)
        return (listener, arrivals, opener)
    }

    @Test func `a request that has arrived is answered, and connections without one are closed`() async throws {
        let (listener, arrivals, gate) = try await listener(SystemTimeSource())
        let (idle, busy) = (try Client(listener.port), try Client(listener.port))
        idle.ask("/")
        #expect(await idle.read().hasSuffix("done"))
        busy.ask("/wait")
        for await _ in arrivals { break }
        async let end: Void = listener.end(within: .seconds(100))
        #expect(await idle.read() == "")
        gate.yield()
        let answer = await busy.read()
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(answer.contains("connection: close\r\n"))
        #expect(await busy.read() == "")
        await end
        #expect(throws: (any Error).self) { try Client(listener.port) }
    }

    @Test func `a request that takes longer than the limit is cut off`() async throws {
        // This clock is at the limit at once.
        let (listener, arrivals, _) = try await listener(VirtualTimeSource())
        let client = try Client(listener.port)
        client.ask("/wait")
        for await _ in arrivals { break }
        await listener.end(within: .seconds(100))
        // Its connection has ended.
        _ = await client.read()
    }
}

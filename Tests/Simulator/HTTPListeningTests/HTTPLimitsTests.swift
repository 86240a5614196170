import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import HTTPListening

/// The time of these tests is that of an embedded event loop: it passes only when a test says so.
@Suite struct HTTPLimitsTests {
    private static let limits: HTTPLimits = {
        var limits = HTTPLimits()
        (limits.head, limits.body, limits.idle, limits.piece) = (.seconds(10), .seconds(60), .seconds(50), .seconds(30))
        limits.connections = 2
        return limits
    }()
    private static let refusal: [HTTPServerResponsePart] = [
        .head(HTTPResponseHead(version: .http1_1, status: .serviceUnavailable, headers: ["content-length": "4"])),
        .body(.byteBuffer(ByteBuffer(string: "full"))), .end(nil),
    ]

    /// A client of a server that answers when the test says so.
    private struct Client {
        let channel = EmbeddedChannel()
        let isAdmitted: Bool

        init(_ doorkeeper: HTTPDoorkeeper = HTTPDoorkeeper(limits) { refusal }) throws {
            isAdmitted = try doorkeeper.admit(channel)
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        }

        var isConnected: Bool { channel.isActive }

        func send(_ text: String) throws { try channel.writeInbound(ByteBuffer(string: text)) }

        func pass(_ seconds: Int64) { channel.embeddedEventLoop.advanceTime(by: .seconds(seconds)) }

        /// Sends a request byte by byte, with a pause before each byte.
        func drip(_ text: String, every seconds: Int64) throws {
            for byte in text where isConnected {
                pass(seconds)
                if isConnected { try send(String(byte)) }
            }
        }

        /// Writes the response. A client that takes nothing is one to whom nothing is flushed.
        func answer(_ body: String = "", isTaken: Bool = true) {
            let head = HTTPResponseHead(
                version: .http1_1, status: .ok, headers: ["content-length": "\(body.utf8.count)"])
            let parts: [HTTPServerResponsePart] = [
                .head(head), .body(.byteBuffer(ByteBuffer(string: body))), .end(nil),
            ]
            for part in parts { channel.pipeline.write(part, promise: nil) }
            if isTaken { channel.flush() }
        }

        /// What the server sent.
        func received() throws -> String {
            var text = ""
            while let part = try channel.readOutbound(as: IOData.self) {
                if case .byteBuffer(let buffer) = part { text += String(buffer: buffer) }
            }
            return text
        }
    }

    private static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func `a client that sends nothing is closed after the time for a head`() throws {
        let client = try Client()
        client.pass(9)
        #expect(client.isConnected)
        client.pass(1)
        #expect(!client.isConnected)
        #expect(try client.received().isEmpty)
    }

    // MARK: Bytes that are no HTTP

    private static let chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\naaaaa\r\n"

    @Test(arguments: ["nonsense\r\n\r\n", chunked + "ZZ\r\n"])
    func `bytes that are no HTTP are answered once, and end the connection`(bytes: String) throws {
        let client = try Client()
        try client.send(bytes)
        // The server may begin its own response at the same moment.
        client.answer("late")
        let received = try client.received()
        #expect(received.hasPrefix("HTTP/1.1 400 "))
        #expect(!received.contains("late"))
        #expect(!client.isConnected)
    }

    @Test func `a body that breaks after its request was refused gets no second response`() throws {
        let client = try Client()
        try client.send(Self.chunked)
        client.answer("too much")
        try client.send("ZZ\r\n")
        let received = try client.received()
        #expect(received.hasSuffix("too much"))
        #expect(received.split(separator: "HTTP/1.1").count == 1)
    }

    @Test func `a body that breaks within its response leaves the response alone`() throws {
        let client = try Client()
        try client.send(Self.chunked)
        let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["content-length": "4"])
        client.channel.pipeline.write(HTTPServerResponsePart.head(head), promise: nil)
        try client.send("ZZ\r\n")
        let body = HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: "done")))
        client.channel.pipeline.write(body, promise: nil)
        client.channel.pipeline.write(HTTPServerResponsePart.end(nil), promise: nil)
        client.channel.flush()
        #expect(try client.received().hasSuffix("done"))
    }

    @Test func `single bytes of a head do not extend its time`() throws {
        let client = try Client()
        try client.drip("GET / HTTP/1.1\r\nX-A: ", every: 3)
        #expect(!client.isConnected)
    }

    @Test func `single bytes of a body do not extend its time`() throws {
        let client = try Client()
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n")
        client.pass(50)
        try client.drip("aaaaaaaaa", every: 1)
        #expect(client.isConnected)
        client.pass(1)
        #expect(!client.isConnected)
    }

    @Test func `the server may take any time for its response`() throws {
        let client = try Client()
        try client.send(Self.request)
        client.pass(100_000)
        #expect(client.isConnected)
        client.answer("a")
        #expect(try client.received().hasSuffix("\r\n\r\na"))
    }

    @Test func `an idle connection is closed, and one with requests is not`() throws {
        let client = try Client()
        for _ in 1...5 {
            try client.send(Self.request)
            client.answer()
            client.pass(49)
            #expect(client.isConnected)
        }
        client.pass(1)
        #expect(!client.isConnected)
    }

    @Test func `the next request has the time for a head from its first byte`() throws {
        let client = try Client()
        try client.send(Self.request)
        client.answer()
        client.pass(45)
        try client.send("G")
        client.pass(9)
        #expect(client.isConnected)
        try client.send(String(Self.request.dropFirst()))
        client.pass(1000)
        #expect(client.isConnected)
        client.answer()
        try client.send("G")
        client.pass(10)
        #expect(!client.isConnected)
    }

    @Test func `requests sent in one piece are answered one after another`() throws {
        let client = try Client()
        try client.send(Self.request + Self.request)
        client.answer("first")
        client.pass(1000)
        #expect(client.isConnected)
        client.answer("second")
        #expect(try client.received().hasSuffix("second"))
        client.pass(50)
        #expect(!client.isConnected)
    }

    @Test func `a client that takes no response is closed`() throws {
        let client = try Client()
        try client.send(Self.request)
        client.answer("long", isTaken: false)
        client.pass(29)
        #expect(client.isConnected)
        client.pass(1)
        #expect(!client.isConnected)
    }

    @Test func `a client that takes each piece of a stream in time stays`() throws {
        let client = try Client()
        try client.send(Self.request)
        let head = HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok))
        client.channel.pipeline.write(head, promise: nil)
        for _ in 1...10 {
            let piece = HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: "a")))
            client.channel.pipeline.write(piece, promise: nil)
            client.pass(29)
            client.channel.flush()
            #expect(client.isConnected)
        }
        client.pass(10_000)
        #expect(client.isConnected)
    }

    @Test func `the server learns when the client has the whole response`() throws {
        let client = try Client()
        try client.send(Self.request)
        client.answer("long", isTaken: false)
        let taken = client.channel.triggerUserOutboundEvent(HTTPPatience.AllTaken())
        var isTaken = false
        taken.assumeIsolated().whenSuccess { isTaken = true }
        client.channel.embeddedEventLoop.run()
        #expect(!isTaken)
        client.channel.flush()
        client.channel.embeddedEventLoop.run()
        #expect(isTaken)
    }

    @Test func `a connection beyond the limit is refused until another one ends`() throws {
        let doorkeeper = HTTPDoorkeeper(Self.limits) { Self.refusal }
        let (first, second) = (try Client(doorkeeper), try Client(doorkeeper))
        let third = try Client(doorkeeper)
        #expect(first.isAdmitted && second.isAdmitted && !third.isAdmitted)
        #expect(try third.received() == "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 4\r\n\r\nfull")
        third.pass(1)
        #expect(!third.isConnected)
        #expect(try !Client(doorkeeper).isAdmitted)
        try first.channel.close().wait()
        first.channel.embeddedEventLoop.run()
        #expect(try Client(doorkeeper).isAdmitted)
    }
}

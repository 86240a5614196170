import Determinism
import Synchronization

/// A TLS connection over another connection, which it owns.
///
/// An end of the stream without TLS's `close_notify` is ``TLSFailure/truncated``. With TLS 1.3, a client learns only by
/// its first read that the server refuses its certificate.
public final class TLSConnection: ByteConnection {
    public let peer: ConnectionPeer
    private let base: any ByteConnection
    private let engine: Mutex<TLSEngine>
    private let time: any TimeSource
    private let (readers, writers) = (Turns(), Turns())
    private let isClosed = Mutex(false)

    private init(_ base: any ByteConnection, _ engine: sending TLSEngine, _ time: any TimeSource) {
        (self.base, self.time) = (base, time)
        peer = ConnectionPeer(address: base.peer.address, security: engine.peer)
        self.engine = Mutex(engine)
    }

    deinit { close() }

    // MARK: The handshake

    /// The bytes to read from the peer at once: a record and its header.
    private static let mostReadAtOnce = 16_640
    /// How long a side waits for the other's reason when a write of the handshake fails.
    private static let parting = Duration.seconds(1)
    /// How long a refusal of a server waits for the peer to read its reason, and to go. With TLS 1.3 the client
    /// believes the handshake done, and sends its first message: to a closed connection it would get a reset for an
    /// answer, and the reset takes the alert with it. A busy client needs more than a moment.
    private static let refusing = Duration.seconds(5)

    /// Carries out the handshake.
    ///
    /// - Throws: ``ConnectionFailure``; the connection below is closed then.
    static func open(
        over base: any ByteConnection, _ context: TLSContext, expectedName: String?, deadline: Deadline,
        time: any TimeSource
    ) async throws(ConnectionFailure) -> TLSConnection {
        do throws(ConnectionFailure) {
            let engine: TLSEngine
            do throws(TLSFailure) {
                engine = try TLSEngine(context, expectedName: expectedName, at: time.now())
            } catch {
                throw .tls(error)
            }
            var isFirst = true
            while true {
                let step = engine.handshake()
                let output = engine.takeOutput()
                if case .failed(let failure) = step {
                    // The alert tells the peer why.
                    if !output.isEmpty { await part(base, context.side, saying: output, time) }
                    throw .tls(failure)
                }
                if !output.isEmpty { try await send(output, to: base, engine, deadline, time) }
                if case .done = step { return TLSConnection(base, engine, time) }
                guard let bytes = try await input(of: base, deadline) else { throw .tls(.closedInHandshake) }
                if isFirst, !looksLikeTLS(bytes) { throw .tls(.notTLS(firstBytes: masked(bytes))) }
                isFirst = false
                engine.feed(bytes)
            }
        } catch {
            base.close()
            throw error
        }
    }

    private static func input(
        of base: any ByteConnection, _ deadline: Deadline
    ) async throws(ConnectionFailure) -> [UInt8]? {
        do throws(ConnectionFailure) {
            return try await base.read(upTo: mostReadAtOnce, deadline: deadline)
        } catch {
            guard case .timedOut = error else { throw error }
            throw .timedOut(.handshake)
        }
    }

    /// Sends bytes of the handshake. A peer that refuses may close its connection at once; its alert says more than the
    /// error of the write.
    private static func send(
        _ output: [UInt8], to base: any ByteConnection, _ engine: TLSEngine, _ deadline: Deadline,
        _ time: any TimeSource
    ) async throws(ConnectionFailure) {
        do throws(WriteFailure) {
            try await base.write(output, deadline: deadline)
        } catch let failure {
            switch failure.reason {
            case .timedOut: throw .timedOut(.handshake)
            case .canceled, .closed: throw failure.reason
            default: break
            }
            let rest = deadline.limited(to: parting, on: time)
            while true {
                let read: [UInt8]?
                do throws(ConnectionFailure) {
                    read = try await base.read(upTo: mostReadAtOnce, deadline: rest)
                } catch {
                    throw failure.reason
                }
                guard let read else { throw .tls(.closedInHandshake) }
                engine.feed(read)
                if case .failed(let alert) = engine.handshake() { throw .tls(alert) }
            }
        }
    }

    /// Sends an alert, and waits for the peer to go: closing with unread bytes would break the connection off, and the
    /// peer might never see the alert.
    private static func part(
        _ base: any ByteConnection, _ side: TLSContext.Side, saying alert: [UInt8], _ time: any TimeSource
    ) async {
        let deadline = Deadline(after: side == .server ? refusing : parting, on: time)
        guard (try? await base.write(alert, deadline: deadline)) != nil, side == .server else { return }
        var unread = 0
        while unread < 1 << 20, let bytes = try? await base.read(upTo: mostReadAtOnce, deadline: deadline) {
            unread += bytes.count
        }
    }

    /// Whether bytes can begin a handshake record or an alert of TLS 1.0 to 1.3.
    private static func looksLikeTLS(_ bytes: [UInt8]) -> Bool {
        guard let kind = bytes.first, kind == 21 || kind == 22 else { return false }
        return bytes.count < 2 || bytes[1] == 3
    }

    /// The first bytes of a peer that does not speak TLS, for a person: letters and marks show the protocol. Digits are
    /// masked, and other bytes too, because they may be those of a card.
    static func masked(_ bytes: [UInt8]) -> String {
        String(
            decoding: bytes.prefix(16).map { byte in
                switch byte {
                case 0x30...0x39: UInt8(ascii: "*")
                case 0x20...0x7E: byte
                default: UInt8(ascii: ".")
                }
            }, as: UTF8.self)
    }

    // MARK: Bytes

    public func read(upTo limit: Int, deadline: Deadline) async throws(ConnectionFailure) -> [UInt8]? {
        try await readers.take(until: deadline, on: time, for: .read)
        defer { readers.release() }
        while true {
            guard !Task.isCancelled else { throw .canceled }
            guard !isClosed.withLock({ $0 }) else { throw .closed }
            let (incoming, backlog) = engine.withLock { ($0.read(upTo: limit), $0.pendingOutput) }
            switch incoming {
            case .bytes(let bytes): return bytes
            case .end: return nil
            case .failed(let failure):
                fail()
                throw .tls(failure)
            case .needsInput:
                // Answers that the protocol demands leave with the next write. No honest peer demands many.
                guard backlog < Self.mostReadAtOnce else {
                    fail()
                    throw .tls(.failed(reason: "the peer demands too many answers"))
                }
                guard let bytes = try await base.read(upTo: Self.mostReadAtOnce, deadline: deadline) else {
                    close()
                    throw .tls(.truncated)
                }
                engine.withLock { $0.feed(bytes) }
            }
        }
    }

    public func write(_ bytes: [UInt8], deadline: Deadline) async throws(WriteFailure) {
        do throws(ConnectionFailure) {
            guard deadline.remaining(on: time) > .zero else { throw .timedOut(.write) }
            try await writers.take(until: deadline, on: time, for: .write)
        } catch {
            throw .notSent(error)
        }
        defer { writers.release() }
        guard !Task.isCancelled else { throw .notSent(.canceled) }
        guard !isClosed.withLock({ $0 }) else { throw .notSent(.closed) }
        var rest = bytes[...]
        var isBegun = false
        while !rest.isEmpty {
            let part = rest.prefix(Self.mostEncipheredAtOnce)
            let (step, output) = engine.withLock { ($0.write(part), $0.takeOutput()) }
            do throws(WriteFailure) {
                if case .failed(let failure) = step { throw .notSent(.tls(failure)) }
                try await base.write(output, deadline: deadline)
            } catch {
                // The enciphered bytes can't be taken back, and the peer would miss them in what follows.
                close()
                throw isBegun ? .maybeSent(error.reason) : error
            }
            isBegun = true
            rest = rest.dropFirst(part.count)
        }
    }

    private static let mostEncipheredAtOnce = 1 << 16

    /// Closes with the alert that libssl has made.
    private func fail() {
        isClosed.withLock { $0 = true }
        // Within another record, nothing can be said.
        guard writers.takeIfFree() else { return base.close() }
        base.close(sending: engine.withLock { $0.takeOutput() })
        writers.release()
    }

    public func close(sending last: [UInt8]) {
        let wasClosed = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return isClosed
        }
        guard !wasClosed else { return }
        // Within another record, nothing can be said.
        guard writers.takeIfFree() else { return base.close() }
        let output = engine.withLock { engine in
            if !last.isEmpty { _ = engine.write(last[...]) }
            engine.finish()
            return engine.takeOutput()
        }
        base.close(sending: output)
        writers.release()
    }

    public func reset() {
        isClosed.withLock { $0 = true }
        base.reset()
    }
}

/// What TLS says about the peer of a connection.
public struct TLSPeer: Hashable, Sendable {
    /// `TLSv1.2` or `TLSv1.3`
    public let version: String
    /// The cipher suite, for example `TLS_AES_256_GCM_SHA384`.
    public let cipher: String
    /// The certificate; nil for a client without one.
    public let certificate: CertificateSummary?
}

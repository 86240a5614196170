import CardSecrets
public import Connections
import Determinism
import HostSecurity
import ISO8583

/// Serves the clients of a simulated acquirer, each connection for itself.
///
/// What goes wrong on a connection ends that connection only. Every wait has a limit.
public struct AcquirerServer: Sendable {
    let acquirer: SimulatedAcquirer
    let faults: AcquirerFaultPlan
    let limits: AcquirerLimits
    let codec: MessageCodec
    let onEvent: @Sendable (AcquirerEvent) -> Void

    /// - Parameters:
    ///   - acquirer: decides.
    ///   - faults: which messages get a fault.
    ///   - limits: the limits of each connection.
    ///   - onEvent: called with each event. It must not wait.
    public init(
        _ acquirer: SimulatedAcquirer, faults: AcquirerFaultPlan, limits: AcquirerLimits = AcquirerLimits(),
        onEvent: @escaping @Sendable (AcquirerEvent) -> Void = { _ in }
    ) {
        (self.acquirer, self.faults, self.limits, self.onEvent) = (acquirer, faults, limits, onEvent)
        codec = acquirer.profile.makeCodec()
    }

    /// Serves one client to the end of its connection, and closes it.
    public func serve(_ connection: any ByteConnection) async {
        let peer = connection.peer.address
        onEvent(.connected(peer: peer))
        let reason = await withDiscardingTaskGroup { group in
            var session = AcquirerSession(self, connection)
            let reason = await session.run(&group)
            // Answers that wait for their time end with their connection.
            group.cancelAll()
            return reason
        }
        connection.close()
        onEvent(.closed(peer: peer, reason: reason))
    }
}

/// One connection of a client.
struct AcquirerSession {
    private let server: AcquirerServer
    private let connection: any ByteConnection
    private var frames: FrameReader
    private var malformed = 0
    private var lateAnswers = 0
    private var isSignedOff = false

    private var time: any TimeSource { server.acquirer.time }
    private var profile: MessageProfile { server.acquirer.profile }
    private var peer: String { connection.peer.address }

    init(_ server: AcquirerServer, _ connection: any ByteConnection) {
        (self.server, self.connection) = (server, connection)
        frames = FrameReader(server.acquirer.profile.frame)
    }

    /// Why a connection ends.
    private enum End: Error {
        case reason(String)
    }

    /// Answers messages until the connection ends.
    ///
    /// - Returns: Why it ended, in words.
    mutating func run(_ group: inout DiscardingTaskGroup) async -> String {
        do throws(End) {
            while true {
                let content = try await next()
                switch content {
                case .keepAlive: try await answerKeepAlive()
                case .body(var body):
                    defer { body.wipe() }
                    try await take(body, &group)
                }
            }
        } catch {
            guard case .reason(let reason) = error else { return "" }
            return reason
        }
    }

    /// Waits for the next whole frame.
    private mutating func next() async throws(End) -> FrameReader.Content {
        var deadline = Deadline(after: server.limits.silence, on: time)
        var isWithinFrame = false
        while true {
            do throws(FrameError) {
                if let content = try frames.next() { return content }
            } catch {
                server.onEvent(.malformed(peer: peer, reason: "\(error)"))
                throw .reason("the bytes are no frames of the profile")
            }
            if !isWithinFrame, frames.pendingCount > 0 {
                (deadline, isWithinFrame) = (Deadline(after: server.limits.frame, on: time), true)
            }
            let bytes: [UInt8]?
            do throws(ConnectionFailure) { bytes = try await connection.read(upTo: 16_384, deadline: deadline) } catch {
                guard case .timedOut = error else { throw .reason("\(error)") }
                throw .reason(isWithinFrame ? "a frame took too long" : "no message for too long")
            }
            guard let bytes else { throw .reason(isWithinFrame ? "ended within a frame" : "the client hung up") }
            frames.feed(bytes)
        }
    }

    private func answerKeepAlive() async throws(End) {
        guard profile.keepAlive.isAnswered, let frame = profile.frame.keepAlive else { return }
        try await write(frame)
    }

    private mutating func take(_ body: [UInt8], _ group: inout DiscardingTaskGroup) async throws(End) {
        let decoded: DecodedMessage
        do throws(MessageError) { decoded = try server.codec.decode(body) } catch {
            server.onEvent(.malformed(peer: peer, reason: "\(error)"))
            malformed += 1
            guard malformed < server.limits.malformed else { throw .reason("too many messages that cannot be read") }
            return
        }
        // An answer to nothing: what a client sends by mistake must not make a loop of answers.
        guard !decoded.message.type.isAnswer else {
            return server.onEvent(.malformed(peer: peer, reason: "\(decoded.message.type) is no request"))
        }
        let check = await server.acquirer.check(decoded, body)
        let reading: Result<AcquirerRequest, AcquirerRefusal> =
            check.refusal.map { .failure($0) } ?? server.acquirer.read(decoded.message)
        let request = try? reading.get()
        let fault = server.faults.take(request)
        if request?.kind == .signOn { isSignedOff = false }
        if fault?.kind == .signedOff { isSignedOff = true }
        let answer = await answer(reading, decoded.message, fault)
        report(answer, decoded.message, request, fault)
        if let fault, fault.kind == .halfOpen {
            try? await time.sleep(for: server.limits.halfOpen)
            throw .reason("half-open by a fault")
        }
        if let fault, fault.kind == .closedBefore || fault.kind == .closedAfter { throw .reason("closed by a fault") }
        guard let message = answer?.message, fault?.kind != .answerLost else { return }
        try await send(message, header: profile.header.answer(to: decoded.header), check.seal, fault, &group)
    }

    /// Carries out a message, unless a fault is in the way.
    private func answer(
        _ reading: Result<AcquirerRequest, AcquirerRefusal>, _ message: ISOMessage, _ fault: AcquirerFault?
    ) async -> AcquirerAnswer? {
        func refuse(_ code: String, _ refusal: AcquirerRefusal? = nil) -> AcquirerAnswer {
            AcquirerAnswer(refusing: message, code: code, refusal, profile: profile)
        }
        switch fault?.kind {
        case .closedBefore, .halfOpen, .ledgerDown: return nil
        case .busy: return refuse(ResponseCodes.busy)
        case .duplicate: return refuse(ResponseCodes.duplicate)
        default: break
        }
        switch reading {
        case .failure(let refusal): return refuse(refusal.code, refusal)
        case .success(let request):
            if isSignedOff, request.isAboutMoney { return refuse(ResponseCodes.signedOff) }
            return await server.acquirer.answer(request)
        }
    }

    private func report(
        _ answer: AcquirerAnswer?, _ message: ISOMessage, _ request: AcquirerRequest?, _ fault: AcquirerFault?
    ) {
        if let trouble = answer?.trouble { server.onEvent(.ledgerFailed(trouble)) }
        let response = answer?.message == nil ? nil : answer?.response
        server.onEvent(
            .message(
                AcquirerReport(
                    peer: peer, type: "\(message.type)", kind: request?.kind.rawValue, terminal: request?.key.terminal,
                    merchant: request?.merchant, traceNumber: request?.traceNumber ?? message.text(of: 11),
                    amount: request?.amount, lastFour: request?.lastFour, response: response,
                    meaning: response.flatMap { profile.results.meaning(of: $0) }, state: answer?.state,
                    isRepeat: answer?.isRepeat ?? false, refusal: answer?.refusal.map { "\($0)" }, fault: fault?.kind)))
    }

    /// Sends an answer, with the fault that it has.
    private mutating func send(
        _ answer: ISOMessage, header: [UInt8], _ seal: AcquirerKeys.Seal?, _ fault: AcquirerFault?,
        _ group: inout DiscardingTaskGroup
    ) async throws(End) {
        let frame: [UInt8]
        do throws(MessageError) {
            frame = try await AcquirerFrame.make(answer, header: header, seal, fault?.kind, server.codec, profile)
        } catch {
            throw .reason("the answer cannot be written: \(error)")
        }
        switch fault?.kind {
        case .answerLate:
            guard lateAnswers < server.limits.lateAnswers else { return }
            lateAnswers += 1
            let (connection, time, limit) = (connection, time, server.limits.write)
            let delay = fault?.duration ?? .zero
            group.addTask {
                guard (try? await time.sleep(for: delay)) != nil else { return }
                try? await connection.write(frame, deadline: Deadline(after: limit, on: time))
            }
        case .answerDoubled: try await write(frame + frame)
        case .cutFrame:
            try await write(Array(frame.prefix(frame.count / 2)))
            throw .reason("closed by a fault")
        case .slowBytes:
            for byte in frame {
                try await write([byte])
                guard (try? await time.sleep(for: fault?.duration ?? .zero)) != nil else { throw .reason("canceled") }
            }
        default: try await write(frame)
        }
    }

    private func write(_ bytes: [UInt8]) async throws(End) {
        do throws(WriteFailure) {
            try await connection.write(bytes, deadline: Deadline(after: server.limits.write, on: time))
        } catch {
            throw .reason("\(error.reason)")
        }
    }
}

/// Makes the frame of an answer, also of one that is wrong on purpose.
enum AcquirerFrame {
    static func make(
        _ answer: ISOMessage, header: [UInt8], _ seal: AcquirerKeys.Seal?, _ fault: AcquirerFault.Kind?,
        _ codec: MessageCodec, _ profile: MessageProfile
    ) async throws(MessageError) -> [UInt8] {
        var answer = answer
        switch fault {
        case .wrongRequest:
            let digits = answer.text(of: 11) ?? ""
            let other = (Int(digits) ?? 0) % 999_998 + 1
            answer.set(11, String(String(repeating: "0", count: digits.count) + "\(other)").suffixText(digits.count))
        case .wrongType:
            // The class of another message: an authorization instead of a sale.
            let other: UInt16 = answer.type.messageClass == 1 ? 2 : 1
            if let type = MessageType(packed: answer.type.packed & 0xF0FF | other << 8) { answer.type = type }
        default: break
        }
        var body = try await sealed(try codec.encode(answer, header: header, hasMAC: seal != nil), seal, fault)
        if fault == .damagedBitmap {
            let digits = profile.encoding.bitmap == .binary ? 8 : 16
            let place = header.count + (profile.encoding.messageType == .bcd ? 2 : 4) + digits - 1
            // The last fields of the bitmap, or a character that is no digit.
            if place < body.count { body[place] = digits == 8 ? body[place] ^ 0xFF : 0x5A }
        }
        return profile.frame.frame(body) ?? []
    }

    /// Puts in the MAC; a wrong one has one bit changed.
    private static func sealed(
        _ message: EncodedMessage, _ seal: AcquirerKeys.Seal?, _ fault: AcquirerFault.Kind?
    ) async throws(MessageError) -> [UInt8] {
        guard let seal else { return message.bytes }
        var message = message
        var mac =
            (try? await seal.authenticator.code(message.covered, key: seal.key, fieldLength: message.macLength ?? 0))
            ?? []
        if fault == .wrongMAC, !mac.isEmpty { mac[0] ^= 1 }
        try message.seal(with: mac)
        return message.bytes
    }
}

extension String {
    /// The last characters as text.
    fileprivate func suffixText(_ count: Int) -> String { String(suffix(count)) }
}

/// How long connections of the simulated acquirer may take, and how much they may send.
public struct AcquirerLimits: Hashable, Sendable {
    /// The longest silence between messages.
    public var silence = Duration.seconds(600)
    /// The longest time from the first byte of a frame to its last.
    public var frame = Duration.seconds(20)
    /// The longest time for a client to take an answer.
    public var write = Duration.seconds(20)
    /// The messages that cannot be read, after which a connection is closed.
    public var malformed = 10
    /// The answers of a connection that may wait for their time.
    public var lateAnswers = 256
    /// How long a half-open connection stays.
    public var halfOpen = Duration.seconds(600)

    public init() {}
}

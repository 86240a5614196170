import CardSecrets
import Concurrency
import Connections
import Determinism
import ISO8583

extension HostLink {
    /// Takes what a read gave.
    ///
    /// - Returns: the end of the next read; nil when the connection ended.
    func take(_ read: Result<[UInt8]?, ConnectionFailure>, from wire: Wire) async -> Deadline? {
        guard self.wire === wire else { return nil }
        switch read {
        case .success(let bytes?):
            wire.isProbed = false
            wire.feed(bytes)
            do throws(FrameError) {
                while let content = try wire.next() {
                    switch content {
                    case .keepAlive: takeKeepAlive(wire)
                    case .body(var body):
                        await take(body)
                        body.wipe()
                    }
                }
            } catch {
                end(wire, .frame(error))
                return nil
            }
            return nextRead()
        case .success(nil):
            end(wire, wire.unfinished.map(HostProblem.frame) ?? .hangUp)
            return nil
        case .failure(.timedOut):
            probe(wire)
            return nextRead()
        case .failure(let failure):
            end(wire, .connection(failure))
            return nil
        }
    }

    /// Takes header and message.
    private func take(_ body: [UInt8]) async {
        let decoded: DecodedMessage
        do throws(MessageError) { decoded = try codec.decode(body) } catch {
            trace(body, answering: nil)
            return onEvent(.malformed(error))
        }
        let message = decoded.message
        let found = MessageKey(answer: message, fields: profile.matching.key)
        let expected = found.flatMap { pending[$0] }
        // An answer with a MAC is traced with what became of that.
        if expected?.seal == nil { trace(body, answering: expected) }
        guard let key = found else { return report(message, .request) }
        guard let waiting = pending[key] else { return report(message, reason(for: key)) }
        do throws(MessageError) {
            try profile.header.check(decoded.header, answers: profile.header.bytes)
        } catch {
            if waiting.seal != nil { trace(body, answering: waiting) }
            return report(message, .wrongHeader)
        }
        // A token may take its time for a MAC; the request may be given up meanwhile.
        let refused = await refusal(of: decoded, body, waiting.seal)
        if waiting.seal != nil { trace(body, answering: waiting, problem: refused) }
        if let refused {
            if pending[key]?.answer === waiting.answer { pending[key]?.refused = refused }
            return
        }
        let changed = profile.matching.differences(between: waiting.request, and: message)
        guard changed.isEmpty else { return report(message, .changed(changed)) }
        guard waiting.answer.give(.success(message)) else { return report(message, .late) }
        if pending[key]?.answer === waiting.answer { pending[key] = nil }
        answered.insert(key)
    }

    private func trace(_ body: [UInt8], answering request: Pending?, problem: HostProblem? = nil) {
        guard let onMessage else { return }
        let message = TracedMessage(
            .received, body, kind: request?.kind, answering: request?.request, codec: codec, profile: profile,
            at: time.now())
        onMessage(problem.map { message.refused(because: "\($0)") } ?? message)
    }

    /// Why an answer has no waiting request.
    private func reason(for key: MessageKey) -> UnmatchedMessage.Reason {
        if answered.contains(key) { return .duplicate }
        if givenUp.contains(key) { return .late }
        guard let terminal = profile.matching.key.firstIndex(of: 41) else { return .unknown }
        let isOthers = pending.keys.contains { other in
            other.answer == key.answer
                && other.values.indices.allSatisfy { ($0 == terminal) != (other.values[$0] == key.values[$0]) }
        }
        return isOthers ? .otherTerminal : .unknown
    }

    func report(_ message: ISOMessage, _ reason: UnmatchedMessage.Reason) {
        func text(_ field: Int) -> String? { message.text(of: field).map { CardNumberMask.masked($0) } }
        onEvent(
            .unmatched(
                UnmatchedMessage(
                    reason: reason, type: message.type, traceNumber: text(11) ?? "", responseCode: text(39))))
    }

    /// Answers a keep-alive in kind, unless it answers one of this side.
    private func takeKeepAlive(_ wire: Wire) {
        onEvent(.keepAlive)
        guard !wire.takeAnswer(), profile.keepAlive.isAnswered, let frame = profile.frame.keepAlive else { return }
        send(frame, on: wire)
    }

    /// Asks a silent connection for a sign of life. A second silence after an echo means that it is half open.
    private func probe(_ wire: Wire) {
        guard wire.isReady else { return }
        if profile.keepAlive.kind == .zeroLength, let frame = profile.frame.keepAlive {
            wire.countKeepAlive()
            return send(frame, on: wire)
        }
        guard !wire.isProbed, pending.isEmpty else { return }
        wire.isProbed = true
        Task { [weak self] in
            guard let failure = await self?.echoFailure() else { return }
            await self?.endProbed(wire, failure)
        }
    }

    private func echoFailure() async -> HostFailure? {
        do throws(HostFailure) { try await echo() } catch { return error }
        return nil
    }

    private func endProbed(_ wire: Wire, _ failure: HostFailure) {
        end(wire, failure.problem == .noAnswer ? .halfOpen : failure.problem)
    }

    /// Sends a keep-alive. It is short, so that a connection that does not take it is no connection any more.
    private func send(_ frame: [UInt8], on wire: Wire) {
        let deadline = Deadline(after: profile.connectTimeout, on: time)
        Task { [weak self] in
            do throws(WriteFailure) { try await wire.connection.write(frame, deadline: deadline) } catch {
                await self?.end(wire, .connection(error.reason))
            }
        }
    }
}

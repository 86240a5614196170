import CardSecrets
public import HostSecurity
import ISO8583

extension HostLink {
    /// Asks the host for new keys, and takes them.
    ///
    /// - Throws: ``HostFailure``; ``HostProblem/keyExchange(_:)`` when the host gives none.
    public func exchangeKeys() async throws(HostFailure) {
        try await connect()
        guard let wire else { throw .notSent(.hangUp) }
        try await exchangeKeys(wire)
    }

    /// The key for the next PIN: that which terminal and host share, which is exchanged before when there is none, or
    /// the next one of the terminal's initial key (DUKPT). Nil when the profile or the key file has none.
    ///
    /// - Throws: ``HostFailure``
    public func pinKey() async throws(HostFailure) -> PINKey? {
        guard let security, let rule = profile.security.pin else { return nil }
        guard rule.scheme == .masterSession else { return try await security.pinKey() }
        try await connect()
        if security.needsKeys, let wire { try await renewKeys(wire) }
        return try await security.pinKey()
    }

    /// Exchanges keys before another message, of which nothing has left when that fails. Several messages share one
    /// exchange.
    func renewKeys(_ wire: Wire) async throws(HostFailure) {
        let task: Task<HostFailure?, Never>
        if let renewal {
            task = renewal
        } else {
            task = Task { [weak self] in await self?.keyFailure(wire) }
            renewal = task
        }
        let failure = await task.value
        if renewal == task { renewal = nil }
        if let failure { throw .notSent(failure.problem) }
    }

    private func keyFailure(_ wire: Wire) async -> HostFailure? {
        do throws(HostFailure) { try await exchangeNamedKeys(wire) } catch {
            // The connection may be half open.
            if error.problem == Self.silence { renew() }
            return error
        }
        return nil
    }

    private static let silence = HostProblem.keyExchange("the host did not answer in time")

    /// Exchanges keys for another message, whose failure must say that the host was silent about the keys.
    func exchangeNamedKeys(_ wire: Wire) async throws(HostFailure) {
        do throws(HostFailure) { try await exchangeKeys(wire) } catch {
            guard error.problem == .noAnswer else { throw error }
            throw .outcomeUnknown(Self.silence)
        }
    }

    func exchangeKeys(_ wire: Wire) async throws(HostFailure) {
        guard let security, let field = security.field else {
            throw .notSent(.keyExchange("the profile or the key file has none"))
        }
        let message = try network.message(.keyExchange, traceNumber: await traceNumbers.next())
        let answer = try await exchange(message, as: .keyExchange, limit: settings.networkAnswer, on: wire)
        let code = answer.text(of: 39) ?? ""
        guard network.accepts(code) else {
            let meaning = profile.results.meaning(of: code).map { " (\($0))" } ?? ""
            throw .outcomeUnknown(.keyExchange("the host answered \(code)\(meaning)"))
        }
        do throws(SessionKeyError) { security.take(try await field.read(answer)) } catch {
            throw .outcomeUnknown(.keyExchange("\(error)"))
        }
    }

    /// The keys and the maker of the MACs of a message and its answer; nil for one without a MAC. Under DUKPT the
    /// message gets its key serial number.
    func seal(_ request: inout ISOMessage, as kind: MessageKind) async throws(HostFailure) -> LinkSecurity.Seal? {
        guard profile.security.mac?.messages.contains(kind) == true else { return nil }
        guard let seal = try await security?.seal(&request) else { throw .notSent(.needsKey(kind)) }
        return seal
    }

    /// Writes a request, with its MAC where it has one.
    func sealed(_ request: ISOMessage, with seal: LinkSecurity.Seal?) async throws(HostFailure) -> [UInt8] {
        var message: EncodedMessage
        do throws(MessageError) { message = try codec.encode(request, hasMAC: seal != nil) } catch {
            throw .notSent(.message(error))
        }
        guard let seal else { return message.bytes }
        do throws(MACFailure) { try await seal.authenticator.seal(&message, with: seal.key) } catch {
            message.bytes.wipe()
            throw .notSent(.mac("\(error)"))
        }
        return message.bytes
    }

    /// Returns why an answer to a waiting request is none: it has no MAC, or a wrong one. The wait goes on then, and
    /// keys are exchanged before the next message, because the host may have lost them. Nil when the MAC is right, or
    /// none is needed.
    func refusal(of answer: DecodedMessage, _ body: [UInt8], _ seal: LinkSecurity.Seal?) async -> HostProblem? {
        if let seal {
            let finding = await seal.authenticator.check(answer, in: body, with: seal.answerKey)
            guard finding == .right else {
                security?.makeStale()
                report(answer.message, finding == .wrong ? .wrongMAC : .noMAC)
                return .wrongMAC(key: keyName(of: seal), isMissing: finding != .wrong)
            }
        }
        security?.note(code: answer.message.text(of: 39))
        return nil
    }

    /// The name of a key of MACs, and of that under which the host sends it.
    private func keyName(of seal: LinkSecurity.Seal) -> String {
        let rule = seal.authenticator.rule
        let isSent = rule.scheme == .masterSession && security?.exchangesKeys == true
        return "'\(rule.key)'" + (isSent ? ", and of '\(profile.security.masterKey)', under which it comes," : "")
    }
}

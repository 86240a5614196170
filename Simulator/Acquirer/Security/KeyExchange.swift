import ISO8583

extension SimulatedAcquirer {
    /// Gives new keys to a terminal.
    func keyExchange(_ request: AcquirerRequest) async -> AcquirerDecision {
        guard let given = await keys.exchange(terminal: request.key.terminal, random) else {
            return AcquirerDecision(ResponseCodes.notSupported)
        }
        var decision = AcquirerDecision(ResponseCodes.approved)
        // The keys are under the master key. A character for each byte, as messages have them.
        decision.fields[given.field] = String(String.UnicodeScalarView(given.value.map { Unicode.Scalar($0) }))
        return decision
    }

    /// Checks the MAC of a message.
    nonisolated func check(_ message: DecodedMessage, _ body: [UInt8]) async -> AcquirerKeys.Check {
        let sender = AcquirerRequest.sender(of: message.message, profile)
        return await keys.check(message, body, sender.kind, terminal: sender.terminal)
    }
}

internal import SmartCard

/// Sends the issuer's scripts to the card (EMV Book 3 §10.10).
struct IssuerScriptProcessing {
    let session: CardSession

    /// Every script is tried; one stops at its first command that fails.
    ///
    /// - Throws: when the card is gone. What happened up to then is in the transaction.
    func perform(
        _ templates: [[UInt8]], beforeFinalCryptogram: Bool, _ transaction: inout Transaction
    ) async throws(KernelStop) {
        guard !templates.isEmpty else { return }
        session.observe(.issuerScripts(beforeFinalCryptogram: beforeFinalCryptogram))
        transaction.statusInformation.insert(.scriptProcessingPerformed)
        for template in templates {
            var statuses: [StatusWord] = []
            let script = IssuerScript(template: template)
            let outcome: IssuerScriptResult.Outcome
            var stop: KernelStop?
            if let script {
                do throws(KernelStop) { outcome = try await send(script, &statuses) } catch {
                    outcome = .failed(command: statuses.count + 1)
                    stop = error
                }
            } else {
                outcome = .notPerformed
            }
            transaction.scriptResults.append(
                IssuerScriptResult(
                    outcome: outcome,
                    identifier: script.map(\.identifier) ?? IssuerScript.identifier(ofUnreadable: template),
                    isBeforeFinalCryptogram: beforeFinalCryptogram,
                    statuses: statuses))
            if outcome != .successful {
                transaction.verificationResults.insert(
                    beforeFinalCryptogram ? .scriptFailedBeforeFinalCryptogram : .scriptFailedAfterFinalCryptogram)
            }
            if let stop { throw stop }
        }
    }

    private func send(
        _ script: IssuerScript, _ statuses: inout [StatusWord]
    ) async throws(KernelStop) -> IssuerScriptResult.Outcome {
        for (index, bytes) in script.commands.enumerated() {
            guard let command = try? CommandAPDU(bytes: bytes) else { return .failed(command: index + 1) }
            let status = try await session.transmit(command).status
            statuses.append(status)
            guard status.sw1 == 0x90 || status.isWarning else {
                return .failed(command: index + 1)
            }
        }
        return .successful
    }
}

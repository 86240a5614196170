public import SmartCard

/// An issuer script: commands from the issuer to the card, in template 71 or 72 (EMV Book 3 §10.10, Book 4 §6.3.9).
struct IssuerScript: Hashable, Sendable {
    /// Tag 9F18, four bytes; nil if the script has none.
    let identifier: [UInt8]?
    /// The values of the objects 86, in order.
    let commands: [[UInt8]]

    /// Parses the value field of template 71 or 72; nil if it is not valid. Then none of its commands is sent.
    init?(template: [UInt8]) {
        guard let objects = try? BERTLV.parse(template) else { return nil }
        let identifiers = objects.filter { $0.tag == EMVTag.issuerScriptIdentifier }.map(\.value)
        guard identifiers.count <= 1, identifiers.allSatisfy({ $0.count == 4 }) else { return nil }
        identifier = identifiers.first
        commands = objects.filter { $0.tag == EMVTag.issuerScriptCommand }.map(\.value)
        guard !commands.isEmpty else { return nil }
    }

    /// Returns the identifier of a template that is not valid, so that the result names the script; nil if the template
    /// does not start with one.
    static func identifier(ofUnreadable template: [UInt8]) -> [UInt8]? {
        let header: [UInt8] = [0x9F, 0x18, 0x04]
        guard template.starts(with: header), template.count >= header.count + 4 else { return nil }
        return Array(template[header.count..<header.count + 4])
    }
}

/// The result of one issuer script.
public struct IssuerScriptResult: Hashable, Sendable {
    /// The result of the script's commands (EMV Book 3 §10.10).
    public enum Outcome: Hashable, Sendable {
        /// The template is not valid.
        case notPerformed
        /// The command with this number, counting from 1, failed.
        case failed(command: Int)
        case successful
    }

    public let outcome: Outcome
    /// Tag 9F18, four bytes; nil if the script has none.
    public let identifier: [UInt8]?
    /// Whether the script was in template 71.
    public let isBeforeFinalCryptogram: Bool
    /// The status words of the commands sent.
    public let statuses: [StatusWord]

    /// The five bytes of tag 9F5B: result and number of the failed command (F for the fifteenth and later), then the
    /// identifier, or zeros if there is none (EMV Book 4 annex A5).
    public var bytes: [UInt8] {
        let first: UInt8 =
            switch outcome {
            case .notPerformed: 0x00
            case .failed(let command): 0x10 | UInt8(clamping: min(max(command, 0), 15))
            case .successful: 0x20
            }
        return [first] + (identifier ?? [0, 0, 0, 0])
    }
}

/// Sends the issuer's scripts to the card (EMV Book 3 §10.10).
struct IssuerScriptProcessing {
    let session: CardSession

    /// Runs every script. A script stops at its first failing command.
    ///
    /// - Throws: when the card is removed. The transaction has the results so far.
    func perform(
        _ templates: [[UInt8]], beforeFinalCryptogram: Bool, _ transaction: Transaction
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

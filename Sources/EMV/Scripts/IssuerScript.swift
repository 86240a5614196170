public import SmartCard

/// Commands of the issuer to its card, in template 71 or 72 (EMV Book 3 §10.10, Book 4 §6.3.9).
struct IssuerScript: Hashable, Sendable {
    /// Tag 9F18, four bytes; nil when the issuer gives none.
    let identifier: [UInt8]?
    /// The values of the objects 86, in order.
    let commands: [[UInt8]]

    /// Reads the value field of template 71 or 72. It is nil when the template cannot be read; no command
    /// of it is sent then.
    init?(template: [UInt8]) {
        guard let objects = try? BERTLV.parse(template) else { return nil }
        let identifiers = objects.filter { $0.tag == EMVTag.issuerScriptIdentifier }.map(\.value)
        guard identifiers.count <= 1, identifiers.allSatisfy({ $0.count == 4 }) else { return nil }
        identifier = identifiers.first
        commands = objects.filter { $0.tag == EMVTag.issuerScriptCommand }.map(\.value)
        guard !commands.isEmpty else { return nil }
    }

    /// The identifier of a template that cannot be read as a whole, so that the issuer can tell which one it was;
    /// nil when the template does not begin with one.
    static func identifier(ofUnreadable template: [UInt8]) -> [UInt8]? {
        let header: [UInt8] = [0x9F, 0x18, 0x04]
        guard template.starts(with: header), template.count >= header.count + 4 else { return nil }
        return Array(template[header.count..<header.count + 4])
    }
}

/// What became of one issuer script.
public struct IssuerScriptResult: Hashable, Sendable {
    public enum Outcome: Hashable, Sendable {
        /// The template could not be read.
        case notPerformed
        /// The command with this number, counting from 1, failed.
        case failed(command: Int)
        case successful
    }

    public let outcome: Outcome
    /// Tag 9F18, four bytes; nil when the issuer gave none.
    public let identifier: [UInt8]?
    /// Whether the script came in template 71.
    public let isBeforeFinalCryptogram: Bool
    /// The card's answers, one for each command that was sent and answered.
    public let statuses: [StatusWord]

    /// Five bytes of tag 9F5B: result and number of the failed command (F for the fifteenth and later ones),
    /// then the identifier, zeros when there is none (EMV Book 4 annex A5).
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

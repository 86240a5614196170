public import SmartCard

/// Why pcscd, a reader behind it or the card there did not do what was asked.
public enum PCSCError: Error, Hashable, Sendable, CustomStringConvertible {
    /// libpcsclite cannot be opened; the text is the loader's.
    case libraryMissing(String)
    /// A function failed with this code.
    case failed(PCSCCall, PCSCErrorCode)
    /// A function did not return in time. Its context takes no more calls.
    case timedOut(PCSCCall)
    /// The context was released, or an earlier call did not return.
    case closed
    /// The task was cancelled.
    case cancelled
    /// A function returned what cannot be; the text says what.
    case malformedAnswer(PCSCCall, String)
    /// Another program keeps the card to itself. Those that use PC/SC are named as far as this user may see them.
    case heldByAnother([PCSCClient])
    /// No reader has this name; those that pcscd has.
    case noSuchReader(String, known: [String])
    /// No card in the reader.
    case cardAbsent
    /// The card speaks neither T=0 nor T=1.
    case noCommonProtocol
    /// The answer to reset breaks the rules of payment cards, after a warm reset too.
    case answerToReset(EMVATRRules.Reason)
    /// A T=0 exchange failed.
    case t0(T0Error)
    /// The card's answer is no APDU.
    case response(APDUError)

    /// What happened, and after the last colon what to do about it where there is something to do.
    public var description: String {
        switch self {
        case .libraryMissing(let reason):
            "libpcsclite cannot be used (\(reason)): sudo apt-get install libpcsclite1 pcscd"
        case .failed(let call, let code): Self.describe(call, code)
        case .timedOut(let call): "pcscd did not answer \(call) in time: see 'systemctl status pcscd'"
        case .closed: "the connection to pcscd was closed"
        case .cancelled: "the exchange with pcscd was cancelled"
        case .malformedAnswer(let call, let what): "\(call) returned \(what)"
        case .heldByAnother(let clients): Self.describe(clients)
        case .noSuchReader(let name, let known):
            known.isEmpty
                ? "pcscd has no reader '\(name)': plug it in"
                : "pcscd has no reader '\(name)': it has \(known.map { "'\($0)'" }.joined(separator: ", "))"
        case .cardAbsent: "no card in the reader"
        case .noCommonProtocol: "card and reader have no transmission protocol in common"
        case .answerToReset(let reason): "the card cannot be used here (\(reason))"
        case .t0(let error): error.description
        case .response(let error): error.description
        }
    }

    private static func describe(_ call: PCSCCall, _ code: PCSCErrorCode) -> String {
        switch code {
        case .noService: "pcscd does not run (\(code)): sudo systemctl start pcscd"
        case .serviceStopped, .communicationError:
            "the connection to pcscd broke (\(code)): sudo systemctl restart pcscd"
        case .securityViolation:
            "pcscd refuses this user (\(code)): allow org.debian.pcsc-lite.access_pcsc and access_card in a polkit rule"
        case .noMemory, .serverTooBusy: "pcscd serves too many programs (\(code)): end some of them"
        case .sharingViolation: "another program keeps the card to itself (\(code)): end it"
        case .noReadersAvailable: "pcscd has no reader (\(code)): plug one in"
        case .unknownReader, .readerUnavailable: "the reader is gone (\(code)): plug it in again"
        case .noSmartCard, .removedCard: "the card was pulled out (\(code)): insert it again"
        case .resetCard: "another program reset the card (\(code)): insert it again"
        case .unresponsiveCard: "the card does not answer (\(code)): insert it again, chip first"
        case .unpoweredCard: "the card has no power (\(code)): insert it again"
        case .unsupportedCard, .protocolMismatch: "card and reader do not understand each other (\(code))"
        case .notTransacted, .communicationDataLost:
            "the exchange with the card failed (\(code)): insert it again"
        default: "\(call) failed (\(code))"
        }
    }

    private static func describe(_ clients: [PCSCClient]) -> String {
        guard let first = clients.first else { return "another program keeps the card to itself: end it" }
        let names = clients.map(\.description).joined(separator: " or ")
        return "another program keeps the card to itself, perhaps \(names): \(first.remedy)"
    }
}

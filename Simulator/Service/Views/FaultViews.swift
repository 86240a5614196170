import HTTPInterface
import Simulator

/// A fault of a reader in the words of the interface.
struct ArmedFault: Sendable {
    var word: String
    var place: Int?
    var exchangesOnly: Bool?
    var bytes: Int?
    var untilReset: Bool?

    private init(
        _ word: String, place: Int? = nil, exchangesOnly: Bool? = nil, bytes: Int? = nil, untilReset: Bool? = nil
    ) {
        (self.word, self.place, self.exchangesOnly) = (word, place, exchangesOnly)
        (self.bytes, self.untilReset) = (bytes, untilReset)
    }

    init(_ fault: SimulatedReaderFault) {
        switch fault {
        case .command(let place, let disturbance):
            let (word, bytes) = Self.words(disturbance)
            self.init(word, place: place, exchangesOnly: false, bytes: bytes)
        case .xfrBlock(let place, let disturbance):
            let (word, bytes) = Self.words(disturbance)
            self.init(word, place: place, exchangesOnly: true, bytes: bytes)
        case .unplugged(let transfers): self.init(Self.unpluggedAfterTransfers, place: transfers)
        case .hardwareError: self.init("hardware_error")
        case .hang(let untilReset): self.init("hang", untilReset: untilReset)
        }
    }

    private static func words(_ disturbance: SimulatedReaderFault.Disturbance) -> (word: String, bytes: Int?) {
        switch disturbance {
        case .commandStalled: ("command_stalled", nil)
        case .answerStalled: ("answer_stalled", nil)
        case .zeroLengthFirst: ("zero_length_first", nil)
        case .wrongSequence: ("wrong_sequence", nil)
        case .wrongLength(let bytes): ("wrong_length", bytes)
        case .hugeLength: ("huge_length", nil)
        case .truncated(let bytes): ("truncated", bytes)
        case .unanswered: ("unanswered", nil)
        case .cardRemoved: ("card_removed", nil)
        case .unplugged: ("unplugged", nil)
        }
    }

    /// A fault that only a scenario can arm.
    private static let unpluggedAfterTransfers = "unplugged_after_transfers"
    static let words = FaultBodies.readerWords + [unpluggedAfterTransfers]
}

extension Views {
    /// A fault of a reader that has not happened yet.
    static let armedFault = View<ArmedFault>(
        .key("fault", .word(ArmedFault.words)) { $0.word },
        .key("at", .integer(0...Int(Int32.max)), "The number of the affected command or transfer, counted from now.") {
            $0.place
        },
        .key("exchangesOnly", .boolean, "Whether only card exchanges are counted.") { $0.exchangesOnly },
        .key("bytes", .integer(-65_536...65_536), "The number of bytes, for faults of lengths.") { $0.bytes },
        .key("untilReset", .boolean, "Whether a device reset ends the hang.") { $0.untilReset })

    /// A fault of the issuer connection that still affects messages.
    static let standingFault = View<IssuerFaultRule>(
        .key("fault", .word(FaultBodies.issuerWords)) { FaultBodies.word($0.fault) },
        .key("seconds", .count, "The delay of a late answer.") { rule -> Int? in
            if case .answerDelayed(let delay) = rule.fault { Int(delay.components.seconds) } else { nil }
        },
        .key("messages", .list(.word(IssuerMessageKind.allCases.map(\.rawValue))), "The affected messages.") {
            $0.messages.map(\.rawValue).sorted()
        },
        .key("timesLeft", .count, "The number of messages still affected; absent for all.") { $0.remaining })
}

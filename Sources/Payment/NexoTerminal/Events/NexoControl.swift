import Determinism
import Payments
import Terminal
import Text

/// A fault that a test can plan.
enum NexoFault: String, CaseIterable, Sendable {
    /// The response to the next message is not sent, and its connection closed. What it asked for is done.
    case responseLost = "response_lost"
    /// The cloud does not reach the terminal, and the terminal does not answer itself, until `terminal_online`.
    case terminalOffline = "terminal_offline"
    case terminalOnline = "terminal_online"
    /// The printer has no paper, until `paper_loaded`.
    case outOfPaper = "out_of_paper"
    case paperLoaded = "paper_loaded"
    /// The next message to the event address is not sent, or sent two times.
    case notificationLost = "notification_lost"
    case notificationTwice = "notification_twice"
}

/// The faults that are planned.
struct NexoFaults: Sendable {
    private(set) var isOffline = false
    private(set) var hasPaper = true
    private var counts: [NexoFault: Int] = [:]

    mutating func plan(_ fault: NexoFault, times: Int) {
        switch fault {
        case .terminalOffline: isOffline = true
        case .terminalOnline: isOffline = false
        case .outOfPaper: hasPaper = false
        case .paperLoaded: hasPaper = true
        case .responseLost, .notificationLost, .notificationTwice: counts[fault, default: 0] += times
        }
    }

    /// Takes one of the planned ones; false when there is none.
    mutating func take(_ fault: NexoFault) -> Bool {
        guard let count = counts[fault], count > 0 else { return false }
        counts[fault] = count - 1
        return true
    }

    /// How often the next message to the event address is sent.
    mutating func copiesOfNext() -> Int {
        if take(.notificationLost) { return 0 }
        return take(.notificationTwice) ? 2 : 1
    }
}

// The calls about the simulation, which are not a part of the protocol.
extension NexoTerminal {
    /// Whether the simulated printer has paper.
    public var hasPaper: Bool { faults.hasPaper }

    private struct Mistake: Error { let message: String }

    private static let fields: [String: [String]] = [
        "POST faults": ["fault", "times"], "DELETE faults": [], "POST cardholder": ["mode"],
        "POST present": ["POIID", "card"], "POST cancel": ["POIID"], "POST answer": ["POIID", "answer"],
        "POST events": ["address"],
    ]

    mutating func control(_ name: String, _ request: NexoRequest) -> NexoResponse {
        guard let fields = Self.fields["\(request.method) \(name)"] else {
            return .problem(404, "There is no such call of the simulation.")
        }
        let body = request.body.isEmpty ? .object([]) : JSONReader.node(request.body, takesRepeatedNames: false)
        guard let body, case .object(let members) = body else { return .problem(400, "The body is no JSON object.") }
        if let other = members.first(where: { !fields.contains($0.name) }) {
            return .problem(400, "The call has no field '\(other.name.prefix(64))'.")
        }
        do throws(Mistake) {
            switch name {
            case "faults": try plan(request.method, body)
            case "cardholder": try setCardholder(body)
            case "events": try setAddress(body)
            default: try act(name, body)
            }
            return NexoResponse(["done": true])
        } catch { return .problem(400, error.message) }
    }

    private mutating func plan(_ method: String, _ body: JSONValue) throws(Mistake) {
        guard method == "POST" else {
            faults = NexoFaults()
            return
        }
        guard let fault = body["fault"]?.string.flatMap(NexoFault.init(rawValue:)) else {
            let words = NexoFault.allCases.map(\.rawValue).joined(separator: ", ")
            throw Mistake(message: "'fault' must be one of \(words).")
        }
        let times = body["times"].map { $0.textValue.flatMap { Int($0) } ?? 0 } ?? 1
        guard (1...1000).contains(times) else { throw Mistake(message: "'times' must be 1 to 1000.") }
        faults.plan(fault, times: times)
    }

    private mutating func setCardholder(_ body: JSONValue) throws(Mistake) {
        switch body["mode"]?.string {
        case "automatic": isByHand = false
        case "by_hand": isByHand = true
        default: throw Mistake(message: "'mode' must be automatic or by_hand.")
        }
    }

    private mutating func setAddress(_ body: JSONValue) throws(Mistake) {
        switch body["address"] {
        case .null?: outbox.address = nil
        case .text(let address)? where address.hasPrefix("http://") || address.hasPrefix("https://"):
            outbox.address = address
        default: throw Mistake(message: "'address' must be an address with http:// or https://, or null.")
        }
    }

    /// Lets the simulated cardholder act on what runs.
    private mutating func act(_ name: String, _ body: JSONValue) throws(Mistake) {
        let poi = body["POIID"]?.string ?? options.terminals.first ?? ""
        if name == "cancel", desks[poi]?.dialog == nil, desks[poi]?.acquired != nil {
            desks[poi]?.releaseCard()
            return
        }
        guard let dialog = desks[poi]?.dialog, case .running(let progress) = status(of: dialog.key) else {
            throw Mistake(message: "No request runs at this terminal.")
        }
        switch name {
        case "present":
            guard progress == .waitingForCard else { throw Mistake(message: "The terminal waits for no card.") }
            let card = body["card"]?.string
            guard card == nil || options.cards.contains(card ?? "") else {
                throw Mistake(message: "'card' must be one of \(options.cards.joined(separator: ", ")).")
            }
            add(.present(card: card, dialog.key, terminal: poi))
        case "cancel":
            guard progress.canBeCanceled else { throw Mistake(message: "It is too late to cancel.") }
            add(.cancel(dialog.key, terminal: poi))
        default:
            guard case .input(let input, _, _, _) = dialog.purpose else {
                throw Mistake(message: "The terminal asks nothing.")
            }
            guard let answer = body["answer"]?.string, input.kind.takes(answer) else {
                throw Mistake(message: "'answer' must be a text that fits: \(input.kind.words).")
            }
            add(.answer(answer, dialog.key, terminal: poi))
        }
    }
}

extension TerminalInput.Kind {
    /// Whether a text is an answer.
    fileprivate func takes(_ text: String) -> Bool {
        switch self {
        case .confirmation: text == "yes" || text == "no"
        case .digits(let maximum):
            (1...maximum).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        case .text(let maximum): (1...maximum).contains(text.unicodeScalars.count)
        }
    }

    fileprivate var words: String {
        switch self {
        case .confirmation: "yes or no"
        case .digits(let maximum): "1 to \(maximum) digits"
        case .text(let maximum): "1 to \(maximum) characters"
        }
    }
}

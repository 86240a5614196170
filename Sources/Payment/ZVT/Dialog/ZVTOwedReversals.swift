import Payments
import Terminal

/// The payments whose tills do not know of them, and whose reversals did not reach the host. They are tried again.
struct ZVTOwedReversals: Sendable {
    /// The payments, the oldest first.
    private(set) var keys: [IdempotencyKey] = []
    /// The pause before the next try.
    private var pause = first

    /// The first pause, which doubles with each try, and the longest one.
    static let first = Duration.seconds(5)
    static let longest = Duration.seconds(60)

    /// Adds a payment; one that is there stays where it is.
    mutating func add(_ key: IdempotencyKey) { if !keys.contains(key) { keys.append(key) } }

    /// Removes a payment that was reversed, or that stands.
    mutating func remove(_ key: IdempotencyKey) {
        guard keys.contains(key) else { return }
        keys.removeAll { $0 == key }
        // The host is there, or there is nothing to do.
        pause = Self.first
    }

    /// Takes the pause before the next try.
    mutating func nextPause() -> Duration {
        defer { pause = min(pause * 2, Self.longest) }
        return pause
    }
}

// Reversals that are tried again.
extension ZVTTerminal {
    /// Takes up the payments of earlier starts that tills do not know of, besides the last one.
    mutating func owe(_ kept: [KeptRequest], except last: IdempotencyKey?) {
        for request in kept where request.request.key != last {
            switch request.request.operation {
            case .payment, .preauthorization: break
            default: continue
            }
            guard request.outcome?.transaction != nil, !request.isConfirmed, !request.isTakenBack else { continue }
            owed.add(request.request.key)
        }
        waitForReversal()
    }

    /// Takes the end of a reversal that no till has asked for.
    mutating func note(reversal record: TerminalRecord) {
        guard case .reversal(.request(let key), _) = record.request.operation else { return }
        if record.outcome == .failed(.hostUnreachable) { owed.add(key) } else { owed.remove(key) }
        waitForReversal()
    }

    /// Tries the oldest reversal again, when the terminal is free. Tills' commands wait meanwhile.
    mutating func reverseOwed(_ terminal: inout TerminalModel) {
        guard let key = owed.keys.first else { return }
        guard dialog == nil, terminal.holder == nil else { return start(.reversal, ZVTOwedReversals.first) }
        var dialog = ZVTDialog(command: ZVTMessage(.authorization), connection: .min, stage: .reporting(key))
        dialog.isConnected = false
        self.dialog = dialog
        undo(key, .aborted, &terminal, again: true)
        // One that is not to be reversed any more was removed.
        if self.dialog == nil { waitForReversal() }
    }

    /// Begins the pause before the next try, when there is one.
    mutating func waitForReversal() {
        if !owed.keys.isEmpty { start(.reversal, owed.nextPause()) }
    }
}

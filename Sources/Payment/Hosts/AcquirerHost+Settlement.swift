import ISO8583
public import Payments

/// The answer of a host to the totals of a batch. The codes are those of field 39.
public enum SettlementResult: Hashable, Sendable {
    /// The host has closed the batch.
    case agreed(code: String, meaning: String?, SettlementTotals?)
    /// The host has other totals, and tells them or not. The batch stays open.
    case differs(code: String, meaning: String?, SettlementTotals?)
    /// The host compared nothing.
    case refused(code: String, meaning: String?)
}

/// Why a profile has no settlement for a terminal.
public enum SettlementObstacle: Error, Hashable, Sendable, CustomStringConvertible {
    /// The profile has no such message.
    case noMessage
    /// There are transactions in several currencies, and the message has no field for the currency.
    case noCurrency

    public var description: String {
        switch self {
        case .noMessage: "it has no message 'settlement'"
        case .noCurrency: "its settlement has no field for the currency, and the batch has several currencies"
        }
    }
}

extension AcquirerHost {
    /// Where the batches of the terminal are open; nil without an address of the host.
    public nonisolated var settlementPlace: SettlementPlace? {
        destination.map {
            let terminal = messages.terminal.identity.terminal ?? profile.values.fixed[41]
            return SettlementPlace(
                hostName: name, destination: $0, terminal: AnswerReading.trimmed(terminal) ?? "")
        }
    }

    /// Returns why batches in this many currencies can't be settled; nil when they can.
    public nonisolated func settlementObstacle(currencies: Int) -> SettlementObstacle? {
        guard let form = profile.messages[.settlement] else { return .noMessage }
        // Since 2003, field 97 has the currency, too.
        let hasCurrency = form.allowed.contains(50) || profile.version == .v2003 && form.allowed.contains(97)
        return hasCurrency || currencies <= 1 ? nil : .noCurrency
    }

    /// Whether what was taken back counts in the totals, on both sides.
    public nonisolated var countsReversed: Bool {
        (profile.messages[.settlement]?.settlement?.reversed ?? .both) == .both
    }

    private nonisolated var settlements: SettlementMessages {
        SettlementMessages(
            profile: profile, terminal: messages.terminal, numbers: messages.numbers, time: messages.time)
    }

    /// Makes what a settlement has in common with its repeats, for the journal.
    ///
    /// - Parameters:
    ///   - batch: the number of the batch.
    ///   - message: the number of the settlement among those of the database, 1 and up.
    /// - Returns: the values of the fields that a repeat has, too, without the totals.
    public nonisolated func settlementIdentity(batch: Int64, message: Int64) -> MessageIdentity {
        settlements.identity(batch: batch, message: message, at: destination ?? "")
    }

    /// Sends the totals of a batch once, or repeats them when they were sent before.
    ///
    /// - Throws: ``PaymentHostError``
    public func settle(_ batch: SettlementBatch) async throws(PaymentHostError) -> SettlementResult {
        do throws(HostFailure) {
            let message = try settlements.request(batch)
            return settlements.result(try await link.send(message, as: .settlement, limit: nil))
        } catch {
            if error.problem == .noAnswer { await link.renew() }
            throw error.hostError
        }
    }
}

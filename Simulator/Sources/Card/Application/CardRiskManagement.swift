internal import Amounts
internal import SmartCard

/// What the card decides on its own at a GENERATE AC command (EMV Book 3 §9.2.1, §10.8, §10.11).
struct CardRiskManagement {
    typealias Answer = CardVerificationResults.Answer

    let profile: ApplicationProfile
    let memory: ApplicationMemory
    let transaction: CardTransaction

    /// The answer to the first command; never more than was asked for.
    func first(asked: Answer) -> Answer {
        guard asked != .aac, !memory.isBlocked, profile.risk.decision != .decline else { return .aac }
        return asked == .tc && approvesOffline && !memory.goesOnlineNextTime ? .tc : .arqc
    }

    /// The answer to the second command, TC or AAC.
    func second(asked: Answer) -> Answer {
        guard asked == .tc, !memory.isBlocked else { return .aac }
        guard wentOnline else { return profile.risk.approvesUnableToGoOnline ? .tc : .aac }
        switch transaction.issuerAuthentication {
        case .failed: return .aac
        case .notPerformed: return profile.risk.requiresIssuerAuthentication ? .aac : .tc
        case .succeeded(.responseCode(let code)): return Self.approvals.contains(code) ? .tc : .aac
        case .succeeded(.cardStatusUpdate(let update)): return update.approves ? .tc : .aac
        }
    }

    /// Whether the issuer answered: the terminal says Y3 or Z3 when it did not (EMV Book 4 annex A6).
    var wentOnline: Bool {
        guard let code = transaction.terminalValues[0x8A] else { return false }
        return ![Array("Y3".utf8), Array("Z3".utf8)].contains(code)
    }

    /// The sum of what was approved offline, this transaction included; nil when it cannot be counted:
    /// the amount is none, or in another currency.
    var offlineTotal: Int64? {
        guard transaction.terminalValues[0x5F2A] == currency, let amount = transaction.amount else { return nil }
        let (total, overflow) = memory.offlineTotal.addingReportingOverflow(amount)
        return overflow ? nil : total
    }

    private var approvesOffline: Bool {
        guard case .offlineUpTo(let limit) = profile.risk.decision, let offlineTotal else { return false }
        return offlineTotal <= limit.minorUnits
    }

    private var currency: [UInt8] {
        let code = profile.currency.numericCode
        return [UInt8(code / 100), UInt8(code / 10 % 10) << 4 | UInt8(code % 10)]
    }

    /// The response codes by which an issuer approves.
    private static let approvals = ["00", "10", "11"].map { Array($0.utf8) }
}

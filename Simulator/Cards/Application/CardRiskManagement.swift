import Money
import SmartCard

/// The card's own decision on GENERATE AC (EMV Book 3 §9.2.1, §10.8, §10.11).
struct CardRiskManagement {
    typealias Answer = CardVerificationResults.Answer

    let profile: ApplicationProfile
    let memory: ApplicationMemory
    let transaction: CardTransaction

    /// Returns the answer to the first GENERATE AC, never a higher one than requested.
    func first(asked: Answer) -> Answer {
        guard asked != .aac, !memory.isBlocked, profile.risk.decision != .decline,
            conditions.isDisjoint(with: profile.risk.actions.decline)
        else { return .aac }
        guard asked == .tc, case .offlineUpTo = profile.risk.decision else { return .arqc }
        return conditions.isDisjoint(with: profile.risk.actions.online) ? .tc : .arqc
    }

    /// Returns the answer to the second GENERATE AC, TC or AAC.
    func second(asked: Answer) -> Answer {
        guard asked == .tc, !memory.isBlocked else { return .aac }
        guard wentOnline else {
            let approves =
                profile.risk.approvesUnableToGoOnline && conditions.isDisjoint(with: profile.risk.actions.default)
            return approves ? .tc : .aac
        }
        switch transaction.issuerAuthentication {
        case .failed: return .aac
        case .notPerformed: return profile.risk.requiresIssuerAuthentication ? .aac : .tc
        case .succeeded(.responseCode(let code)): return Self.approvals.contains(code) ? .tc : .aac
        case .succeeded(.cardStatusUpdate(let update)): return update.approves ? .tc : .aac
        }
    }

    /// Whether the issuer answered; the terminal sends Y3 or Z3 if it did not (EMV Book 4 annex A6).
    var wentOnline: Bool {
        guard let code = transaction.terminalValues[0x8A] else { return false }
        return ![Array("Y3".utf8), Array("Z3".utf8)].contains(code)
    }

    /// Whether the card accepts the answer as its issuer's, and so updates its counters.
    var heardIssuer: Bool {
        guard wentOnline else { return false }
        switch transaction.issuerAuthentication {
        case .failed: return false
        case .notPerformed: return !profile.risk.requiresIssuerAuthentication
        case .succeeded: return true
        }
    }

    /// The offline limits that this payment exceeds.
    var exceededLimits: OfflineLimits.Exceeded {
        memory.limits.exceeded(count: memory.offlineCount + 1, amount: offlineTotal)
    }

    /// The amount approved offline including this transaction; nil if the amount is missing or in another currency.
    var offlineTotal: Int64? {
        guard transaction.terminalValues[0x5F2A] == currency, let amount = transaction.amount else { return nil }
        let (total, overflow) = memory.offlineTotal.addingReportingOverflow(amount)
        return overflow ? nil : total
    }

    /// Whether the terminal is in another country than the issuer; nil if the terminal did not send its country.
    var isInternational: Bool? {
        transaction.terminalValues[0x9F1A].map { $0 != Self.packedNumber(profile.issuerCountry) }
    }

    /// All findings of the card.
    private var conditions: CardConditions {
        let (results, exceeded) = (transaction.results, exceededLimits)
        let findings: [(CardConditions, Bool)] = [
            (.newCard, results.isNewCard), (.lastOnlineNotCompleted, results.lastOnlineNotCompleted),
            (.issuerAuthenticationFailed, results.lastIssuerAuthenticationFailed),
            (.issuerAuthenticationMissing, results.lastIssuerAuthenticationMissing),
            (.declinedOffline, memory.declinedOffline), (.scriptFailed, results.scriptFailed),
            (.goOnlineNextTime, memory.goesOnlineNextTime), (.pinTriesExceeded, results.pinTryLimitExceeded),
            (.pinNotVerified, profile.pin != nil && !results.offlinePINPerformed),
            (.international, isInternational == true), (.lowerCount, exceeded.contains(.lowerCount)),
            (.upperCount, exceeded.contains(.upperCount)), (.lowerAmount, exceeded.contains(.lowerAmount)),
            (.upperAmount, exceeded.contains(.upperAmount)),
        ]
        return findings.reduce(into: []) { if $1.1 { $0.insert($1.0) } }
    }

    private var currency: [UInt8] { Self.packedNumber(profile.currency.numericCode) }

    /// Encodes three digits as two bytes (format n 3).
    private static func packedNumber(_ number: UInt16) -> [UInt8] {
        [UInt8(number / 100 % 10), UInt8(number / 10 % 10) << 4 | UInt8(number % 10)]
    }

    /// The response codes of an approval.
    private static let approvals = ["00", "10", "11"].map { Array($0.utf8) }
}

import Money
import Payments
import ScenarioFormat
import Sessions
import Simulator
import StoreSite
import Synchronization
import Text

/// Checks expectations of a scenario against a session.
struct SessionObserver: Sendable {
    private let session: SimulatedSession
    private let payment: Int64?
    private let order: Int64?
    private let scope: ExpectationScope

    /// - Parameters:
    ///   - session: the session.
    ///   - payment: the last payment, for steps that don't have another one.
    ///   - order: the most recently paid order.
    ///   - scope: the part of the session to check.
    init(_ session: SimulatedSession, payment: Int64?, order: Int64?, scope: ExpectationScope) {
        (self.session, self.order, self.scope) = (session, order, scope)
        self.payment = scope.outcome.payment ?? payment
    }

    /// Returns the difference from an expectation; nil when it is met.
    func difference(_ check: Expectation.Check) async -> Difference? {
        do throws(SimulatedSessionError) { return try await found(check) } catch {
            return Difference(expected: ["something to look at"], seen: ["\(error)"])
        }
    }

    private func found(_ check: Expectation.Check) async throws(SimulatedSessionError) -> Difference? {
        switch check {
        case .outcome(let outcome): return .between(outcome, scope.outcome.outcome)
        case .error(let code): return error(code)
        case .state(let state): return .between(state, try record()?.state)
        case .events(let patterns): return .ordered(patterns, in: events()) { $0.fitsBeginning(of: $1) }
        case .noEvents(let patterns): return .none(of: patterns, in: events()) { $0.fitsBeginning(of: $1) }
        case .display(let patterns): return .ordered(patterns, in: details(.display))
        case .noDisplay(let patterns): return .none(of: patterns, in: details(.display))
        case .apdu(let patterns): return .ordered(patterns, in: details(.apdu))
        case .trace(let exchanges): return .between(exchanges, details(.apdu))
        case .noAPDU(let patterns): return .none(of: patterns, in: details(.apdu))
        case .receipt(let patterns): return .ordered(patterns, in: try await receipt(.customer))
        case .noReceipt(let patterns): return .none(of: patterns, in: try await receipt(.customer))
        case .merchantReceipt(let patterns): return .ordered(patterns, in: try await receipt(.merchant))
        case .printed(let patterns): return .ordered(patterns, in: printedLines)
        case .noPrinted(let patterns): return .none(of: patterns, in: printedLines)
        case .prints(let states): return .between(states, session.printouts.map(\.state))
        case .journal(let states): return .between(states, try record()?.attempts.last?.states ?? [])
        case .rows(let queries): return try rows(queries)
        case .ledger(let lines): return .ledger(lines, try await session.issuerLedger().entries.map(LedgerLine.init))
        case .charged(let minorUnits, let currency): return try await charged(minorUnits, currency)
        case .charges(let count):
            return .between("\(count)", "\(try await session.issuerLedger().chargeCount)")
        case .site(let expected): return site(expected)
        case .tvr(let bits):
            return .bits(
                bits,
                in: try record()?.terminalVerificationResults.flatMap(Self.bytes).flatMap(
                    VerificationBitNames.names(inTVR:)))
        case .tsi(let bits):
            return .bits(
                bits,
                in: try record()?.transactionStatusInformation.flatMap(Self.bytes).flatMap(
                    VerificationBitNames.names(inTSI:)))
        case .cvm(let word): return .between(word, try record()?.cardholderVerification)
        case .entry(let word): return .between(word, scope.outcome.entryMode)
        case .elapsed(let bounds): return .time(bounds, scope.elapsed)
        case .reconciled(let isReconciled): return try await reconciled(isReconciled)
        }
    }

    // MARK: The till

    private func record() throws(SimulatedSessionError) -> SessionPayment? {
        guard let payment else { return nil }
        return try session.payments().first { $0.id == payment }
    }

    private func error(_ code: String?) -> Difference? {
        guard code != scope.outcome.errorCode else { return nil }
        let seen = scope.outcome.errorCode.map { $0 + (scope.outcome.errorMessage.map { ": \($0)" } ?? "") }
        return Difference(expected: [code ?? "none"], seen: [seen ?? "none"])
    }

    private func scopedEvents() -> ArraySlice<SessionEvent> { session.events.dropFirst(scope.firstEvent) }

    private func events() -> [String] { scopedEvents().map(\.text) }

    private func details(_ kind: SessionEventKind) -> [String] {
        scopedEvents().filter { $0.kind == kind }.map(\.detail)
    }

    private func receipt(_ copy: ReceiptCopy) async throws(SimulatedSessionError) -> [String] {
        guard let payment else { return [] }
        return try await session.receipt(of: PaymentID(rawValue: payment), copy: copy)
            .split(separator: "\n", omittingEmptySubsequences: false).map { Self.trimmed($0) }
    }

    private var printedLines: [String] { session.printouts.flatMap(\.lines).map { Self.trimmed($0) } }

    /// Returns the line without the spaces that align it on paper.
    private static func trimmed(_ line: some StringProtocol) -> String {
        String(line.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }

    private func rows(_ queries: [RowsExpectation]) throws(SimulatedSessionError) -> Difference? {
        for query in queries {
            let seen = try session.rows(query.query).map { row in row.map { $0.value ?? "" } }
            if seen != query.rows {
                return Difference(
                    expected: query.rows.map { $0.joined(separator: " | ") },
                    seen: seen.map { $0.joined(separator: " | ") })
            }
        }
        return nil
    }

    // MARK: Issuer and store

    private func charged(_ minorUnits: Int64, _ currency: String) async throws(SimulatedSessionError) -> Difference? {
        let totals = try await session.reconciliation().totals
        let moved = totals.first { $0.currency == currency }?.issuer ?? 0
        return .between(Words.amount(minorUnits, currency), Words.amount(moved, currency))
    }

    private func site(_ expected: SiteExpectation) -> Difference? {
        var wanted: [String] = []
        var seen: [String] = []
        if let charges = expected.charges {
            wanted.append("\(charges) charges")
            seen.append("\(session.siteLedger.count) charges")
        }
        if let status = expected.order {
            wanted.append("order \(status)")
            seen.append("order " + (session.orders.first { $0.id == order }?.status ?? "none"))
        }
        let requests = session.siteRequests.map { "\($0.method) \($0.route ?? $0.path)" }
        for entry in expected.requests {
            wanted.append("\(entry.count) × \(entry.pattern)")
            seen.append("\(requests.count { entry.pattern.matches($0) }) × \(entry.pattern)")
        }
        return .between(wanted, seen)
    }

    private func reconciled(_ isReconciled: Bool) async throws(SimulatedSessionError) -> Difference? {
        let differences = try await session.reconciliation().differences.map { difference in
            "\(difference.kind.rawValue) \(difference.till?.payment ?? difference.key.rawValue)"
        }
        guard differences.isEmpty != isReconciled else { return nil }
        return isReconciled
            ? Difference(expected: ["journal and ledger agree, nothing is open"], seen: differences)
            : Difference(expected: ["journal and ledger differ, or something is open"], seen: ["they agree"])
    }

    // MARK: Golden files

    /// Returns the lines of a golden file.
    func lines(of sections: [GoldenSection]) async -> [String] {
        var lines: [String] = []
        for section in sections {
            lines.append("== \(section.rawValue)")
            lines += await content(of: section)
        }
        return lines
    }

    private func content(of section: GoldenSection) async -> [String] {
        do throws(SimulatedSessionError) {
            switch section {
            case .events: return scopedEvents().map(Words.line)
            case .display: return details(.display)
            case .apdu: return details(.apdu)
            case .receipt: return try await receipt(.customer)
            case .merchantReceipt: return try await receipt(.merchant)
            case .journal:
                return try session.payments().flatMap { payment in
                    payment.attempts.map { "\(payment.name) \($0.kind): \($0.states.joined(separator: " "))" }
                }
            }
        } catch {
            return ["\(error)"]
        }
    }

    private static func bytes(_ digits: String) -> [UInt8]? {
        [UInt8](hexadecimal: digits)
    }
}

extension LedgerLine {
    init(_ entry: IssuerLedgerEntry) {
        self.init(
            kind: entry.kind.rawValue, minorUnits: entry.minorUnits, currency: entry.currency,
            response: entry.answer?.responseCode, reason: entry.reason?.rawValue, rule: entry.rule)
    }
}

/// A report to which several threads add results.
final class SharedReport: Sendable {
    private let report: Mutex<RunReport>

    init(_ report: RunReport) { self.report = Mutex(report) }

    func add(_ result: ScenarioResult) { report.withLock { $0.add(result) } }

    /// Returns the report of a run of `count` scenarios; counts the missing ones as not run.
    func finished(of count: Int) -> RunReport {
        report.withLock { report in
            report.leftOut(count - report.counts.all)
            return report
        }
    }
}

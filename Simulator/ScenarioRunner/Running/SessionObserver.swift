internal import Amounts
internal import Hardware
internal import ScenarioFormat
internal import Sessions
internal import Simulator
internal import StoreSite

/// Looks into a session for what a scenario expects.
struct SessionObserver: Sendable {
    private let session: SimulatedSession
    private let payment: Int64?
    private let order: Int64?
    private let scope: ExpectationScope

    /// - Parameters:
    ///   - session: what is looked into.
    ///   - payment: the last one; a step that is about another one is looked at for that.
    ///   - order: the order that was paid last.
    ///   - scope: which part of the session counts.
    init(_ session: SimulatedSession, payment: Int64?, order: Int64?, scope: ExpectationScope) {
        (self.session, self.order, self.scope) = (session, order, scope)
        self.payment = scope.outcome.payment ?? payment
    }

    /// Nil when all is as expected.
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

    // MARK: What the till has

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
        return try await session.receipt(of: payment, copy: copy)
            .split(separator: "\n", omittingEmptySubsequences: false).map { Self.trimmed($0) }
    }

    private var printedLines: [String] { session.printouts.flatMap(\.lines).map { Self.trimmed($0) } }

    /// Without the blanks that put a line into its place on paper.
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

    // MARK: What the others have

    private func charged(_ minorUnits: Int64, _ currency: String) async throws(SimulatedSessionError) -> Difference? {
        let totals = try await session.reconciliation().totals
        let moved = totals.first { $0.currency == currency }?.issuer ?? 0
        return .between("\(minorUnits) minor units of \(currency)", "\(moved) minor units of \(currency)")
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
            ? Difference(expected: ["journal and book agree, nothing is open"], seen: differences)
            : Difference(expected: ["journal and book differ, or something is open"], seen: ["they agree"])
    }

    // MARK: Golden files

    /// The lines of a golden file.
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
            case .events: return scopedEvents().map { "\(Words.time($0.time))  \($0.text)" }
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
        guard digits.utf8.count % 2 == 0 else { return nil }
        let nibbles = digits.compactMap(\.hexDigitValue)
        guard nibbles.count == digits.utf8.count else { return nil }
        return stride(from: 0, to: nibbles.count, by: 2).map { UInt8(nibbles[$0] << 4 | nibbles[$0 + 1]) }
    }
}

extension LedgerLine {
    init(_ entry: IssuerLedgerEntry) {
        self.init(
            kind: entry.kind.rawValue, minorUnits: entry.minorUnits, currency: entry.currency,
            response: entry.answer?.responseCode, reason: entry.reason?.rawValue, rule: entry.rule)
    }
}

import Determinism
import Money
import Payments
import Sessions
import Storage
import StripeTerminal
import Terminal
import TerminalServer
import TillConfiguration
import Yosemite

// What needs no card.
extension TillCounter {
    /// A change of a payment, and whether it makes an attempt of its own.
    private enum Change {
        case capture(Money?)
        case release
        case refund(Money?)
    }

    /// Captures, releases, takes back, or gives back what a request has taken; counts or closes the batch; or tests the
    /// host.
    func change(_ request: TerminalRequest, givesReceipts: Bool) async -> CounterEnd {
        let reference: TransactionReference
        switch request.operation {
        case .capture(let original, _), .release(let original), .reversal(let original, _), .giveBack(let original, _):
            reference = original
        case .totals, .endOfDay: return await count(request, givesReceipts: givesReceipts)
        case .diagnosis, .signOn: return await testHost()
        default: return end(.failed(.notSupported))
        }
        guard let id = await payment(reference), let original = await history(of: id)?.payment else {
            return end(.failed(.unknownTransaction))
        }
        switch plan(request, original) {
        case .failure(let failure): return end(.failed(failure.reason))
        case .success(let change): return await carryOut(change, request, original, givesReceipts: givesReceipts)
        }
    }

    private func carryOut(
        _ change: Change, _ request: TerminalRequest, _ original: Payment, givesReceipts: Bool
    ) async -> CounterEnd {
        let (name, id) = (request.key.rawValue, original.id)
        do throws(CommandFailure) {
            switch change {
            case .capture(let amount):
                try memory.bind(name, to: id)
                _ = try await world.run { [till] () async throws(CommandFailure) in
                    try await till.capture(id, amount: amount)
                }
            case .release:
                try memory.bind(name, to: id)
                _ = try await world.run { [till] () async throws(CommandFailure) in
                    try await till.cancelPreauthorization(id)
                }
            case .refund(let amount):
                _ = try await world.run { [till] () async throws(CommandFailure) in
                    try await till.refund(id, amount: amount, tillRequest: name)
                }
            }
        } catch {
            error.report()
            switch error.status {
            case .outcomeUnknown: break
            // Nothing was sent: it can be made again.
            case .unavailable, .tryAgain: return end(.failed(.hostUnreachable))
            default: return end(.failed(.notReversible))
            }
        }
        return await settle(request, original, false, givesReceipts: givesReceipts) { _ in }
    }

    /// The payment that a till refers to: by its request, or by the number on its receipt, which the newest payment
    /// with it has.
    private func payment(_ reference: TransactionReference) async -> PaymentID? {
        switch reference {
        case .request(let key): return payment(of: key)
        case .receipt(let number):
            let newest = try? await world.run { [till] () async throws(CommandFailure) in
                try await till.payments(limit: 1).first
            }
            guard let newest, (1...9999).contains(number) else { return nil }
            let place = (newest.id.rawValue - 1) / 9999 * 9999 + Int64(number)
            let id = place <= newest.id.rawValue ? place : place - 9999
            return id > 0 ? PaymentID(rawValue: id) : nil
        }
    }

    /// Why a change is not made.
    private struct Refusal: Error { let reason: TerminalFailure }

    private func plan(_ request: TerminalRequest, _ payment: Payment) -> Result<Change, Refusal> {
        let isHeld = payment.state == .authorized && payment.preauthorization != nil
        func held(_ change: Change) -> Result<Change, Refusal> {
            isHeld ? .success(change) : .failure(Refusal(reason: .notReversible))
        }
        func part(_ units: Int64) -> Result<Change, Refusal> {
            guard units > 0, units <= payment.amount.minorUnits,
                let money = try? Money(minorUnits: units, currency: payment.amount.currency)
            else { return .failure(Refusal(reason: .amountTooLarge)) }
            return held(.capture(money))
        }
        switch request.operation {
        case .capture(_, .all): return held(.capture(nil))
        case .capture(_, .part(let amount)): return part(amount.minorUnits)
        case .capture(_, .allBut(let unused)) where unused == payment.amount: return held(.release)
        case .capture(_, .allBut(let unused)): return part(payment.amount.minorUnits - unused.minorUnits)
        case .release: return held(.release)
        case .giveBack(_, let amount): return .success(.refund(amount))
        case .reversal(_, let amount):
            switch payment.state {
            case .refunded, .reversed, .canceled: return .failure(Refusal(reason: .alreadyReversed))
            case .authorized where isHeld: return .success(.release)
            case .captured: break
            default: return .failure(Refusal(reason: .notReversible))
            }
            let isOpen = batchStart.map { payment.createdAt >= $0 } ?? true
            guard amount == nil || amount == payment.amount, isOpen || request.isAutomatic else {
                return .failure(Refusal(reason: .notReversible))
            }
            return .success(.refund(nil))
        default: return .failure(Refusal(reason: .notSupported))
        }
    }

    // MARK: The batch and the host

    /// Counts the payments of the open batch, and closes it for an end of day. The host's batch is another one, which
    /// 'cardpresent host settle' closes.
    private func count(_ request: TerminalRequest, givesReceipts: Bool) async -> CounterEnd {
        let filter = PaymentFilter(states: [.captured, .partiallyRefunded], since: batchStart)
        let found: [Payment]
        do throws(CommandFailure) {
            found = try await world.run { [till] () async throws(CommandFailure) in
                try await till.payments(matching: filter, limit: nil)
            }
        } catch {
            error.report()
            return end(.failed(.internalError))
        }
        let now = time.now()
        let sales = found.reversed().filter { $0.amount.currency == settings.currency }
        let brands = Dictionary(grouping: sales) { $0.card?.brand ?? "" }
        let totals = TerminalTotals(
            firstReceipt: sales.first?.receiptNumber ?? 0, lastReceipt: sales.last?.receiptNumber ?? 0, trace: 0,
            date: now.civil(offsetSeconds: time.offsetSeconds(at: now)), currency: settings.currency,
            lines: brands.keys.sorted().map { brand in
                let amounts = (brands[brand] ?? []).map(\.amount.minorUnits)
                return TerminalTotals.Line(brand: brand, count: amounts.count, amount: amounts.reduce(0, +))
            })
        if case .endOfDay = request.operation { batchStart = now }
        let receipts = givesReceipts ? [CounterPaper.receipt(of: totals)] : []
        return end(.done(TerminalReport(totals: totals, receipts: receipts)))
    }

    /// Asks the host something that moves nothing.
    private func testHost() async -> CounterEnd {
        let result: TerminalOutcome? = try? await world.run { [till] () async throws(CommandFailure) in
            do throws(PaymentHostError) {
                _ = try await till.host.lastNumbers(of: [])
                return .done(TerminalReport())
            } catch { return .failed(.hostUnreachable) }
        }
        return end(result ?? .failed(.internalError))
    }
}

extension Payment {
    /// The number on the receipts of tills, 1...9999.
    var receiptNumber: Int { Int((id.rawValue - 1) % 9999) + 1 }
}

/// The counter as the terminal of one protocol sees it.
struct TillDesk: TerminalCounter {
    let counter: TillCounter
    /// Whether tills of the protocol get the text of receipts.
    let givesReceipts: Bool

    func take(
        _ request: TerminalRequest, with card: StripeTestCard?, at moment: Timestamp, report: @escaping Report
    ) async -> CounterEnd {
        await counter.inTurn { await counter.take(request, givesReceipts: givesReceipts, report: report) }
    }

    func recover(_ request: TerminalRequest, report: @escaping Report) async -> CounterEnd {
        await counter.inTurn { await counter.recover(request, givesReceipts: givesReceipts, report: report) }
    }

    func change(_ request: TerminalRequest, at moment: Timestamp) async -> CounterEnd {
        await counter.inTurn { await counter.change(request, givesReceipts: givesReceipts) }
    }

    func standing(of key: IdempotencyKey) async -> TerminalStanding? { await counter.standing(of: key) }
    func isOnline() async -> Bool { await counter.isOnline() }
    func show(_ lines: [String]) async { await counter.show(lines) }
    func cancel(_ key: IdempotencyKey) async { await counter.cancel(key) }
    func close() async { await counter.close() }
}

import Money
import Payments
import Sessions
import Simulator
import StoreSite

/// The conditions that must hold at the end of every session, whatever its faults.
public enum Invariant: String, Hashable, Sendable, Codable, CaseIterable {
    /// No attempt is charged twice, no payment is charged by two attempts, no order is paid by two payments, and
    /// refunds don't exceed the payment.
    case oneCharge
    /// The till's database, its journal, the issuer's ledger, and the store agree on every payment.
    case booksAgree
    /// People were shown only what stays true, and the same by the exit code, the JSON, the text, the display,
    /// receipts, and paper. An approval is never followed by a reversal, and a decline never by a charge.
    case toldIsTrue
    /// Every attempt has reached a final state, and every payment notification has reached the store or is marked for
    /// review.
    case everyAttemptEnds
    /// Every approval has proof: for a chip and a tap, a cryptogram that the card itself recorded; for a magnetic
    /// stripe, the issuer's approval.
    case approvalsAreProven
    /// No card number, track data, PIN, or expiry date appears in the database, its files, events, receipts, errors,
    /// requests to the store, or the issuer's ledger.
    case noSecretIsTold
    /// Every step ends: nothing waits forever, and nothing loops forever.
    case nothingHangs
    /// After the session, no handle, file, claimed interface, or task remains.
    case nothingIsLeftOpen
    /// Every action completes exactly once.
    case everyActionIsAnswered
    /// When all faults are removed, the program starts and completes unfinished payments.
    case theTillRecovers
}

/// A violation of an invariant.
struct Violation: Hashable, Sendable, Codable {
    var invariant: Invariant
    /// The description of the violation.
    var detail: String

    init(_ invariant: Invariant, _ detail: String) { (self.invariant, self.detail) = (invariant, detail) }

    /// The description without numbers, which is equal for violations of the same kind.
    var kind: String {
        invariant.rawValue + " " + String(detail.split { $0.isNumber || $0 == "-" || $0 == "_" }.joined(separator: "#"))
    }
}

/// Finds the violations of a session. Compares the till's records with those of the issuer, the store, and the cards.
struct InvariantCheck {
    private let record: SessionRecord
    private let teller: CommandTeller?

    /// `teller` makes what the commands of the program show; without it, the answers of actions are checked.
    init(_ record: SessionRecord, _ teller: CommandTeller? = nil) { (self.record, self.teller) = (record, teller) }

    var violations: [Violation] {
        if let step = record.stuckStep { return [Violation(.nothingHangs, "'\(step)' does not end")] }
        if let reason = record.breakdown {
            return [Violation(.theTillRecovers, "a session that had begun has no results: \(reason)")]
        }
        guard record.refusal == nil else { return [] }
        return charges + refunds + orders + attempts + HoldCheck(record).violations + payments + store + storeRefunds
            + proofs + secrets
            + leftovers
            + steps
            + ToldCheck(record, teller).violations
    }

    private var sales: [SessionPayment.Attempt] { record.attempts.filter { !$0.isRefund } }

    private func charge(_ key: String) -> SessionRecord.Charge? { record.charges.first { $0.key == key } }

    /// Returns the net amount that the issuer charged for a payment.
    private func net(_ payment: Int64) -> Int64 {
        record.attempts.filter { $0.payment == payment }.reduce(0) { sum, attempt in
            guard let charge = charge(attempt.key) else { return sum }
            return charge.isRefund ? sum - charge.minorUnits : sum + charge.minorUnits
        }
    }

    // MARK: Two charges

    private var charges: [Violation] {
        var found: [Violation] = []
        for line in record.book where line.isApproved && [.authorization, .refund].contains(line.kind) {
            let same = record.book.count { $0.kind == line.kind && $0.key == line.key && $0.isApproved }
            if same > 1 {
                found.append(
                    Violation(.oneCharge, "the ledger has \(same) \(line.kind.rawValue) lines for \(line.key.rawValue)")
                )
            }
        }
        for payment in record.payments {
            let charged = sales.filter { $0.payment == payment.id }.filter { charge($0.key)?.minorUnits ?? 0 != 0 }
            if charged.count > 1 {
                found.append(Violation(.oneCharge, "payment \(payment.id) is charged by \(charged.count) attempts"))
            }
            if net(payment.id) < 0 {
                found.append(Violation(.oneCharge, "more was refunded than paid for payment \(payment.id)"))
            }
        }
        return found
    }

    /// A refund above what was paid is refused before there is an attempt.
    private var refunds: [Violation] {
        record.attempts.filter(\.isRefund).compactMap { refund in
            let paid = sales.last { $0.payment == refund.payment && $0.state == "captured" }?.amount.minorUnits ?? 0
            guard refund.amount.minorUnits > paid else { return nil }
            return Violation(.oneCharge, "a refund of payment \(refund.payment) is above what was paid")
        }
    }

    private var orders: [Violation] {
        var found: [Violation] = []
        for order in Set(record.payments.compactMap(\.orderID)).sorted() {
            let paid = record.payments.filter { $0.orderID == order && net($0.id) > 0 }
            for isSecond in [false, true] {
                let count = paid.count { record.isInSecondDatabase($0.id) == isSecond }
                if count > 1 { found.append(Violation(.oneCharge, "order \(order) is paid by \(count) payments")) }
            }
            found += ordersOfTwoDatabases(order, paid)
        }
        for order in Set(record.storeCharges.map(\.orderID)).sorted() {
            let count = record.storeCharges.count { $0.orderID == order }
            if count > 1 { found.append(Violation(.oneCharge, "the store charged order \(order) \(count) times")) }
        }
        return found
    }

    /// Two tills with two databases know of each other only by the order. Both may have taken the money before one of
    /// them sees that; then the order shows one payment, and the other till shows its clerk a conflict: that money is
    /// to be given back.
    private func ordersOfTwoDatabases(_ order: Int64, _ paid: [SessionPayment]) -> [Violation] {
        guard record.hasTwoDatabases else { return [] }
        let payments = record.payments.filter { $0.orderID == order }.map(\.id)
        let captures = record.captures.filter { payments.contains($0.payment) }
        var found: [Violation] = []
        let confirmed = captures.count { $0.state == "confirmed" }
        if confirmed > 1 {
            found.append(Violation(.oneCharge, "order \(order) has \(confirmed) captures at two tills"))
        }
        let isPaidTwice = paid.contains { record.isInSecondDatabase($0.id) } && paid.count > 1
        let silent = paid.filter { payment in
            !captures.contains { $0.payment == payment.id && ["conflict", "refused"].contains($0.state) }
        }
        if isPaidTwice, silent.count > 1 {
            found.append(
                Violation(.oneCharge, "order \(order) is paid at two tills, and neither shows a conflict"))
        }
        return found
    }

    // MARK: The till and the issuer

    private var attempts: [Violation] {
        var found: [Violation] = []
        for attempt in record.attempts {
            let (state, charge) = (attempt.state, charge(attempt.key))
            // A pre-authorization may still hold its amount at the end: that is the part of HoldCheck.
            if state == "authorizedOnly" { continue }
            guard ["captured", "declined", "cancelled", "failed", "reversed"].contains(state) else {
                found.append(Violation(.everyAttemptEnds, "an attempt of payment \(attempt.payment) is \(state)"))
                continue
            }
            let moved = charge?.minorUnits ?? 0
            let expected = state == "captured" ? attempt.amount.minorUnits : 0
            let name = "a \(attempt.isRefund ? "refund" : "sale") of payment \(attempt.payment)"
            if moved != expected {
                found.append(
                    Violation(.booksAgree, "\(name) is \(state) with \(expected), and the issuer moved \(moved)"))
            }
            guard moved != 0, let charge else { continue }
            if charge.currency != attempt.amount.currency.code || charge.isRefund != attempt.isRefund {
                found.append(Violation(.booksAgree, "\(name) is something else at the issuer"))
            }
            if charge.isRefund, !sales.contains(where: { $0.key == charge.original && $0.payment == attempt.payment }) {
                found.append(Violation(.booksAgree, "\(name) is one of another payment at the issuer"))
            }
        }
        let known = Set(record.attempts.map(\.key))
        for charge in record.charges where charge.minorUnits != 0 && !known.contains(charge.key) {
            found.append(Violation(.booksAgree, "the issuer moved \(charge.minorUnits) without an attempt of the till"))
        }
        return found
    }

    private var payments: [Violation] {
        record.payments.flatMap { payment -> [Violation] in
            let attempts = record.attempts.filter { $0.payment == payment.id }
            let isPaid = attempts.contains { !$0.isRefund && $0.state == "captured" }
            let refunded = attempts.filter { $0.isRefund && $0.state == "captured" }.reduce(0) {
                $0 + $1.amount.minorUnits
            }
            var found: [Violation] = []
            if isPaid != ["captured", "partiallyRefunded", "refunded"].contains(payment.state) {
                found.append(
                    Violation(.booksAgree, "payment \(payment.id) is \(payment.state), and its attempts say otherwise"))
            }
            if refunded != payment.refundedMinorUnits {
                found.append(
                    Violation(
                        .booksAgree,
                        "payment \(payment.id) has \(payment.refundedMinorUnits) refunded, and its attempts \(refunded)"
                    ))
            }
            return found
        }
    }

    // MARK: The store

    private var store: [Violation] {
        var found: [Violation] = []
        for capture in record.captures {
            let charge = record.storeCharges.first { $0.paymentIntentID == capture.intent }
            switch capture.state {
            case "due", "sent", "unknown":
                found.append(
                    Violation(.everyAttemptEnds, "the capture of payment \(capture.payment) is \(capture.state)"))
            case "confirmed" where capture.isOfTill:
                // No gateway charges such an order.
                let payment = record.payments.first { $0.id == capture.payment }
                if charge != nil {
                    found.append(
                        Violation(
                            .booksAgree,
                            "the store charged for payment \(capture.payment), whose order the till completed"))
                }
                if let payment, let order = payment.orderID, !isGivenBack(payment),
                    !record.paidOrders.contains(order)
                {
                    found.append(Violation(.booksAgree, "order \(order) is not paid, although the till completed it"))
                }
            case "confirmed":
                let payment = record.payments.first { $0.id == capture.payment }
                guard let charge, let payment else {
                    found.append(
                        Violation(.booksAgree, "the capture of payment \(capture.payment) is not known to the store"))
                    continue
                }
                if charge.amount != payment.amount.minorUnits || charge.orderID != payment.orderID {
                    found.append(
                        Violation(.booksAgree, "the store charged something else than payment \(payment.id)"))
                }
                if !record.paidOrders.contains(charge.orderID) {
                    found.append(Violation(.booksAgree, "order \(charge.orderID) is charged but not paid"))
                }
            default:
                // Old data hides that the store was notified before all was given back.
                let isHidden =
                    record.hadOldData && record.payments.first { $0.id == capture.payment }.map(isGivenBack) == true
                if charge != nil, !isHidden {
                    found.append(
                        Violation(
                            .booksAgree,
                            "the store charged for payment \(capture.payment), whose capture is \(capture.state)"))
                }
                // A store has reasons of its own to refuse, such as an amount that its gateway does not take.
                if capture.state == "conflict", let order = orderInWait(of: capture.payment) {
                    found.append(
                        Violation(
                            .everyAttemptEnds,
                            "the capture of payment \(capture.payment) is a conflict, and order \(order) awaits it"
                        ))
                }
            }
        }
        let intents = Set(record.captures.compactMap(\.intent))
        for charge in record.storeCharges where !intents.contains(charge.paymentIntentID) {
            found.append(
                Violation(.booksAgree, "the store charged order \(charge.orderID) without a payment of the till"))
        }
        for payment in record.payments where payment.orderID != nil {
            let isPaid = sales.contains { $0.payment == payment.id && $0.state == "captured" }
            guard isPaid, !isGivenBack(payment) else { continue }
            let capture = record.captures.first { $0.payment == payment.id }
            if capture == nil || capture?.state == "planned" {
                found.append(Violation(.everyAttemptEnds, "payment \(payment.id) has no notification to the store"))
            }
        }
        return found
    }

    /// Whether all of a payment went back to the card.
    private func isGivenBack(_ payment: SessionPayment) -> Bool {
        payment.refundedMinorUnits >= payment.amount.minorUnits
    }

    /// The order of a payment that is taken, when the store awaits exactly this payment.
    private func orderInWait(of payment: Int64) -> Int64? {
        guard let payment = record.payments.first(where: { $0.id == payment }), payment.refundedMinorUnits == 0,
            sales.contains(where: { $0.payment == payment.id && $0.state == "captured" }),
            let order = record.storeOrders.first(where: { $0.id == payment.orderID }), order.needsPayment,
            order.total == payment.amount.minorUnits
        else { return nil }
        return order.id
    }

    /// Compares what the store shows as refunded with what the tills gave back and notified.
    private var storeRefunds: [Violation] {
        var found: [Violation] = []
        for notice in record.refundNotices where ["due", "sent", "unknown"].contains(notice.state) {
            found.append(
                Violation(
                    .everyAttemptEnds, "the notification of a refund of payment \(notice.payment) is \(notice.state)"))
        }
        for order in record.storeOrders {
            let payments = Set(record.payments.filter { $0.orderID == order.id }.map(\.id))
            guard !payments.isEmpty else { continue }
            let notices = record.refundNotices.filter { payments.contains($0.payment) }
            let notified = notices.filter { $0.state == "confirmed" }.reduce(0) { $0 + $1.minorUnits }
            let isAllConfirmed = notices.allSatisfy { ["confirmed", "planned"].contains($0.state) }
            // With old data, the till sends a refund again after each lost answer.
            let repeated = record.hadOldData ? record.lostRefunds.count { $0 == order.id } : 0
            let times = 1 + Int64(repeated)
            let most = times * notices.reduce(0) { $0 + $1.minorUnits }
            let isRight = order.refunded >= notified && order.refunded <= times * notified
            if order.refunded > most || (isAllConfirmed && !isRight) {
                found.append(
                    Violation(
                        .booksAgree,
                        "order \(order.id) has \(order.refunded) refunded, and the tills notified \(notified)"
                    ))
            }
        }
        return found
    }

    // MARK: Proofs

    private var proofs: [Violation] {
        var found: [Violation] = []
        /// The places of the cryptograms used as proof so far; each proves one payment. Those of two applications of a
        /// card can be equal.
        var used: Set<Int> = []
        let approved = sales.filter { $0.state == "captured" || ($0.kind == "sale" && $0.state == "authorizedOnly") }
        for attempt in approved where attempt.amount.minorUnits != 0 {
            guard let payment = record.payments.first(where: { $0.id == attempt.payment }) else { continue }
            let answer = record.book.first {
                $0.kind == .authorization && $0.key.rawValue == attempt.key && $0.isApproved
            }
            let name = "payment \(payment.id)"
            let entry = payment.card?.entryMode
            guard entry == "chip" || entry == "contactless" else {
                if answer == nil {
                    found.append(Violation(.approvalsAreProven, "\(name) was swiped without the issuer's approval"))
                }
                continue
            }
            // A tapped card is asked once: its request proves what the issuer approved, and its own approval a payment
            // without the issuer.
            let proof: IssuedCryptogram.Kind = entry == "contactless" && answer != nil ? .asksIssuer : .approved
            // The card was asked for more than the issuer approved in part, and for what a pre-authorization held at
            // first, which the issuer's line tells.
            let isHeld = attempt.wasHeld
            let amount = answer?.requested ?? (isHeld ? answer?.minorUnits : nil) ?? attempt.amount.minorUnits
            let agreed = record.cryptograms.indices.first { place in
                let cryptogram = record.cryptograms[place]
                return cryptogram.kind == proof && cryptogram.minorUnits == amount
                    && cryptogram.lastFour == payment.card?.lastFour && !used.contains(place)
                    && (answer?.counter).map { cryptogram.counter == $0 } ?? true
            }
            guard let agreed else {
                found.append(Violation(.approvalsAreProven, "\(name) was approved without a cryptogram of the card"))
                continue
            }
            used.insert(agreed)
            guard let answer else { continue }
            let asked = record.cryptograms.contains {
                $0.kind == .asksIssuer && $0.counter == answer.counter && $0.lastFour == payment.card?.lastFour
                    && $0.minorUnits == amount
            }
            if !asked {
                found.append(Violation(.approvalsAreProven, "\(name) was approved online without the card's request"))
            }
        }
        return found
    }

    // MARK: Secrets, resources, actions

    private var secrets: [Violation] {
        record.leaks.map { Violation(.noSecretIsTold, "\($0.secret) in \($0.place)") }
    }

    private var leftovers: [Violation] {
        let leaks = record.openResources
        let counts = [
            (leaks.openHandles, "USB handles"), (leaks.claimedReaders, "claimed readers"),
            (leaks.waitingTasks, "waiting tasks"), (leaks.processes, "processes in memory"),
        ]
        return counts.filter { $0.0 != 0 }.map { Violation(.nothingIsLeftOpen, "\($0.0) \($0.1)") }
            + record.openFiles.map { Violation(.nothingIsLeftOpen, "open file \($0)") }
    }

    private var steps: [Violation] {
        record.steps.compactMap { step in
            guard let code = step.errorCode else { return nil }
            let words = "\(step.word): \(code): \(step.errorMessage ?? "")"
            if code == "internal" { return Violation(.everyActionIsAnswered, words) }
            return step.isEnding ? Violation(.theTillRecovers, words) : nil
        }
    }
}

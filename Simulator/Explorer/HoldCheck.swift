import Money
import Payments
import Sessions
import Simulator

/// Finds holds of pre-authorizations that till and issuer see differently, and captures above what was held.
struct HoldCheck {
    private let record: SessionRecord

    init(_ record: SessionRecord) { self.record = record }

    var violations: [Violation] { sales.flatMap(sums) + increments + payments + strangers }

    private var sales: [SessionPayment.Attempt] { record.attempts.filter { $0.kind == "sale" } }

    private func found(_ words: String) -> Violation { Violation(.booksAgree, words) }

    private func line(_ kind: IssuerLedgerEntry.Kind, _ key: String) -> IssuerLedgerEntry? {
        record.book.first { $0.kind == kind && $0.key.rawValue == key && $0.isApproved }
    }

    /// Returns the amount of an increment that the issuer approved and did not take back, in minor units.
    private func raised(_ key: String) -> Int64 {
        let isReversed = record.book.contains { $0.kind == .reversal && $0.key.rawValue == key }
        return isReversed ? 0 : line(.increment, key)?.minorUnits ?? 0
    }

    /// The issuer holds what the till holds, and no capture is above what it held.
    private func sums(of sale: SessionPayment.Attempt) -> [Violation] {
        let charge = record.charges.first { $0.key == sale.key }
        let (expected, held) = (sale.state == "authorizedOnly" ? sale.amount.minorUnits : 0, charge?.held ?? 0)
        var violations: [Violation] = []
        if held != expected {
            violations.append(
                found(
                    "payment \(sale.payment) is \(sale.state) and holds \(expected), and the issuer holds \(held)"))
        }
        if held != 0, let charge, charge.currency != sale.amount.currency.code {
            violations.append(found("payment \(sale.payment) is held in another currency at the issuer"))
        }
        if sale.wasHeld, sale.state == "captured" {
            let most = record.book.filter {
                $0.kind == .increment && $0.original?.rawValue == sale.key && $0.isApproved
            }
            .reduce(line(.authorization, sale.key)?.minorUnits ?? 0) { $0 + raised($1.key.rawValue) }
            if sale.amount.minorUnits > most {
                violations.append(
                    found("\(sale.amount.minorUnits) of payment \(sale.payment) were captured, and \(most) were held"))
            }
        }
        return violations
    }

    /// The issuer raised the hold by each approved increment, and by no other one.
    private var increments: [Violation] {
        record.attempts.filter { $0.kind == "increment" }.compactMap { increment in
            let expected = increment.state == "authorizedOnly" ? increment.amount.minorUnits : 0
            let raised = raised(increment.key)
            guard raised != expected else { return nil }
            return found("\(increment.name) is \(increment.state) with \(expected), and the issuer raised by \(raised)")
        }
    }

    /// The row of a payment says `authorized` exactly when its sale holds, and has the amount of the sale. At most one
    /// sale of a payment holds or moves money.
    private var payments: [Violation] {
        record.payments.flatMap { payment -> [Violation] in
            guard let sale = sales.last(where: { $0.payment == payment.id }) else { return [] }
            var violations: [Violation] = []
            if (sale.state == "authorizedOnly") != (payment.state == "authorized") {
                violations.append(found("payment \(payment.id) is \(payment.state), and its sale is \(sale.state)"))
            }
            if ["authorizedOnly", "captured"].contains(sale.state), sale.amount != payment.amount {
                violations.append(found("payment \(payment.id) has another amount than its sale"))
            }
            let open = sales.filter { $0.payment == payment.id }.count { sale in
                record.charges.contains { $0.key == sale.key && ($0.held != 0 || $0.minorUnits != 0) }
            }
            if open > 1 {
                violations.append(Violation(.oneCharge, "payment \(payment.id) is held or charged by \(open) attempts"))
            }
            return violations
        }
    }

    /// Holds that no till knows.
    private var strangers: [Violation] {
        let known = Set(record.attempts.map(\.key))
        return record.charges.filter { $0.held != 0 && !known.contains($0.key) }.map {
            found("the issuer holds \($0.held) without an attempt of the till")
        }
    }
}

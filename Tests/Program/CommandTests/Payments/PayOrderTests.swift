import Foundation
import Glibc
import Testing

/// Orders paid from the command line, with a store in a separate process.
@Suite("pay --order")
struct PayOrderTests {
    private let scratch: Scratch
    private let capture = "POST /wc/v3/payments/orders/*/capture_terminal_payment"

    init() throws { scratch = try Scratch() }

    private func words(_ order: Int) -> [String] {
        ["pay", "--order", "\(order)", "--database", scratch.database, "--json"]
    }

    private func pay(_ order: Int) throws -> ProgramResult { try Program.run(words(order), in: scratch) }

    private func sync(_ words: String...) throws -> ProgramResult {
        try Program.run(["payments", "sync", "--database", scratch.database, "--json"] + words, in: scratch)
    }

    private func capture(_ result: ProgramResult) throws -> [String: Any] {
        let payment = try #require(try result.object()["payment"] as? [String: Any])
        return try #require(payment["capture"] as? [String: Any])
    }

    @Test func `an order is paid once, at the store and in the journal`() throws {
        let store = try RunningStore(in: scratch)
        let order = try store.makeOrder()
        let result = try pay(order)
        #expect(result.status == 0, "\(result.error)")
        #expect(result.error == "")
        #expect(try capture(result)["state"] as? String == "confirmed")
        #expect(try store.charges().count == 1)
        #expect(try store.order(order)["status"] as? String == "completed")
        let again = try pay(order)
        #expect(again.status == 65)
        #expect((try again.object()["error"] as? [String: Any])?["code"] as? String == "order_paid")
        let records = try Records(of: scratch)
        records.expectTruth()
        #expect(records.payments.count == 1)
        let text = try Program.run(["payments", "list", "--database", scratch.database], in: scratch).output
        #expect(text.contains("order \(order): confirmed"))
        let receipt = try Program.run(["receipts", "show", "P1", "--database", scratch.database], in: scratch).output
        #expect(receipt.contains("#\(order)"))
    }

    @Test func `the preferred gateway is used until another is named or it is forgotten`() throws {
        let store = try RunningStore(in: scratch)
        let order = try store.makeOrder()
        func gateway(_ words: String...) throws -> ProgramResult {
            try Program.run(["sites", "gateway", "--database", scratch.database, "--json"] + words, in: scratch)
        }
        #expect(try gateway().object()["gateway"] is NSNull)
        #expect(try gateway("woocommerce-stripe").object()["gateway"] as? String == "woocommerce-stripe")
        // The store has only WooPayments: a gateway that is named must be there, a preferred one need not.
        let refused = try Program.run(words(order) + ["--gateway", "woocommerce-stripe"], in: scratch)
        #expect(refused.status == 78)
        #expect((try refused.object()["error"] as? [String: Any])?["code"] as? String == "no_gateway_account")
        #expect(try gateway().object()["gateway"] as? String == "woocommerce-stripe")
        let paid = try pay(order)
        #expect(paid.status == 0, "\(paid.error)")
        #expect(paid.error.contains("'cardpresent sites gateway --forget'"), "\(paid.error)")
        #expect(try capture(paid)["gateway"] as? String == "woocommerce-payments")
        #expect(try gateway("--forget").object()["gateway"] is NSNull)
        let next = try pay(try store.makeOrder())
        #expect(next.status == 0)
        #expect(next.error == "")
        for words in [["paypal"], ["woocommerce-stripe", "--forget"]] {
            let command = ["sites", "gateway"] + words + ["--database", scratch.database]
            #expect(try Program.run(command, in: scratch).status == 64, "\(words)")
        }
    }

    @Test func `an amount together with an order, and neither of them, are usage errors`() throws {
        for words in [["pay", "5", "--order", "1"], ["pay"], ["pay", "--order", "1", "--currency", "EUR"]] {
            #expect(try Program.run(words + ["--database", scratch.database], in: scratch).status == 64)
        }
    }

    @Test func `without a store an order cannot be paid, and an amount can`() throws {
        let result = try pay(1)
        #expect(result.status == 78)
        #expect((try result.object()["error"] as? [String: Any])?["code"] as? String == "not_signed_in")
        #expect(try Program.run(["pay", "5", "--database", scratch.database], in: scratch).status == 0)
    }

    @Test func `a lost response results in one charge and a correct record`() throws {
        let store = try RunningStore(in: scratch, faults: [capture + " first:2 lost-answer"])
        let order = try store.makeOrder()
        let result = try pay(order)
        #expect(result.status == 0, "\(result.error)")
        #expect(try capture(result)["state"] as? String == "confirmed")
        #expect(try store.charges().count == 1)
    }

    @Test func `a failing store is notified later, and the output says so`() throws {
        let store = try RunningStore(in: scratch, faults: [capture + " 500"])
        let order = try store.makeOrder()
        let result = try pay(order)
        #expect(result.status == 0)
        #expect(try result.object()["outcome"] as? String == "approved")
        #expect(try capture(result)["state"] as? String == "unknown")
        #expect(result.error.contains("may not have been notified yet"))
        #expect(try sync().status == 4)
        try store.removeFaults()
        let synced = try sync()
        #expect(synced.status == 0)
        #expect((try synced.object()["confirmed"] as? [Any])?.count == 1)
        #expect(try store.charges().count == 1)
        #expect(try sync().status == 0)
    }

    @Test(arguments: [["payments", "sync"], ["payments", "list"], ["pay", "5"]])
    func `a password that is revoked before the store was notified signs out, and the payment stays open`(
        command: [String]
    ) throws {
        let store = try RunningStore(in: scratch, faults: [capture + " 500"])
        try pay(store.makeOrder()).expectStatus(0)
        try store.add(fault: "GET /wc/v3/orders* 401")
        let result = try Program.run(command + ["--database", scratch.database, "--json"], in: scratch)
        #expect(result.error.contains("you have been signed out"), "\(result.error)")
        #expect(result.error.contains("'cardpresent login URL'"))
        #expect(!FileManager.default.fileExists(atPath: scratch.file("till.sqlite.credentials")))
        let records = try Records(of: scratch)
        records.expectTruth()
        #expect((records.payments.last?["capture"] as? [String: Any])?["state"] as? String != "confirmed")
    }

    @Test func `a till killed while it notifies the store: the next command recovers the outcome`() throws {
        let store = try RunningStore(in: scratch)
        let order = try store.makeOrder()
        try store.add(fault: capture + " latency:30000ms")
        let child = try Child(words(order), in: scratch)
        #expect(child.wait { (try? store.captureRequests()) ?? 0 > 0 })
        child.send(SIGKILL)
        #expect(try child.result().signal == SIGKILL)
        try store.removeFaults()
        let records = try Records(of: scratch)
        records.expectTruth()
        #expect(records.states == ["captured"])
        #expect((records.payments.first?["capture"] as? [String: Any])?["state"] as? String == "confirmed")
        #expect(try store.charges().count == 1)
    }

    @Test func `a till killed at any time leaves one charge or none`() throws {
        let store = try RunningStore(in: scratch)
        let clock = ContinuousClock()
        let first = try store.makeOrder()
        let whole = try clock.measure { try pay(first).expectStatus(0) }
        let runs = 8
        for run in 1...runs {
            let order = try store.makeOrder()
            let child = try Child(words(order), in: scratch)
            let deadline = clock.now + whole * run / runs
            _ = child.wait { clock.now >= deadline }
            child.send(SIGKILL)
            _ = try child.result()
        }
        let records = try Records(of: scratch)
        records.expectTruth()
        #expect(try store.charges().count == records.states.filter { $0 == "captured" }.count)
        for payment in records.payments where payment["state"] as? String == "captured" {
            #expect((payment["capture"] as? [String: Any])?["state"] as? String == "confirmed")
        }
    }

    @Test func `an order that is closed during the payment is rejected, and the payment is reversed`() throws {
        let store = try RunningStore(in: scratch)
        let order = try store.makeOrder()
        // The query before the notification is the third request.
        try store.add(fault: "GET /wc/v3/orders/* from:3 cut")
        let result = try pay(order)
        #expect(result.status == 0)
        #expect(try capture(result)["state"] as? String == "due")
        try store.removeFaults()
        try store.close(order)
        let refused = try sync()
        #expect(refused.status == 7)
        #expect(refused.error.contains("cardpresent refund P000001"))
        #expect(try Program.run(["refund", "P1", "--database", scratch.database], in: scratch).status == 0)
        #expect(try store.charges().isEmpty)
        try Records(of: scratch).expectTruth()
    }

    @Test func `a conflict is counted by every sync until the payment is given back`() throws {
        let store = try RunningStore(in: scratch, faults: [capture + " 500"])
        let order = try store.makeOrder()
        try pay(order).expectStatus(0)
        try store.removeFaults()
        try store.payOtherwise(order)
        for _ in 0..<2 {
            let result = try sync()
            #expect(result.status == 7, "\(result.error)")
            #expect((try result.object()["refused"] as? [Any])?.count == 1)
            #expect(result.error.contains("does not match"))
        }
        try Program.run(["refund", "P1", "--database", scratch.database], in: scratch).expectStatus(0)
        #expect(try sync().status == 0)
    }

    @Test func `a revoked password is noticed without a pending payment, and by the sync of one payment`() throws {
        for (words, isConflict) in [([], false), (["P1"], false), (["P1"], true)] {
            let scratch = try Scratch()
            let store = try RunningStore(in: scratch, faults: [capture + " 500"])
            let order = try store.makeOrder()
            let database = ["--database", scratch.database]
            try Program.run(["pay", "--order", "\(order)"] + database, in: scratch).expectStatus(0)
            try store.removeFaults()
            if !isConflict {
                try Program.run(["payments", "sync"] + database, in: scratch).expectStatus(0)
            } else {
                try store.payOtherwise(order)
                try Program.run(["payments", "sync"] + database, in: scratch).expectStatus(7)
            }
            for path in ["orders*", "reports/orders/totals"] { try store.add(fault: "GET /wc/v3/\(path) 401") }
            let result = try Program.run(["payments", "sync"] + words + database, in: scratch)
            #expect(result.status == (isConflict ? 7 : 78), "\(result.error)")
            // The reason of the conflict stays, and the error is beside it.
            #expect(result.error.contains("was paid otherwise") == isConflict, "\(result.error)")
            #expect(result.error.contains("P000001 could not be checked again") == isConflict, "\(result.error)")
            #expect(result.error.contains("you have been signed out"), "\(result.error)")
            #expect(result.error.contains("'cardpresent login URL'"))
            #expect(!FileManager.default.fileExists(atPath: scratch.file("till.sqlite.credentials")))
        }
    }

    @Test func `a refund reaches the store, after a failure by payments sync`() throws {
        let store = try RunningStore(in: scratch)
        let order = try store.makeOrder()
        try pay(order).expectStatus(0)
        try store.add(fault: "POST /wc/v3/orders/*/refunds 503")
        let refund = try Program.run(
            ["refund", "P1", "--amount", "5.00", "--database", scratch.database, "--json"], in: scratch)
        #expect(refund.status == 0, "\(refund.error)")
        #expect(refund.error.contains("may not have been notified of it yet"))
        #expect(try store.refunds(order).isEmpty)
        #expect(try sync().status == 4)
        try store.removeFaults()
        // Within a minute, the store may have made the refund and show older data.
        let early = try sync()
        #expect(early.status == 4)
        #expect(early.error.contains("not show it yet"), "\(early.error)")
        #expect(try store.refunds(order).isEmpty)
        let script = """
            import sqlite3, sys
            database = sqlite3.connect(sys.argv[1])
            database.execute("UPDATE siteRefund SET updatedAt = updatedAt - 60000")
            database.commit()
            """
        try Child(program: "/usr/bin/env", ["python3", "-c", script, scratch.database], in: scratch).result()
            .expectStatus(0)
        #expect(try sync().status == 0)
        #expect(try store.refunds(order) == ["5.00"])
        let listed = try Program.run(
            ["orders", "refunds", "\(order)", "--database", scratch.database], in: scratch)
        #expect(listed.status == 0, "\(listed.error)")
        #expect(listed.output.contains("5.00 USD"))
        #expect(listed.output.contains("Refund at the till: P000001"))
        let whole = try Program.run(
            ["orders", "show", "\(order)", "--refresh", "--database", scratch.database], in: scratch)
        #expect(whole.output.contains("\n  Refund at the till: P000001"), "\(whole.output)")
        // Amounts end in one column, however long the reason is.
        let rows = whole.output.split(separator: "\n").filter { $0.contains("Goods") || $0.contains("Refund at") }
        let ends = rows.compactMap { row in
            row.range(of: "[0-9]+\\.[0-9]{2}", options: [.regularExpression, .backwards]).map {
                row.distance(from: row.startIndex, to: $0.upperBound)
            }
        }
        #expect(ends.count == 2 && Set(ends).count == 1, "\(whole.output)")
        let shown = try Program.run(["payments", "show", "P1", "--database", scratch.database], in: scratch)
        #expect(shown.output.contains("store refund"))
    }

    @Test func `a refund of a deleted order is accepted, and then needs no review`() throws {
        let store = try RunningStore(in: scratch)
        let order = try store.makeOrder()
        try pay(order).expectStatus(0)
        try store.delete(order)
        let database = ["--database", scratch.database]
        let refund = try Program.run(["refund", "P1", "--amount", "5"] + database, in: scratch)
        #expect(refund.status == 0)
        for words in [[], ["P1"]] {
            let result = try Program.run(["payments", "sync"] + words + database, in: scratch)
            #expect(result.status == 7)
            #expect(
                result.error.contains("'cardpresent payments sync P000001 --accept --reason TEXT'"), "\(result.error)")
        }
        for words in [
            ["--accept"], ["P1", "--accept"], ["P1", "--reason", "x"], ["P1", "--accept", "--reason", " "],
        ] {
            #expect(try Program.run(["payments", "sync"] + words + database, in: scratch).status == 64, "\(words)")
        }
        let accepted = try sync("P1", "--accept", "--reason", "booked by hand")
        #expect(accepted.status == 0, "\(accepted.error)")
        #expect((try accepted.object()["settled"] as? [Any])?.count == 1)
        #expect(try sync().status == 0)
        #expect(try sync("P1").status == 0)
        #expect(try sync("P1", "--accept", "--reason", "again").status == 64)
        let shown = try Program.run(["payments", "show", "P1"] + database, in: scratch).output
        #expect(shown.contains("5.00 USD accepted"))
        #expect(shown.contains("accepted: booked by hand"))
        let json = try Program.run(["payments", "show", "P1", "--json"] + database, in: scratch).object()
        let payment = try #require(json["payment"] as? [String: Any])
        let told = try #require((payment["storeRefunds"] as? [[String: Any]])?.first)
        #expect(told["state"] as? String == "accepted")
        #expect(told["acceptedReason"] as? String == "booked by hand")
        #expect(told["currency"] as? String == "USD" && told["exponent"] as? Int == 2)
        #expect(payment["currency"] as? String == "USD" && payment["exponent"] as? Int == 2)
    }

    @Test func `pieces of an order are refunded for what the customer paid`() throws {
        let store = try RunningStore(in: scratch)
        let (order, line) = try store.makeOrder(pieces: 2, of: "20.00")
        try pay(order).expectStatus(0)
        let database = ["--database", scratch.database]
        let shown = try Program.run(["orders", "show", "\(order)", "--refresh"] + database, in: scratch)
        #expect(shown.output.contains("line \(line)"), "\(shown.output)")
        for (words, code) in [
            (["--item", "999999"], "unknown_line"), (["--item", "\(line):3"], "line_not_refundable"),
            (["--item", "\(line):1", "--amount", "1"], "amount_differs"),
        ] {
            let result = try Program.run(["refund", "P1", "--json"] + words + database, in: scratch)
            #expect(result.status == 64, "\(result.error)")
            #expect((try result.object()["error"] as? [String: Any])?["code"] as? String == code)
        }
        #expect(try Program.run(["refund", "P1", "--item", "x"] + database, in: scratch).status == 64)
        let refund = try Program.run(["refund", "P1", "--item", "\(line):1", "--json"] + database, in: scratch)
        #expect(refund.status == 0, "\(refund.error)")
        let told = try #require(
            ((try refund.object()["payment"] as? [String: Any])?["storeRefunds"] as? [[String: Any]])?.first)
        #expect(told["state"] as? String == "confirmed")
        #expect((told["lines"] as? [[String: Any]])?.map { $0["line"] as? Int } == [line])
        let listed = try Program.run(["orders", "refunds", "\(order)", "--json"] + database, in: scratch).list()
        #expect(listed.first?["exponent"] as? Int == 2)
        #expect((listed.first?["lines"] as? [[String: Any]])?.first?["quantity"] as? String == "-1")
        try Records(of: scratch).expectTruth()
    }

    @Test func `a payment that was given back needs no review, however it is asked for`() throws {
        let store = try RunningStore(in: scratch, faults: [capture + " 500"])
        let order = try store.makeOrder()
        try pay(order).expectStatus(0)
        try store.removeFaults()
        try store.payOtherwise(order)
        #expect(try sync("P1").status == 7)
        try Program.run(["refund", "P1", "--database", scratch.database], in: scratch).expectStatus(0)
        #expect(try sync().status == 0)
        #expect(try sync("P1").status == 0)
    }

    @Test func `a preferred gateway does not keep the till from completing an order`() throws {
        let store = try RunningStore(in: scratch, options: ["--no-woopayments"])
        let preferred = ["sites", "gateway", "woocommerce-payments", "--database", scratch.database]
        try Program.run(preferred, in: scratch).expectStatus(0)
        let result = try pay(try store.makeOrder())
        #expect(result.status == 0, "\(result.error)")
        #expect(try capture(result)["gateway"] as? String == "till")
    }

    @Test func `a store without a gateway is completed by the till`() throws {
        let store = try RunningStore(in: scratch, options: ["--no-woopayments"])
        let order = try store.makeOrder()
        let result = try pay(order)
        #expect(result.status == 0, "\(result.error)")
        #expect(try capture(result)["state"] as? String == "confirmed")
        #expect(try capture(result)["gateway"] as? String == "till")
        #expect(try store.order(order)["payment_method"] as? String == "cardpresent")
        #expect(try store.charges().isEmpty)
    }

    @Test func `the address of the store's own receipt is shown`() throws {
        let store = try RunningStore(in: scratch)
        let order = try store.makeOrder()
        try pay(order).expectStatus(0)
        let result = try Program.run(
            ["receipts", "backend", "\(order)", "--database", scratch.database], in: scratch)
        #expect(result.status == 0, "\(result.error)")
        #expect(result.output.hasPrefix("http"))
        #expect(result.output.contains("available until "))
        #expect(
            try Program.run(["receipts", "backend", "999999", "--database", scratch.database], in: scratch).status == 65
        )
    }
}

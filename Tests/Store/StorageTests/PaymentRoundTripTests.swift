import Determinism
import Foundation
import GRDB
import Money
import Payments
import Testing

@testable import Storage

/// No round trip loses a field of a payment.
@Suite struct PaymentRoundTripTests {
    /// A card with every field set. The languages choose the language of the receipt, which is stored instead of them.
    static let card: CardDetails = {
        var card = storedCard
        card.languages = ["de", "en"]
        return card
    }()

    private static let storedCard = CardDetails(
        brand: "visa", lastFour: "0010", entryMode: .fallback,
        cardholderVerification: .encipheredOfflinePINAndSignature, pinTriesLeft: 2,
        aid: "A0000000031010", applicationName: "Visa Credit", accountType: .savings,
        terminalVerificationResults: "0000008000", transactionStatusInformation: "7800",
        applicationCryptogram: "1122334455667788", cryptogramType: "TC", issuerApplicationData: "06010A03A0B800",
        applicationTransactionCounter: 0x0102, authorizationResponseCode: "00", authorizationCode: "A1B2C3",
        hostReference: "000000000001", offlineDataAuthentication: .cda, offlineDataAuthenticationResult: "failed",
        offlineDataAuthenticationReason: "revoked")

    static let details = details(of: card)
    /// The details that are read again.
    static let storedDetails = details(of: storedCard)

    private static func details(of card: CardDetails) -> PaymentDetails {
        PaymentDetails(
            card: card, declineReason: .insufficientFunds, errorCode: "declined_by_host",
            errorMessage: "insufficient funds")
    }

    static let receipt = ReceiptContent(
        kind: .sale, outcome: .approved,
        merchant: Merchant(
            name: "Shop", lines: ["Main Street 1"], merchantID: "000000000000001", terminalID: "00000001"),
        store: "Shop", payment: "P000001", orderID: 42, orderNumber: "A42", date: "2026-01-02 12:00:00",
        zone: "UTC+05:30", amount: "12.50", approvedAmount: "12.50", currency: "USD", reason: "because",
        reasonCode: .wrongPIN,
        breakdown: ReceiptBreakdown(
            items: [
                ReceiptItem(
                    title: "Tea", quantity: "0.5", amount: "12.00",
                    attributes: [ReceiptItem.Attribute(name: "Size", value: "M")])
            ], totals: ReceiptTotal.Kind.allCases.map { ReceiptTotal($0, detail: "D", amount: "0.10") }),
        breakdownNote: .doesNotAddUp, card: card, language: .german)

    /// Returns the members that have no value, at any depth: a new member is among them until it is set here.
    private func unset(in value: Any, at path: String = "") -> [String] {
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional, .collection:
            guard !mirror.children.isEmpty else { return [path] }
            return mirror.children.flatMap { unset(in: $0.value, at: path) }
        case .struct, .tuple:
            return mirror.children.flatMap { unset(in: $0.value, at: path + "." + ($0.label ?? "")) }
        default: return ["", "none"].contains(String(describing: value)) ? [path] : []
        }
    }

    @Test func `every member of a card, of details, and of a receipt is set here`() {
        #expect(unset(in: Self.card) == [])
        #expect(unset(in: Self.details) == [])
        #expect(unset(in: Self.receipt) == [])
    }

    @Test func `a payment with every member set survives the round trip through the journal`() throws {
        let journal = try TemporaryDatabase().journal()
        let order = OrderToPay(
            siteID: 7, siteAddress: "https://shop.example", storeName: "Shop", orderID: 42, orderNumber: "A42",
            gateway: "woocommerce-payments")
        let begun = try journal.begin(order, amount: try usd(1250), hostName: "simulated", at: at(1000))
        let id = begun.payment.id
        try journal.markAuthorizing(begun.attempt.id, at: at(1001))
        let draft = ReceiptDraft(kind: .sale, content: "{}", last4: "0010", authCode: "A1B2C3")
        let entry = try journal.finish(
            begun.attempt.id, as: .captured, details: Self.details, receipt: draft, at: at(1002))
        try journal.markNotificationSent(of: id, at: at(1003))
        try journal.recordNotification(of: id, as: .confirmed, orderStatus: "processing", at: at(1004))
        let line = RefundedLine(id: 5, quantity: 1, total: 200, taxes: [RefundedLine.Tax(rate: 3, total: 50)])
        let refund = try journal.beginRefund(
            of: id, amount: try usd(250), lines: [line], hostName: "simulated", at: at(1005)
        ).attempt.id
        try journal.markAuthorizing(refund, at: at(1006))
        try journal.finish(refund, as: .captured, at: at(1007))

        var payment = try journal.paymentWithNotification(id)
        #expect(payment.details == Self.storedDetails && payment.notification?.receiptID == entry.receipt?.id)
        #expect(payment.refundNotifications.map(\.lines) == [[line]])
        payment.notification?.state = .accepted
        payment.notification?.lastError = "no answer"
        payment.notification?.acceptance = "paid in cash"
        var told = try #require(payment.refundNotifications.first)
        (told.state, told.tries, told.refundID) = (.accepted, 2, 9)
        (told.lastError, told.acceptance) = ("too late", "given in cash")
        payment.refundNotifications = [told]
        payment.requestedAmount = try usd(2000)
        payment.preauthorization = Preauthorization(
            authorized: try usd(1500), captured: try usd(1250), expiresAt: at(9000),
            increments: [HoldIncrement(amount: try usd(250), approvedAt: at(8000))])
        #expect(unset(in: payment) == [".details.card.languages"])
        try journal.write { storage in
            try storage.updateObject(payment)
            try storage.updateObject(try #require(payment.notification))
            try storage.updateObject(told)
        }
        #expect(try journal.paymentWithNotification(id) == payment)
    }

    @Test func `a payment survives the round trip through the journal`() throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        let order = OrderToPay(
            siteID: 7, siteAddress: "https://shop.example", storeName: "Shop", orderID: 42, orderNumber: "A42",
            gateway: "woocommerce-payments")
        let begun = try journal.begin(order, amount: try usd(1250), hostName: "simulated", at: at(1000))
        let id = begun.payment.id
        try journal.markAuthorizing(begun.attempt.id, at: at(1001))
        let entry = try journal.finish(begun.attempt.id, as: .captured, details: Self.details, at: at(1002))
        var payment = try journal.addNotification(to: entry.payment)
        #expect(payment.details == Self.details)
        payment.details = Self.storedDetails
        #expect(payment.notification?.storeName == "Shop" && payment.notification?.intentID != nil)
        #expect(try journal.paymentWithNotification(id) == payment)
        #expect(try journal.payments(withNotifications: true) == [payment])
        #expect(try journal.attempts(of: id) == [entry.attempt])
        let history = try journal.history(of: id)
        #expect(history.payment == payment && history.attempts.map(\.attempt) == [entry.attempt])
        // A second change writes what was read.
        let refund = try journal.beginRefund(of: id, amount: try usd(250), hostName: "simulated", at: at(1003))
        try journal.markAuthorizing(refund.attempt.id, at: at(1004))
        try journal.finish(refund.attempt.id, as: .captured, hostReference: "000000000002", at: at(1005))
        #expect(try journal.payment(id).details == Self.storedDetails)
        #expect(try journal.payment(id).refundedAmount.minorUnits == 250)
    }

    @Test func `a receipt survives the round trip through journal and JSON`() throws {
        let text = String(decoding: try JSONEncoder().encode(Self.receipt), as: UTF8.self)
        let journal = try TemporaryDatabase().journal()
        let sale = try journal.beginSale()
        try journal.markAuthorizing(sale.attempt.id, at: at(2))
        let draft = ReceiptDraft(kind: .sale, content: text, last4: "0010", authCode: "A1B2C3")
        let entry = try journal.finish(sale.attempt.id, as: .captured, details: Self.details, receipt: draft, at: at(3))
        let stored = try journal.receipt(try #require(entry.receipt).id)
        #expect(try JSONDecoder().decode(ReceiptContent.self, from: Data(stored.content.utf8)) == Self.receipt)
    }

    @Test func `details survive the round trip through JSON`() throws {
        let data = try JSONEncoder().encode(Self.details)
        #expect(try JSONDecoder().decode(PaymentDetails.self, from: data) == Self.details)
    }

    @Test func `unknown values are preserved in the journal and in JSON`() throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        let id = try journal.beginSale().payment.id
        try database.execute(
            "UPDATE payment SET brand = 'visa', last4 = '0010', entryMode = 'beam', cvm = 'gesture', odaMethod = 'lattice'"
        )
        let card = try #require(try journal.payment(id).card)
        #expect(card.entryMode == .other("beam") && card.cardholderVerification == .other("gesture"))
        #expect(card.offlineDataAuthentication == .other("lattice"))
        #expect(try JSONDecoder().decode(CardDetails.self, from: JSONEncoder().encode(card)) == card)
        let attempt = try #require(try journal.attempts(of: id).first).id
        try journal.finish(attempt, as: .failed, details: PaymentDetails(errorCode: "interrupted"), at: at(9))
        #expect(try database.text("SELECT entryMode || cvm || odaMethod FROM payment") == "beamgesturelattice")
    }

    @Test func `NULL columns stay NULL`() throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        let begun = try journal.beginSale()
        try database.execute("UPDATE payment SET last4 = '1119', authCode = 'A1B2C3'")
        #expect(try journal.payment(begun.payment.id).card?.authorizationCode == "A1B2C3")
        try journal.finish(
            begun.attempt.id, as: .failed, details: PaymentDetails(errorCode: "interrupted"), at: at(9))
        let row = try #require(try database.rows("SELECT * FROM payment").first)
        #expect(row["last4"] == "1119" && row["authCode"] == "A1B2C3")
        for name in ["brand", "entryMode", "cvm", "odaMethod", "odaResult", "accountType", "atc"] {
            #expect((row[name] as String?) == nil, "\(name)")
        }
    }

    @Test func `enumerations keep the words of the database`() {
        #expect(AttemptState.canceled.rawValue == "cancelled" && PaymentState.canceled.rawValue == "cancelled")
        #expect(Payment.Outcome.canceled.rawValue == "cancelled")
        #expect(CardDetails.EntryMode.allCases.map(\.rawValue) == ["chip", "contactless", "swipe", "fallback"])
        #expect(
            CardDetails.CardholderVerification.allCases.map(\.rawValue) == [
                "none", "signature", "offline_pin", "offline_pin_enciphered", "offline_pin_and_signature",
                "offline_pin_enciphered_and_signature", "online_pin", "device", "failed",
            ])
        #expect(
            CardDetails.OfflineDataAuthentication.allCases.map(\.rawValue)
                == ["none", "sda", "dda", "cda", "xda", "local"])
    }
}

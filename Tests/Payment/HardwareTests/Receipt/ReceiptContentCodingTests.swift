import Foundation
import Payments
import Testing

@Suite("Stored receipts")
struct ReceiptContentCodingTests {
    /// Of a till before receipts had zones, breakdowns and accounts.
    private static let old = """
        {"amount":"12.50","approvedAmount":"12.50","card":{"aid":"A0000000031010","applicationCryptogram":\
        "1122334455667788","applicationName":"Visa Credit","applicationTransactionCounter":2,"authorizationCode":\
        "466798","authorizationResponseCode":"00","brand":"visa","cardholderVerification":"signature","cryptogramType":\
        "TC","entryMode":"chip","hostReference":"000000000001","lastFour":"0010","offlineDataAuthentication":"dda",\
        "offlineDataAuthenticationResult":"passed","terminalVerificationResults":"0000008000",\
        "transactionStatusInformation":"7800"},"currency":"USD","date":"2026-01-02 12:00:01","kind":"sale","merchant":\
        {"lines":[],"merchantID":"000000000000001","name":"CardPresent","terminalID":"00000001"},"outcome":"approved",\
        "payment":"P000001"}
        """

    @Test func `of an older version is read, with nil for unknown values`() throws {
        let content = try JSONDecoder().decode(ReceiptContent.self, from: Data(Self.old.utf8))
        #expect(content.kind == .sale && content.outcome == .approved && content.amount == "12.50")
        #expect(content.card?.lastFour == "0010" && content.card?.applicationTransactionCounter == 2)
        #expect(content.zone == nil && content.breakdown == nil && content.breakdownNote == nil)
        #expect(content.reasonCode == nil && content.card?.pinTriesLeft == nil)
        #expect(content.card?.accountType == nil && content.card?.issuerApplicationData == nil)
        #expect(content.store == nil && content.orderID == nil)
    }

    @Test func `is read back unchanged`() throws {
        var content = try JSONDecoder().decode(ReceiptContent.self, from: Data(Self.old.utf8))
        (content.kind, content.zone, content.store) = (.void, "UTC+05:30", "Shop")
        content.breakdown = ReceiptBreakdown(
            items: [
                ReceiptItem(
                    title: "Tea", quantity: "0.5", amount: "12.00",
                    attributes: [ReceiptItem.Attribute(name: "Size", value: "M")])
            ], totals: ReceiptTotal.Kind.allCases.map { ReceiptTotal($0, detail: "D", amount: "0.10") })
        content.breakdownNote = .doesNotAddUp
        content.reasonCode = .wrongPIN
        content.card?.pinTriesLeft = 2
        content.card?.accountType = .savings
        content.card?.issuerApplicationData = "0601"
        let data = try JSONEncoder().encode(content)
        #expect(try JSONDecoder().decode(ReceiptContent.self, from: data) == content)
    }

    @Test func `a reason of a newer version is read as one without a text`() throws {
        let newer = Self.old.replacing("{\"amount\"", with: "{\"reasonCode\":\"moon_phase\",\"amount\"")
        #expect(try JSONDecoder().decode(ReceiptContent.self, from: Data(newer.utf8)).reasonCode == .other)
    }
}

import EMV
import Hardware
import Money
import Payments
import SimulatedTime
import Simulator
import Testing

@testable import Yosemite

/// Every built-in card does to a payment of 12.50 what its description promises.
@Suite(.simulatedTime) struct CardProfileOutcomeTests {
    struct Promise: Sendable, CustomTestStringConvertible {
        let card: String
        let outcome: Payment.Outcome
        /// DE 39 or the terminal's substitute; nil when the payment does not get that far.
        var code: String?
        /// Bits of the terminal verification results that are set.
        var results: UInt64 = 0
        var method: CardDetails.CardholderVerification?
        var aid: String?
        /// The last state of the attempt.
        var state: String?
        /// How the card is read; nil when it is not.
        var entry: CardDetails.EntryMode?

        init(
            _ card: String, _ outcome: Payment.Outcome, _ code: String? = nil, results: UInt64 = 0,
            method: CardDetails.CardholderVerification? = nil, aid: String? = nil,
            state: String? = nil, entry: CardDetails.EntryMode? = nil
        ) {
            (self.card, self.outcome, self.code, self.results) = (card, outcome, code, results)
            (self.method, self.aid, self.state, self.entry) = (method, aid, state, entry)
        }

        var testDescription: String { card }
    }

    static let promises: [Promise] = [
        // Brands
        Promise("visa-credit", .approved, "00", aid: "A0000000031010"),
        Promise("visa-debit", .approved, "00", results: 0x04_0000, method: .onlinePIN),
        Promise("mastercard-credit", .approved, "00", aid: "A0000000041010"),
        Promise("mastercard-debit", .approved, "00", results: 0x04_0000, method: .onlinePIN),
        Promise("maestro", .approved, "00", method: .onlinePIN, aid: "A0000000043060"),
        Promise("amex", .approved, "00", aid: "A000000025010402"),
        Promise("discover", .approved, "00", aid: "A0000001523010"),
        Promise("diners", .approved, "00", aid: "A0000001523010"),
        Promise("jcb", .approved, "00", aid: "A0000000651010"),
        Promise("unionpay", .approved, "00", aid: "A000000333010102"),
        Promise("interac", .approved, "00", method: .onlinePIN, aid: "A0000002771010"),
        Promise("eftpos-au", .approved, "00", method: .onlinePIN, aid: "A00000038410"),
        Promise("us-common-debit", .approved, "00", aid: "A0000000980840"),
        // The issuer declines
        Promise("declined", .declined, "05"), Promise("insufficient-funds", .declined, "51"),
        Promise("declined-lost", .declined, "41"), Promise("declined-stolen", .declined, "43"),
        Promise("declined-expired", .declined, "54"), Promise("declined-processing-error", .declined, "96"),
        Promise("declined-amount-limit", .declined, "61"), Promise("declined-count-limit", .declined, "65"),
        Promise("declined-pin-tries", .declined, "75"), Promise("referral", .declined, "01"),
        Promise("blocked-by-script", .declined, "43"),
        // PIN and other verification
        Promise("wrong-online-pin", .declined, "55", results: 0x04_0000),
        Promise("pin-second-try", .approved, "00", method: .offlinePIN),
        Promise("pin-last-try", .approved, "00", method: .offlinePIN),
        Promise("pin-blocked", .declined, "75", results: 0xA0_0000),
        Promise("pin-bypass", .approved, "00", results: 0x08_0000, method: .signature),
        Promise("pin-and-signature", .approved, "00", method: .offlinePINAndSignature),
        Promise("no-cvm-list", .approved, "00"), Promise("unknown-cvm", .approved, "00", results: 0x40_0000),
        Promise("cvm-fails", .declined, "55", results: 0x80_0000), Promise("cvm-by-amount", .approved, "00"),
        Promise("pin-required", .approved, "00", method: .offlinePIN),
        Promise("pin-enciphered", .approved, "00"), Promise("online-pin", .approved, "00", method: .onlinePIN),
        // Restrictions and risk
        Promise("declined-offline", .declined, "Z1"), Promise("offline-approve", .approved, "00"),
        Promise("expired", .declined, "54", results: 0x4000_0000),
        Promise("not-yet-effective", .declined, "Z1", results: 0x2000_0000),
        Promise("service-not-allowed", .declined, "Z1", results: 0x1000_0000),
        Promise("version-mismatch", .approved, "00", results: 0x8000_0000),
        Promise("new-card", .approved, "00", results: 0x0800_0000),
        Promise("velocity-limits", .approved, "00", results: 0x6000), Promise("offline-limits", .approved, "00"),
        Promise("exception-file", .approved, "00"),
        Promise("card-declines-after-approval", .declined, state: "reversed"),
        Promise("issuer-authentication-failed", .declined, results: 0x40, state: "reversed"),
        Promise("script-failed", .approved, "00", results: 0x30),
        Promise("issuer-script", .approved, "00"), Promise("pin-change", .approved, "00", method: .offlinePIN),
        // Data and selection
        Promise("multi-application", .approved, "00", aid: "A0000000031010"),
        Promise("blocked-application", .declined),
        Promise("duplicate-data", .failed), Promise("missing-data", .failed), Promise("bad-file-locator", .failed),
        Promise("truncated-record", .failed), Promise("wrong-cryptogram", .declined, "88"),
        Promise("next-application", .approved, "00", aid: "A0000000032010"),
        Promise("no-directory", .approved, "00", aid: "A0000000031010"),
        Promise("partial-selection", .approved, "00", aid: "A000000003101002"), Promise("blocked-card", .declined),
        // Contact and timing
        Promise("mute", .failed), Promise("bad-atr", .approved, "00", entry: .fallback),
        Promise("t1-card", .approved, "00"),
        Promise("aes-card", .approved, "00"),
        Promise("removed-early", .failed), Promise("removed-after-approval", .failed, state: "reversed"),
        Promise("goes-mute", .failed), Promise("slow-card", .approved, "00"), Promise("slow-t1-card", .approved, "00"),
        Promise("visa-format-two", .approved, "00"), Promise("mastercard-format-one", .approved, "00"),
        Promise("mastercard-emv2000", .approved, "00"),
        // Magnetic stripes
        Promise("stripe-only", .approved, "00", method: .signature, entry: .swipe),
        Promise("stripe-expired", .declined, entry: .swipe), Promise("stripe-bad-lrc", .failed),
        Promise("stripe-wrong-cvv", .declined, "82", entry: .swipe),
        Promise("stripe-pin", .approved, "00", method: .onlinePIN, entry: .swipe),
        Promise("stripe-cash-only", .declined, entry: .swipe),
        Promise("stripe-national", .declined, "62", entry: .swipe),
        Promise("stripe-track-one", .approved, "00", entry: .swipe),
        Promise("damaged-chip", .approved, "00", method: .signature, entry: .fallback),
        Promise("swiped-chip", .approved, "00", aid: "A0000000031010", entry: .chip),
        // Offline data authentication
        Promise("visa-dda", .approved, "00"), Promise("visa-sda", .approved, "00", results: 0x02_0000_0000),
        Promise("mastercard-cda", .approved, "00", method: .encipheredOfflinePIN), Promise("amex-cda", .approved, "00"),
        Promise("visa-dda-1984", .approved, "00"),
        Promise("visa-dda-revoked", .approved, "00", results: 0x08_0000_0000),
        Promise("visa-dda-expired-certificate", .approved, "00", results: 0x08_0000_0000),
        Promise("unknown-ca-key", .approved, "00", results: 0x08_0000_0000),
        // A terminal without XDA authenticates none of these cards; the issuer decides.
        Promise("visa-xda", .approved, "00", results: 0x80_0000_0000),
        Promise("visa-xda-large-curve", .approved, "00", results: 0x80_0000_0000),
        Promise("visa-dda-wrong-signature", .declined, "Z1", results: 0x08_0000_0000),
        Promise("visa-xda-wrong-signature", .approved, "00", results: 0x80_0000_0000),
        Promise("mastercard-cda-wrong-signature", .declined, results: 0x04_0000_0000),
        Promise("sda-tampered", .declined, "Z1", results: 0x42_0000_0000),
    ]

    @Test(arguments: promises) func `every card has the outcome of its description`(promise: Promise) async throws {
        let till = try TestTill(promise.card) { $0.model = .combo }
        let payment = try await till.pay("12.50")
        if let entry = promise.entry { #expect(payment.card?.entryMode == entry) }
        #expect(payment.outcome == promise.outcome, "\(payment.errorMessage ?? "")")
        if let code = promise.code { #expect(payment.card?.authorizationResponseCode == code) }
        let results = UInt64(payment.card?.terminalVerificationResults ?? "0", radix: 16) ?? 0
        #expect(results & promise.results == promise.results)
        if let method = promise.method { #expect(payment.card?.cardholderVerification == method) }
        if let aid = promise.aid { #expect(payment.card?.aid == aid) }
        if let state = promise.state { #expect(payment.state.rawValue == state) }
        #expect(try await till.charged() == (promise.outcome == .approved ? 1250 : 0))
        #expect(try await till.booksAgree())
    }

    @Test func `every built-in card has an expected outcome`() {
        #expect(Self.promises.map(\.card).sorted() == CardProfileLibrary.names.sorted())
    }

    @Test func `after a PIN change by the issuer the card requires the new PIN`() async throws {
        let till = try TestTill("pin-change")
        #expect(try await till.pay("12.50").outcome == .approved)
        let payment = try await till.collect("12.50")
        #expect(payment.outcome == .approved)
        #expect(payment.card?.cardholderVerification == .offlinePIN)
        let prompts = till.events.compactMap { event in
            if case .kernel(.enteringPIN(let prompt)) = event { prompt } else { nil }
        }
        #expect(prompts.map(\.isRetry) == [false, false])
    }
}
